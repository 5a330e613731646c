// Ranges: numbers that are known within bounds.

package model

import "github.com/weightools/safetensors/internal/clamp"

// A Range is a number between Low and High, which are equal if it is known exactly. Numbers that
// exceed the largest int64 are replaced by it.
type Range struct{ Low, High int64 }

// exactly returns the Range of a number that is known.
func exactly(n int64) Range { return Range{n, n} }

// Exact reports whether the number is known exactly.
func (r Range) Exact() bool { return r.Low == r.High }

// plus returns the sum of two numbers.
func (r Range) plus(other Range) Range {
	return Range{clamp.Add(r.Low, other.Low), clamp.Add(r.High, other.High)}
}

// minus returns r without other, which is a part of it. What is unknown about the part is unknown about
// the sum in the same way, so the bounds are subtracted from each other.
func (r Range) minus(other Range) Range {
	return Range{max(r.Low-other.Low, 0), max(r.High-other.High, 0)}
}

// scaled returns r × num / den, rounded down.
func (r Range) scaled(num, den int64) Range {
	return Range{clamp.MulDiv(r.Low, num, den), clamp.MulDiv(r.High, num, den)}
}
