// Values: exact numbers of all dtypes.

package stats

import (
	"math"
	"strconv"

	"github.com/weightools/safetensors/internal/num"
)

// A Value is a number of a tensor. Unlike a float64 it is exact for all dtypes, including 64-bit integers. The
// zero Value is not a number, for example the minimum of an empty tensor.
//
// Values of the same dtype can be compared with ==.
type Value struct {
	bits uint64 // of a float64, an int64 or a uint64
	kind valueKind
}

// A valueKind is the type of the bits of a Value. Unlike num.Kind, its zero is not a kind of number.
type valueKind uint8

const (
	noNumber valueKind = iota
	floating
	signed
	unsigned
)

// float returns the Value of x, which is not NaN.
func float(x float64) Value {
	return Value{math.Float64bits(x + 0), floating} // -0 + 0 is 0
}

// valueOf returns x as the Value of a narrow dtype. Integers of narrow dtypes are counted as floats, which is
// exact.
func valueOf(x float64, kind num.Kind) Value {
	switch kind {
	case num.Signed:
		return Value{uint64(int64(x)), signed}
	case num.Unsigned, num.Bool:
		return Value{uint64(x), unsigned}
	}
	return float(x)
}

// Float64 returns v, rounded to the nearest float64 if it is an integer above 2^53. It returns NaN for the zero
// Value.
func (v Value) Float64() float64 {
	switch v.kind {
	case floating:
		return math.Float64frombits(v.bits)
	case signed:
		return float64(int64(v.bits))
	case unsigned:
		return float64(v.bits)
	}
	return math.NaN()
}

// String returns v in decimal: an integer with all digits, and a float with the shortest text that identifies it.
// The zero Value is "NaN".
func (v Value) String() string { return string(v.append(nil)) }

// MarshalJSON returns v as a JSON number, or null for the zero Value. Integers are written with all digits.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == noNumber {
		return []byte("null"), nil
	}
	return v.append(nil), nil
}

// append appends the text of v to b. Floats have the format of JavaScript, with an exponent only for very large
// and very small numbers.
func (v Value) append(b []byte) []byte {
	switch v.kind {
	case signed:
		return strconv.AppendInt(b, int64(v.bits), 10)
	case unsigned:
		return strconv.AppendUint(b, v.bits, 10)
	}
	x := v.Float64()
	form := byte('f')
	if abs := math.Abs(x); abs >= 1e21 || abs != 0 && abs < 1e-6 {
		form = 'e'
	}
	return strconv.AppendFloat(b, x, form, -1, 64)
}
