// Values: numbers of a tensor, exact whatever its dtype.

package stats

import (
	"math"
	"strconv"

	"github.com/weightools/safetensors/internal/num"
)

// A Value is a number of a tensor. Unlike a float64 it holds every number of
// every dtype: 64-bit integers too. The zero Value is no number, as is the
// smallest of none.
//
// Values of one dtype are equal, by ==, if they are the same number.
type Value struct {
	bits uint64 // of a float64, an int64 or a uint64
	kind valueKind
}

// A valueKind says what the bits of a Value are. It is not num.Kind, whose zero is a
// kind of number.
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

// valueOf is for the narrow dtypes, whose integers are counted as floats: all of
// them are float64s. It returns x, exact, as the Value of a dtype that holds such numbers.
func valueOf(x float64, kind num.Kind) Value {
	switch kind {
	case num.Signed:
		return Value{uint64(int64(x)), signed}
	case num.Unsigned, num.Bool:
		return Value{uint64(x), unsigned}
	}
	return float(x)
}

// Float64 returns v, rounded to the nearest float64 if it is an integer beyond
// 2^53. It returns NaN if v is no number.
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

// String returns v in decimal: an integer with all its digits, a float with as
// many as it takes to tell it from every other float64. That makes "NaN" of no
// number.
func (v Value) String() string { return string(v.append(nil)) }

// MarshalJSON returns v as a JSON number, or null if it is no number. Integers
// are written in full, and it is for the reader not to round them.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == noNumber {
		return []byte("null"), nil
	}
	return v.append(nil), nil
}

// append appends the text of v to b. Floats are in the form that JavaScript
// prints: with an exponent only where there would be many zeros without.
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
