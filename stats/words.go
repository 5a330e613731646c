// Counting 16-bit words, for all narrow dtypes.

package stats

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// le is the byte order of elements.
var le = binary.LittleEndian

// words counts words of 16 bits. A word is one element of 16 bits, two of 8, or four of 4. Counting a word takes
// a load and a store, so narrow elements are counted faster.
//
// A loop is fast if its counters fit into the first-level cache, and if it does not check counters for overflow.
// Elements of 16 bits use few of the possible words, and their counters have 32 bits, which need no check.
// Narrower elements use nearly all words, and their counters have 16 bits, which fit into the cache. Each choice
// is a third faster than the other one.
type words struct {
	recent [1 << 16]uint32  // counts since the last drain
	used   uint64           // how many words are in recent
	low    [1 << 16]uint16  // counts modulo 65,536
	narrow bool             // whether low is in use
	total  *[1 << 16]uint64 // the rest of the counts; nil if it is zero
}

// recentMost is the maximum number of words between drains: no 32-bit counter overflows.
const recentMost = math.MaxUint32

// reserve makes room for n more words in recent, of at most recentMost.
func (t *words) reserve(n uint64) {
	if t.used+n > recentMost {
		t.drain()
	}
	t.used += n
}

// drain adds recent to total. It is called once in 4 Gi words.
func (t *words) drain() {
	for w, n := range &t.recent {
		if n > 0 {
			t.put(uint16(w), uint64(n))
		}
	}
	clear(t.recent[:])
	t.used = 0
}

// one counts w in low.
func (t *words) one(w uint16) {
	n := t.low[w] + 1
	t.low[w] = n
	if n == 0 {
		t.carry(w)
	}
}

// carry handles an overflow of the counter of w. It is rare and not inlined into loops.
//
//go:noinline
func (t *words) carry(w uint16) { t.put(w, 1<<16) }

// put adds n to the count of w.
func (t *words) put(w uint16, n uint64) {
	if t.total == nil {
		t.total = new([1 << 16]uint64)
	}
	t.total[w] += n
}

// elements counts the words of b, which has an even number of bytes. Use it for elements of 16 bits.
func (t *words) elements(b []byte) {
	t.reserve(uint64(len(b) / 2))
	c := &t.recent
	for ; len(b) >= 32; b = b[32:] {
		s := (*[32]byte)(b)
		// Counting one word over and over would wait each time for the last
		// store. Where data repeats itself it is mostly zeros, and long runs.
		v := le.Uint64(s[:])
		if v == le.Uint64(s[24:]) && v == bits.RotateLeft64(v, 16) && v == le.Uint64(s[8:]) && v == le.Uint64(s[16:]) {
			c[uint16(v)] += 16
			continue
		}
		// Loading each word is cheaper here than shifting it out of a longer one.
		c[le.Uint16(s[0:])]++
		c[le.Uint16(s[2:])]++
		c[le.Uint16(s[4:])]++
		c[le.Uint16(s[6:])]++
		c[le.Uint16(s[8:])]++
		c[le.Uint16(s[10:])]++
		c[le.Uint16(s[12:])]++
		c[le.Uint16(s[14:])]++
		c[le.Uint16(s[16:])]++
		c[le.Uint16(s[18:])]++
		c[le.Uint16(s[20:])]++
		c[le.Uint16(s[22:])]++
		c[le.Uint16(s[24:])]++
		c[le.Uint16(s[26:])]++
		c[le.Uint16(s[28:])]++
		c[le.Uint16(s[30:])]++
	}
	for ; len(b) >= 2; b = b[2:] {
		c[le.Uint16(b)]++
	}
}

// groups counts the words of b, which has an even number of bytes. Use it for elements of 8 and 4 bits.
func (t *words) groups(b []byte) {
	t.narrow = true
	for ; len(b) >= 16; b = b[16:] {
		s := (*[16]byte)(b)
		v, w := le.Uint64(s[:8]), le.Uint64(s[8:])
		if v == w && v == bits.RotateLeft64(v, 16) { // as in elements
			n := t.low[uint16(v)] + 8
			t.low[uint16(v)] = n
			if n < 8 {
				t.carry(uint16(v))
			}
			continue
		}
		t.one(uint16(v))
		t.one(uint16(v >> 16))
		t.one(uint16(v >> 32))
		t.one(uint16(v >> 48))
		t.one(uint16(w))
		t.one(uint16(w >> 16))
		t.one(uint16(w >> 32))
		t.one(uint16(w >> 48))
	}
	for ; len(b) >= 2; b = b[2:] {
		t.one(le.Uint16(b))
	}
}

// sixes counts the 12-bit words of b, two in three bytes, for elements of 6 bits. b contains complete words.
func (t *words) sixes(b []byte) {
	t.reserve(uint64(len(b) / 3 * 2))
	c := &t.recent
	for ; len(b) >= 12; b = b[12:] {
		s := (*[12]byte)(b)
		v := le.Uint64(s[:])
		w := v>>48 | uint64(le.Uint32(s[8:]))<<16
		const mask = 1<<12 - 1
		c[v&mask]++
		c[v>>12&mask]++
		c[v>>24&mask]++
		c[v>>36&mask]++
		c[w&mask]++
		c[w>>12&mask]++
		c[w>>24&mask]++
		c[w>>36&mask]++
	}
	for ; len(b) >= 3; b = b[3:] {
		c[le.Uint16(b)&(1<<12-1)]++
		c[le.Uint16(b[1:])>>4]++
	}
}

// merge adds the counts of other.
func (t *words) merge(other *words) {
	t.reserve(other.used)
	for w, n := range &other.recent {
		t.recent[w] += n
	}
	t.narrow = t.narrow || other.narrow
	for w, n := range &other.low {
		if t.low[w] += n; t.low[w] < n {
			t.carry(uint16(w))
		}
	}
	if other.total != nil {
		for w, n := range other.total {
			if n > 0 {
				t.put(uint16(w), n)
			}
		}
	}
}

// A count is a pattern or a word that occurs, and how often.
type count struct {
	n       uint64
	pattern uint16
}

// take appends the words below limit that occur to list, ascending, and resets the counters. Tensors have few of all
// words, so it looks at sixteen counters at a time.
func (t *words) take(list []count, limit int) []count {
	for begin := 0; begin < limit; begin += 16 {
		if t.total == nil && isClear((*[16]uint32)(t.recent[begin:])) && !(t.narrow && t.hasLow(begin)) {
			continue
		}
		for w := begin; w < begin+16; w++ {
			n := uint64(t.recent[w]) + uint64(t.low[w])
			if t.total != nil {
				n += t.total[w]
			}
			if n > 0 {
				list = append(list, count{n, uint16(w)})
			}
			t.recent[w], t.low[w] = 0, 0
		}
	}
	t.used, t.narrow, t.total = 0, false, nil
	return list
}

// isClear reports whether all counters are 0.
func isClear(c *[16]uint32) bool {
	return c[0]|c[1]|c[2]|c[3]|c[4]|c[5]|c[6]|c[7]|c[8]|c[9]|c[10]|c[11]|c[12]|c[13]|c[14]|c[15] == 0
}

// hasLow reports whether one of sixteen counters of low is not 0.
func (t *words) hasLow(from int) bool {
	c := (*[16]uint16)(t.low[from:])
	return c[0]|c[1]|c[2]|c[3]|c[4]|c[5]|c[6]|c[7]|c[8]|c[9]|c[10]|c[11]|c[12]|c[13]|c[14]|c[15] != 0
}
