// The codecs of all dtypes.

package num

import (
	"iter"
	"slices"
	"sync"
)

// A Kind is the kind of numbers of a dtype.
type Kind uint8

const (
	Bool     Kind = iota // 0 and 1
	Unsigned             // integers from 0 on
	Signed               // integers in two's complement
	Float                // floats, F8_E8M0 among them
)

// A Number is what elements are converted to and from.
type Number interface {
	float32 | float64 | int64 | uint64
}

// A Codec decodes and encodes the elements of one dtype. It is immutable and safe for concurrent
// use.
type Codec struct {
	dtype  string
	bits   int     // of one number
	parts  int     // numbers in one element
	kind   Kind    // of number
	format *format // nil but for floats of at most 16 bits

	// values has the number of each pattern as a float32, which is exact. It is nil for dtypes
	// above 16 bits, and for BF16, which does not need it.
	values func() []float32
}

// For returns the codec of the named dtype, or nil if it does not exist. Names are spelled as in
// headers.
func For(dtype string) *Codec {
	for _, c := range codecs {
		if c.dtype == dtype {
			return c
		}
	}
	return nil
}

// Dtypes yields the names of the dtypes in the order of the format.
func Dtypes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range codecs {
			if !yield(c.dtype) {
				return
			}
		}
	}
}

// Rank returns the position of the named dtype in the order of the format, or -1 if it does not
// exist.
func Rank(dtype string) int {
	return slices.IndexFunc(codecs[:], func(c *Codec) bool { return c.dtype == dtype })
}

// IsScale reports whether the dtype consists of unsigned powers of two.
func (c *Codec) IsScale() bool { return c.format != nil && c.format.mantissa == 0 }

// Dtype returns the name of the dtype.
func (c *Codec) Dtype() string { return c.dtype }

// Bits returns the width of one number, in bits: 4, 6, 8, 16, 32 or 64.
func (c *Codec) Bits() int { return c.bits }

// Kind returns the kind of numbers of the dtype.
func (c *Codec) Kind() Kind { return c.kind }

// Parts returns the number of numbers in an element: 2 for C64, which consists of a real and an
// imaginary F32, and 1 for all other dtypes.
//
// This package counts numbers, and treats C64 as twice as many F32.
func (c *Codec) Parts() int { return c.parts }

// codecs has all dtypes in the order of the format.
//
// Floats are defined by OCP Microscaling Formats (MX) v1.0, 5.3 and 5.4 (F4, F6, E8M0);
// Micikevicius et al., arXiv 2209.05433, which became OFP8 (E4M3, E5M2); Noune et al.,
// arXiv 2206.02915 (FNUZ); and IEEE 754 (F16, F32, F64). BF16 is the upper half of an F32.
var codecs = [...]*Codec{
	codec("BOOL", 8, Bool, nil),
	codec("F4", 4, Float, &format{mantissa: 1, bias: 1, sign: 0x8, max: 0x7}),
	codec("F6_E2M3", 6, Float, &format{mantissa: 3, bias: 1, sign: 0x20, max: 0x1f}),
	codec("F6_E3M2", 6, Float, &format{mantissa: 2, bias: 3, sign: 0x20, max: 0x1f}),
	codec("U8", 8, Unsigned, nil),
	codec("I8", 8, Signed, nil),
	codec("F8_E5M2", 8, Float, &format{mantissa: 2, bias: 15, sign: 0x80, max: 0x7b, inf: 0x7c, nan: 0x7e}),
	codec("F8_E4M3", 8, Float, &format{mantissa: 3, bias: 7, sign: 0x80, max: 0x7e, nan: 0x7f}),
	codec("F8_E8M0", 8, Float, &format{mantissa: 0, bias: 127, sign: 0, max: 0xfe, nan: 0xff}),
	codec("F8_E4M3FNUZ", 8, Float, &format{mantissa: 3, bias: 8, sign: 0x80, max: 0x7f, nan: 0x80}),
	codec("F8_E5M2FNUZ", 8, Float, &format{mantissa: 2, bias: 16, sign: 0x80, max: 0x7f, nan: 0x80}),
	codec("I16", 16, Signed, nil),
	codec("U16", 16, Unsigned, nil),
	codec("F16", 16, Float, &format{mantissa: 10, bias: 15, sign: 0x8000, max: 0x7bff, inf: 0x7c00, nan: 0x7e00}),
	codec("BF16", 16, Float, &format{mantissa: 7, bias: 127, sign: 0x8000, max: 0x7f7f, inf: 0x7f80, nan: 0x7fc0}),
	codec("I32", 32, Signed, nil),
	codec("U32", 32, Unsigned, nil),
	codec("F32", 32, Float, nil),
	{dtype: "C64", bits: 32, parts: 2, kind: Float},
	codec("F64", 64, Float, nil),
	codec("I64", 64, Signed, nil),
	codec("U64", 64, Unsigned, nil),
}

// codec returns a codec whose table of values is created on first use.
func codec(dtype string, bits int, kind Kind, f *format) *Codec {
	c := &Codec{dtype: dtype, bits: bits, parts: 1, kind: kind, format: f}
	if bits <= 16 && dtype != "BF16" {
		c.values = sync.OnceValue(func() []float32 {
			t := make([]float32, 1<<bits)
			for p := range t {
				t[p] = c.value(uint16(p))
			}
			return t
		})
	}
	return c
}

// Half returns the number of a pattern of F16, which is exact.
func Half(p uint16) float32 { return halves()[p] }

var halves = sync.OnceValue(func() *[1 << 16]float32 { return (*[1 << 16]float32)(For("F16").values()) })

// value returns the number of pattern p. For dtypes of at most 16 bits, a float32 is exact.
func (c *Codec) value(p uint16) float32 {
	switch c.kind {
	case Bool:
		return float32(min(p, 1))
	case Unsigned:
		return float32(p)
	case Signed:
		s := 16 - c.bits
		return float32(int16(p<<s) >> s)
	}
	return c.format.value(p)
}
