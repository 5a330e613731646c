// Summaries: what a pass over a tensor tells, and the verdicts on it.

package stats

import "github.com/weightools/safetensors"

// A Summary is what one pass over a tensor tells. All counts are of numbers:
// elements, or twice as many if the dtype is C64.
type Summary struct {
	Dtype safetensors.Dtype

	Count     int64 // all numbers
	NaN       int64 // of any sign and payload
	PosInf    int64
	NegInf    int64
	Zero      int64 // of either sign
	Subnormal int64 // floats below the smallest normal one of the dtype, but not zero
	AtMax     int64 // floats as large as the dtype has, of either sign

	// Min and Max are the smallest and the largest finite number. They are no
	// numbers if there is none.
	Min, Max Value

	// Mean is that of the finite numbers. StdDev is how far these are from it,
	// the root of the mean square: the sum is divided by their number, and not
	// by one less. Both are NaN if there is none.
	Mean, StdDev float64

	// Exponents counts the finite numbers by magnitude.
	Exponents Exponents

	// Histogram counts the finite numbers between Min and Max, and is empty
	// unless a Counter asks for it.
	Histogram Histogram

	// Quantiles has a number for each that a Counter asks for. It is nil if the
	// dtype has more than 16 bits, or if no number is finite.
	Quantiles []Value

	// SHA256 is the digest of the tensor's bytes, if a Counter asks for it.
	SHA256 [32]byte
}

// Finite returns how many numbers are neither NaN nor an infinity.
func (s *Summary) Finite() int64 { return s.Count - s.NaN - s.PosInf - s.NegInf }

// A Flag is something about a tensor that is worth a look.
type Flag string

// The flags. That a tensor is constant is not said of one that is all zero, or
// that has one number only.
const (
	Empty     Flag = "empty"     // there are no numbers
	AllZero   Flag = "all-zero"  // every number is zero
	Constant  Flag = "constant"  // every number is the same
	HasNaN    Flag = "nan"       // a number is NaN
	HasInf    Flag = "inf"       // a number is an infinity
	Saturated Flag = "saturated" // numbers seem to have been cut off at the dtype's largest
)

// Flags returns the flags that s deserves, in the order of their declaration.
func (s *Summary) Flags() []Flag {
	var flags []Flag
	for _, f := range []struct {
		flag Flag
		is   bool
	}{
		{Empty, s.Count == 0},
		{AllZero, s.Count > 0 && s.Zero == s.Count},
		{Constant, s.Count > 1 && s.Finite() == s.Count && s.Min == s.Max && s.Zero == 0},
		{HasNaN, s.NaN > 0},
		{HasInf, s.PosInf+s.NegInf > 0},
		{Saturated, s.saturated()},
	} {
		if f.is {
			flags = append(flags, f.flag)
		}
	}
	return flags
}

// saturated judges by how often the largest number should occur. A float of 16
// bits or more comes near it by overflow only. But 8 bits are filled by scaling
// each row, or block, so that its largest number is the dtype's, and one number
// in a hundred or more is out of proportion. In blocks of 16 and 32, as of 4 and
// 6 bits, there is always such a number, and nothing can be told.
func (s *Summary) saturated() bool {
	switch bits := s.Dtype.Bits(); {
	case bits >= 16:
		return s.AtMax > 0
	case bits == 8:
		return s.AtMax > s.Finite()/100
	}
	return false
}
