// Summaries of tensors, and flags.

package stats

import "github.com/weightools/safetensors"

// A Summary has the statistics of a tensor. Counts are numbers of values: elements, or twice as many for C64.
type Summary struct {
	Dtype safetensors.Dtype

	Count     int64 // all numbers
	NaN       int64 // of any sign and payload
	PosInf    int64
	NegInf    int64
	Zero      int64 // of either sign
	Subnormal int64 // floats below the smallest normal one, except zero
	AtMax     int64 // floats with the largest magnitude of the dtype

	// Min and Max are the smallest and the largest finite number, or the zero Value if there
	// are none.
	Min, Max Value

	// Mean and StdDev are the mean and the population standard deviation of the finite
	// numbers, or NaN if there are none.
	Mean, StdDev float64

	// Exponents counts the finite numbers by magnitude.
	Exponents Exponents

	// Histogram counts the finite numbers between Min and Max. It is empty unless
	// Counter.Bins is set.
	Histogram Histogram

	// Quantiles has a number for each of Counter.Quantiles. It is nil for dtypes above 16
	// bits, or if there are no finite numbers.
	Quantiles []Value

	// SHA256 is the digest of the tensor's bytes, if Counter.SHA256 is set.
	SHA256 [32]byte
}

// Finite returns the number of values that are neither NaN nor infinite.
func (s *Summary) Finite() int64 { return s.Count - s.NaN - s.PosInf - s.NegInf }

// A Flag is a suspicious property of a tensor.
type Flag string

// The flags. Constant is not set for tensors with a single number, or with zeros only.
const (
	Empty     Flag = "empty"     // there are no numbers
	AllZero   Flag = "all-zero"  // every number is zero
	Constant  Flag = "constant"  // every number is the same
	HasNaN    Flag = "nan"       // a number is NaN
	HasInf    Flag = "inf"       // a number is an infinity
	Saturated Flag = "saturated" // numbers were probably clipped at the dtype's largest
)

// Flags returns the flags of s, in the order of their declaration.
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

// saturated compares the count of the largest number with its expected count. In floats of 16 bits and more it
// occurs only after overflow. For 8-bit floats, each row or block is scaled so that its largest number is the
// dtype's, and one in a hundred or more is suspicious. For 4 and 6 bits, every block of 16 or 32 contains the
// largest number, so saturation cannot be detected.
func (s *Summary) saturated() bool {
	switch bits := s.Dtype.Bits(); {
	case bits >= 16:
		return s.AtMax > 0
	case bits == 8:
		return s.AtMax > s.Finite()/100
	}
	return false
}
