// Distances between tensors as a whole.

package diff

import "math"

// Sums has sums over pairs of values, in float64: each value is the number that the dtype represents, and a
// complex number is two values. The sums of several tensors can be added.
type Sums struct {
	Delta float64 // of (a-b)^2
	A, B  float64 // of a^2 and b^2
	Dot   float64 // of a*b
}

// Add adds the sums of other values.
func (s *Sums) Add(other Sums) {
	s.Delta += other.Delta
	s.A += other.A
	s.B += other.B
	s.Dot += other.Dot
}

// RelativeL2 returns the Euclidean norm of a-b, divided by that of a. It is 0 if a and b are equal, and infinite if
// only a is zero.
func (s *Sums) RelativeL2() float64 {
	if s.Delta == 0 {
		return 0
	}
	return math.Sqrt(s.Delta) / math.Sqrt(s.A)
}

// Cosine returns the cosine of the angle between a and b as vectors, from -1 to 1. It is NaN if one of them is zero.
func (s *Sums) Cosine() float64 {
	if s.Delta == 0 && s.A > 0 {
		return 1 // without rounding
	}
	return max(-1, min(1, s.Dot/(math.Sqrt(s.A)*math.Sqrt(s.B))))
}

// Add adds the differences of another tensor, for the difference between two sets of tensors. At has no meaning
// then, and becomes -1.
func (v *Values) Add(other *Values) {
	v.Count += other.Count
	v.Differ += other.Differ
	v.Beyond += other.Beyond
	v.Odd += other.Odd
	v.MaxDelta = max(v.MaxDelta, other.MaxDelta)
	v.MaxInteger = max(v.MaxInteger, other.MaxInteger)
	v.MaxRelative = max(v.MaxRelative, other.MaxRelative)
	v.At = -1
	v.Sums.Add(other.Sums)
}
