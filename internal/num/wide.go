// Conversion between float32 and float64, with the same NaNs on every machine.

package num

import "math"

// The layout of float64 and float32: the number of mantissa bits, the sign bit, and the pattern of
// infinity. Without the sign, patterns above infinity are NaNs, and quiet ones have the top bit of the
// mantissa set.
const (
	mantissa64 = 52
	sign64     = 1 << 63
	inf64      = 0x7ff << mantissa64

	mantissa32 = 23
	sign32     = 1 << 31
	inf32      = 0xff << mantissa32
	quiet32    = inf32 | 1<<(mantissa32-1)
)

// Processors differ in the conversion of NaNs: most keep the sign and payload and make them quiet, and
// some return a fixed NaN. These functions behave as the package comment describes on all processors.

// widen returns x exactly. A signaling NaN stays signaling.
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
