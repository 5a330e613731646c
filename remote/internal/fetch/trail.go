// Read-ahead: sequential reads are likely to continue.

package fetch

import "sync"

// A trail records where recent reads ended. It has a few marks, because a caller may read
// several tensors of a file in turn.
type trail struct {
	mu    sync.Mutex
	marks [4]mark
	next  int // index of the mark to replace next
}

// A mark is where a read ended, and how many bytes in a row were read up to there.
type mark struct{ at, run int64 }

// maxAhead is the maximum read-ahead, in bytes.
const maxAhead = 4 << 20

// ahead records a read and returns how many bytes to fetch beyond it. The first reads of a
// sequence fetch none, because a header is read sequentially, too, and then ends.
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
			return min(m.run, maxAhead)
		}
	}
	t.marks[t.next] = mark{end, end - begin}
	t.next = (t.next + 1) % len(t.marks)
	return 0
}
