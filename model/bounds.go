// Bounds: numbers that are known within limits, and sums that cannot overflow.

package model

import (
	"math"
	"math/bits"
)

// A Range is a number that is known to lie from Low to High, which are equal if
// it is known exactly. Numbers that do not fit are the largest int64: headers are
// strangers' claims, and a claim that overflows must not come out as a small one.
type Range struct{ Low, High int64 }

// exactly returns the Range of a number that is known.
func exactly(n int64) Range { return Range{n, n} }

// Exact says whether the number is known exactly.
func (r Range) Exact() bool { return r.Low == r.High }

// plus returns the sum of two numbers.
func (r Range) plus(other Range) Range {
	return Range{sum(r.Low, other.Low), sum(r.High, other.High)}
}

// minus returns the difference of two numbers, of which other is a part of r.
func (r Range) minus(other Range) Range {
	// What is unknown of the part is unknown of the whole in the same way, so the
	// bounds go with each other.
	return Range{max(r.Low-other.Low, 0), max(r.High-other.High, 0)}
}

// scaled returns r × num / den, rounded down.
func (r Range) scaled(num, den int64) Range {
	return Range{ratio(r.Low, num, den), ratio(r.High, num, den)}
}

// sum returns a + b. Neither is negative.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times returns a × b. Neither is negative.
func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// ratio returns a × num / den, rounded down. None is negative, and den not zero.
func ratio(a, num, den int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(num))
	if hi >= uint64(den) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(den))
	return int64(min(q, math.MaxInt64))
}

// ceil returns a / b, rounded up. Neither is negative, and b not zero.
func ceil(a, b int64) int64 {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}

// product returns the product of dimensions, which is 1 for none. A dimension
// above 2^63-1 stands in a shape as a negative one.
func product(dims []int64) int64 {
	n := uint64(1)
	over := false
	for _, d := range dims {
		if d == 0 {
			return 0 // whatever the others are
		}
		hi, lo := bits.Mul64(n, uint64(d))
		over = over || hi != 0
		n = lo
	}
	if over || n > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(n)
}
