// Package clamp multiplies and adds sizes out of untrusted headers. Results that exceed the largest
// int64 become the largest int64, so that a claim which overflows never comes out as a small number.
package clamp

import (
	"math"
	"math/bits"
)

// Add returns a + b. Neither may be negative.
func Add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Uint returns v, or the largest int64 if that is less.
func Uint(v uint64) int64 { return int64(min(v, math.MaxInt64)) }

// Mul returns a × b. Neither may be negative.
func Mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 {
		return math.MaxInt64
	}
	return Uint(lo)
}

// MulDiv returns a × num / den, rounded down. None may be negative, and den must not be zero.
func MulDiv(a, num, den int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(num))
	if hi >= uint64(den) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(den))
	return Uint(q)
}

// CeilDiv returns a / b, rounded up. Neither may be negative, and b must not be zero.
func CeilDiv(a, b int64) int64 {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}

// Product returns the product of dimensions, which is 1 for none. Dimensions above 2^63-1 are negative
// in a shape, and make the product the largest int64.
func Product(dims []int64) int64 {
	n := uint64(1)
	over := false
	for _, d := range dims {
		if d == 0 {
			return 0 // even if the others overflow
		}
		hi, lo := bits.Mul64(n, uint64(d))
		over = over || hi != 0
		n = lo
	}
	if over {
		return math.MaxInt64
	}
	return Uint(n)
}
