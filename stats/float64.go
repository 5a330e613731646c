// F64: the fast loop.

package stats

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/weightools/safetensors/internal/num"
)

// doubles takes blocks of F64. They are added to where the sums stay: a fraction's
// square takes two words, and there would be no room in lanes as F32 has them.
type doubles struct{ floats }

func newDoubles(codec *num.Codec) *doubles {
	return &doubles{newFloats(codec, 0x1p-1022, math.MaxFloat64, newClasses(mantissa64, exponents64))}
}

func (d *doubles) add(block []byte) {
	for chunk := range slices.Chunk(block, chunkSize) {
		before := d.special()
		lo, hi := d.sum(chunk)
		if d.special() == before && hi < d.largest && lo > -d.largest {
			d.ordinary(lo, hi, 0) // zeros have the exponent 0
		} else {
			d.odd(chunk)
		}
	}
}

func (d *doubles) merge(other *doubles) { d.floats.merge(&other.floats) }

// special returns how many numbers have the exponent of zeros and subnormal
// numbers, or that of infinities and NaNs.
func (d *doubles) special() uint64 { return d.sums.in(0) + d.sums.in(1<<exponents64-1) }

// sum adds the numbers of chunk to the classes, and returns the smallest and the
// largest that is not NaN.
func (d *doubles) sum(chunk []byte) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	// As an array, of a size that no pattern's upper bits exceed, the classes
	// need no check of the index.
	all := (*[2 << exponents64]sums)(d.sums.all)
	for ; len(chunk) >= 8; chunk = chunk[8:] {
		pattern := binary.LittleEndian.Uint64(chunk)
		fraction := pattern & (1<<mantissa64 - 1)
		sq1, sq0 := bits.Mul64(fraction, fraction)
		all[pattern>>mantissa64].add(1, fraction, 0, sq0, sq1, 0)
		x := math.Float64frombits(pattern)
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return lo, hi
}
