// Spans of bytes.

package header

import (
	"cmp"
	"fmt"

	"github.com/weightools/safetensors/internal/clamp"
)

// A Span is the bytes from Begin up to, but not including, End.
type Span struct{ Begin, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Begin }

// String returns s as in "[0, 16)".
func (s Span) String() string { return fmt.Sprintf("[%d, %d)", s.Begin, s.End) }

// Shift returns s moved up by n bytes. An end that would overflow becomes the
// largest int64.
func (s Span) Shift(n int64) Span { return Span{clamp.Add(s.Begin, n), clamp.Add(s.End, n)} }

// compareSpans orders spans by where they begin, and then by where they end.
func compareSpans(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End))
}
