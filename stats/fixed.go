// Fixed-point numbers of many words, in which sums of floats are exact.

package stats

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// A fixed is an integer in two's complement, the least significant word first. Its user knows the unit, and
// makes it long enough that nothing overflows.
type fixed []uint64

// add adds the integer of two words, times 2^shift. It subtracts it if negative is set.
func (f fixed) add(lo, hi uint64, shift uint, negative bool) {
	s := shift % 64
	rest := f[shift/64:]
	words := [3]uint64{lo << s, hi<<s | lo>>(64-s), hi >> (64 - s)}
	var carry uint64
	if negative {
		for i, w := range words[:min(len(rest), 3)] {
			rest[i], carry = bits.Sub64(rest[i], w, carry)
		}
		for i := 3; carry != 0 && i < len(rest); i++ {
			rest[i], carry = bits.Sub64(rest[i], 0, carry)
		}
		return
	}
	for i, w := range words[:min(len(rest), 3)] {
		rest[i], carry = bits.Add64(rest[i], w, carry)
	}
	for i := 3; carry != 0 && i < len(rest); i++ {
		rest[i], carry = bits.Add64(rest[i], 0, carry)
	}
}

// addFloat adds x, which is a multiple of 2^unit.
func (f fixed) addFloat(x float64, unit int) {
	if x == 0 {
		return
	}
	fraction, exp := math.Frexp(math.Abs(x))
	m := uint64(fraction * (1 << 53)) // exactly
	if shift := exp - 53 - unit; shift >= 0 {
		f.add(m, 0, uint(shift), x < 0)
	} else {
		f.add(m>>-shift, 0, 0, x < 0)
	}
}

// addFixed adds other, times 2^shift.
func (f fixed) addFixed(other fixed, shift uint) {
	negative := other[len(other)-1]>>63 != 0
	carry := uint64(1) // -other is ^other + 1
	for i, w := range other {
		if negative {
			w, carry = bits.Add64(^w, 0, carry)
		}
		f.add(w, 0, shift+64*uint(i), negative)
	}
}

// merge adds other, which has the same length.
func (f fixed) merge(other fixed) {
	var carry uint64
	for i, w := range other {
		f[i], carry = bits.Add64(f[i], w, carry)
	}
}

// zeros returns the number of words before the first that is not zero.
func (f fixed) zeros() int {
	n := 0
	for n < len(f) && f[n] == 0 {
		n++
	}
	return n
}

// set sets x to f.
func (f fixed) set(x *big.Int) {
	negative := f[len(f)-1]>>63 != 0
	b, carry := make([]byte, 8*len(f)), uint64(1) // -f is ^f + 1
	for i, w := range f {
		if negative {
			w, carry = bits.Add64(^w, 0, carry)
		}
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], w)
	}
	if x.SetBytes(b); negative {
		x.Neg(x)
	}
}

// momentsOf returns the moments of n numbers: their sum in units of 2^exp, and the sum of their squares in units of
// 2^(2*exp). Words that are zero in both are left out, because the arithmetic takes longer with long integers.
func momentsOf(n uint64, sum, squares fixed, exp int) *moments {
	skip := min(sum.zeros(), squares.zeros()/2, len(sum)-1, (len(squares)-1)/2)
	m := &moments{n: int64(n), exp: exp + 64*skip}
	sum[skip:].set(&m.sum)
	squares[2*skip:].set(&m.squares)
	return m
}
