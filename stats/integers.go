// Integers of 32 and 64 bits.

package stats

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/weightools/safetensors/internal/num"
)

// integers processes blocks of I32, U32, I64 or U64. The sums are exact, and no number is converted to a
// float.
type integers struct {
	codec   *num.Codec
	sums    sums // of negative integers in two's complement
	flip    uint64
	lo, hi  uint64    // the smallest and the largest, with the bits of flip inverted
	lengths [65]int64 // counts by the number of bits of the magnitude
}

func newIntegers(codec *num.Codec) *integers {
	a := &integers{codec: codec, lo: math.MaxUint64}
	if codec.Kind() == num.Signed {
		a.flip = 1 << 63 // the sign; inverted, numbers compare like uint64
	}
	return a
}

func (a *integers) add(block []byte) {
	switch {
	case a.codec.Bits() == 64:
		for ; len(block) >= 8; block = block[8:] {
			a.one(binary.LittleEndian.Uint64(block))
		}
	case a.flip != 0:
		for ; len(block) >= 4; block = block[4:] {
			a.one(uint64(int32(binary.LittleEndian.Uint32(block))))
		}
	default:
		for ; len(block) >= 4; block = block[4:] {
			a.one(uint64(binary.LittleEndian.Uint32(block)))
		}
	}
}

// one adds the integer v, which is negative if its bit flip is set.
func (a *integers) one(v uint64) {
	negative := -(v & a.flip >> 63) // all ones, or all zeros
	abs := v ^ negative - negative
	// The numbers are sign-extended to two words.
	sq1, sq0 := bits.Mul64(abs, abs)
	a.sums.add(1, v, negative, sq0, sq1, 0)
	a.lo, a.hi = min(a.lo, v^a.flip), max(a.hi, v^a.flip)
	a.lengths[bits.Len64(abs)]++
}

func (a *integers) merge(other *integers) {
	a.sums.merge(&other.sums)
	a.lo, a.hi = min(a.lo, other.lo), max(a.hi, other.hi)
	for i, n := range other.lengths {
		a.lengths[i] += n
	}
}

// report fills s, except for the histogram. Integers are finite and never subnormal.
func (a *integers) report(s *Summary) {
	if a.sums.n == 0 {
		return
	}
	kind := unsigned
	if a.flip != 0 {
		kind = signed
	}
	// Inverting the bits again gives the integer.
	s.Min, s.Max = Value{a.lo ^ a.flip, kind}, Value{a.hi ^ a.flip, kind}
	s.Zero = a.lengths[0]
	magnitudes := new(binades)
	for length, n := range a.lengths {
		if length > 0 {
			magnitudes[length-1-lowestExponent] = n
		}
	}
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = a.sums.moments().meanAndStdDev()
}
