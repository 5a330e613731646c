// How often each 16-bit word occurs: the loop that narrow dtypes share.

package stats

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
)

// le is the order in which the bytes of an element lie.
var le = binary.LittleEndian

// words counts words of 16 bits. One word is one element of 16 bits, two of 8, or
// four of 4. Since a count costs a load and a store, whatever its word holds,
// narrow elements are counted the faster for it.
//
// What makes a loop fast is that the counters in use fit the first-level cache, and
// that nobody need look at a counter after adding to it. Elements of 16 bits are
// mostly few of those there are, and have counters of 32 bits, for the second.
// Narrower ones make nearly every word, and have counters of 16, for the first. Each
// is a third faster with the one, and slower with the other.
type words struct {
	recent [1 << 16]uint32  // what was counted since the last drain
	room   uint32           // how many more recent can take; 0 before the first
	low    [1 << 16]uint16  // each count modulo 65,536
	total  *[1 << 16]uint64 // what is in neither; nil if that is nothing
}

// recentMost is how many words are counted between drains: whatever they are, no
// counter of 32 bits goes round.
const recentMost = math.MaxUint32

// reserve makes room for n more words in recent, of at most recentMost.
func (t *words) reserve(n int) {
	if uint64(n) > uint64(t.room) {
		t.drain()
	}
	t.room -= uint32(n)
}

// drain moves what is in recent to total. It comes once in 4 Gi words.
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

// carry makes up for the counter of w having gone round once. It is rare, and
// kept out of the loops.
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

// elements counts the words of b, which has an even number of bytes. It is for elements
// of 16 bits.
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

// groups counts the words of b, which has an even number of bytes. It is for elements
// of 8 bits and of 4.
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

// sixes counts the words of 12 bits of b, two in three bytes. There is no part of a
// word at its end. Elements of 6 bits do not fill 16.
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
