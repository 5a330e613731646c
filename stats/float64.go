// F64: the fast loop.

package stats

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/weightools/safetensors/internal/num"
)

// doubles processes blocks of F64. It adds to the final sums without lanes, because the square of a fraction
// takes two words.
type doubles struct{ floats }

// spareDoubles has doubles that are as good as new. They have 200 KiB.
var spareDoubles sync.Pool

func newDoubles(codec *num.Codec) *doubles {
	if d, ok := spareDoubles.Get().(*doubles); ok {
		return d
	}
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

// report fills s, except for the histogram.
func (d *doubles) report(s *Summary) {
	d.floats.report(s, d.sums.in, d.sums.moments())
	d.release()
}

func (d *doubles) merge(other *doubles) {
	d.floats.merge(&other.floats)
	other.release()
}

// release makes d as good as new, for another tensor.
func (d *doubles) release() {
	d.reset()
	spareDoubles.Put(d)
}

// special returns the number of zeros, subnormal numbers, infinities and NaNs, by their exponents.
func (d *doubles) special() uint64 { return d.sums.in(0) + d.sums.in(1<<exponents64-1) }

// sum adds the numbers of chunk to the classes, and returns the smallest and the largest number, ignoring
// NaN.
func (d *doubles) sum(chunk []byte) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	// An array with an element for every value of the upper bits needs no bounds checks.
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
