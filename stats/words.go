// How often each 16-bit word occurs: the loop that narrow dtypes share.

package stats

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// words counts words of 16 bits. One word is one element of 16 bits, two of 8, or
// four of 4. Since a count costs a load and a store, whatever its word holds,
// narrow elements are counted the faster for it.
//
// The counters are kept small, so that those in use fit the first-level cache:
// there, a table of 32-bit counters is twice as slow for bytes in pairs.
type words struct {
	low  [1 << 16]uint16  // each count modulo 65,536
	high *[1 << 16]uint64 // what is not in low; nil if that is nothing
}

// one counts w.
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
	if t.high == nil {
		t.high = new([1 << 16]uint64)
	}
	t.high[w] += n
}

// count16 counts the words of b, which has an even number of bytes.
func (t *words) count16(b []byte) {
	for ; len(b) >= 16; b = b[16:] {
		s := (*[16]byte)(b)
		v, w := binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:])
		// Counting one word over and over would wait each time for the last
		// store. Where data repeats itself it is mostly zeros, and long runs.
		if v == w && v == bits.RotateLeft64(v, 16) {
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
		t.one(binary.LittleEndian.Uint16(b))
	}
}

// count12 counts the words of 12 bits of b, two in three bytes. There is no part
// of a word at its end. Elements of 6 bits do not fill 16.
func (t *words) count12(b []byte) {
	for ; len(b) >= 12; b = b[12:] {
		s := (*[12]byte)(b)
		v := binary.LittleEndian.Uint64(s[:8])
		w := v>>48 | uint64(binary.LittleEndian.Uint32(s[8:]))<<16
		const mask = 1<<12 - 1
		t.one(uint16(v & mask))
		t.one(uint16(v >> 12 & mask))
		t.one(uint16(v >> 24 & mask))
		t.one(uint16(v >> 36 & mask))
		t.one(uint16(w & mask))
		t.one(uint16(w >> 12 & mask))
		t.one(uint16(w >> 24 & mask))
		t.one(uint16(w >> 36 & mask))
	}
	for ; len(b) >= 3; b = b[3:] {
		t.one(binary.LittleEndian.Uint16(b) & (1<<12 - 1))
		t.one(binary.LittleEndian.Uint16(b[1:]) >> 4)
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
		for w, low := range &t.low {
			n := uint64(low)
			if t.high != nil {
				n += t.high[w]
			}
			if n > 0 && !yield(uint16(w), n) {
				return
			}
		}
	}
}
