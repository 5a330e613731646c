// Reading ahead: whoever reads on and on from where the last read ended will go on.

package remote

import "sync"

// A trail is where a few reads have ended of late: several tensors of a file may be
// read by turns.
type trail struct {
	mu    sync.Mutex
	marks [4]mark
	next  int // the mark to replace
}

// A mark is where a read has ended, and how much was read in a row up to there.
type mark struct{ at, run int64 }

// most is how much is read ahead, in bytes, at most.
const most = 4 << 20

// ahead takes note of a read, and returns how many bytes to fetch after it. The first
// reads of a row fetch nothing ahead: a header is read in a row, too, and ends.
func (t *trail) ahead(begin, end int64) int64 {
	const enough = 256 << 10 // bytes in a row
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.marks {
		m := &t.marks[i]
		if m.at == begin && m.run > 0 {
			m.at, m.run = end, m.run+end-begin
			if m.run < enough {
				return 0
			}
			return min(m.run, most)
		}
	}
	t.marks[t.next] = mark{end, end - begin}
	t.next = (t.next + 1) % len(t.marks)
	return 0
}
