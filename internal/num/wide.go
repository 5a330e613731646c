// Between float32 and float64: their layout, and their NaNs, treated the same on
// every machine.

package num

import "math"

// The layout of float64 and float32: the bits of the mantissa, the sign bit, and
// the pattern of infinity, above which, but for the sign, are the NaNs, of which
// the quiet ones have the mantissa's top bit set.
const (
	mantissa64 = 52
	sign64     = 1 << 63
	inf64      = 0x7ff << mantissa64

	mantissa32 = 23
	sign32     = 1 << 31
	inf32      = 0xff << mantissa32
	quiet32    = inf32 | 1<<(mantissa32-1)
)

// Processors differ in what they do with a NaN that they convert: most keep
// its sign and payload and make it quiet, some give always the same one. These
// functions do what the package comment says, whatever the processor does.

// widen returns x exactly. A signaling NaN stays one.
func widen(x float32) float64 {
	if x == x {
		return float64(x)
	}
	b := uint64(math.Float32bits(x))
	return math.Float64frombits(b>>31<<63 | inf64 | b<<41>>12)
}

// narrow returns x rounded to the nearest float32. A NaN becomes quiet.
func narrow(x float64) float32 {
	if x == x {
		return float32(x)
	}
	b := math.Float64bits(x)
	return math.Float32frombits(uint32(b>>63<<31) | quiet32 | uint32(b<<12>>41))
}
