// Counting 16-bit words, for all narrow dtypes.

package stats

import (
	"encoding/binary"
	"iter"
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
	room   uint32           // how many more words fit into recent; initially 0
	low    [1 << 16]uint16  // counts modulo 65,536
	total  *[1 << 16]uint64 // the rest of the counts; nil if it is zero
}

// recentMost is the maximum number of words between drains: no 32-bit counter overflows.
const recentMost = math.MaxUint32

// reserve makes room for n more words in recent, of at most recentMost.
func (t *words) reserve(n int) {
	if uint64(n) > uint64(t.room) {
		t.drain()
	}
	t.room -= uint32(n)
}

// drain adds recent to total. It is called once in 4 Gi words.
func (t *words) drain() {
	t.room = recentMost
	for w, n := range &t.recent {
		if n > 0 {
			t.put(uint16(w), uint64(n))
		}
	}
	clear(t.recent[:])
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
	t.reserve(len(b) / 2)
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
	t.reserve(len(b) / 3 * 2)
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
	for w, n := range other.all() {
		t.put(w, n)
	}
}

// all yields the words that occur, ascending, and how often.
func (t *words) all() iter.Seq2[uint16, uint64] {
	return func(yield func(uint16, uint64) bool) {
		for w, recent := range &t.recent {
			n := uint64(recent) + uint64(t.low[w])
			if t.total != nil {
				n += t.total[w]
			}
			if n > 0 && !yield(uint16(w), n) {
				return
			}
		}
	}
}
