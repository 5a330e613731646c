// Spans of bytes: the arithmetic that all checks rest on.

package safetensors

import (
	"fmt"
	"math"
)

// A Span is the bytes from Begin up to, and not including, End.
type Span struct{ Begin, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Begin }

// String returns s as in "[0, 16)".
func (s Span) String() string { return fmt.Sprintf("[%d, %d)", s.Begin, s.End) }

// shift returns s moved up by n bytes. What would lie past the largest offset
// lies at it: offsets out of a file can be anything.
func (s Span) shift(n int64) Span {
	return Span{saturatingAdd(s.Begin, n), saturatingAdd(s.End, n)}
}

// saturatingAdd returns a + b, or the largest int64 if that is less. Neither
// is negative.
func saturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// saturate returns v, or the largest int64 if that is less.
func saturate(v uint64) int64 {
	return int64(min(v, math.MaxInt64))
}
