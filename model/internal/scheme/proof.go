// Proofs: how the shapes of scales and of packed values show what a value is.

package scheme

import (
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
)

// perScale returns how many elements of a weight share a scale, if all dimensions are equal but one: the last, or in
// stacks of transposed matrices the one before.
//
//	weight [out, 64]   scales [out, 4]   16
func perScale(w, s []int64) (n int64, ok bool) {
	if len(w) != len(s) || len(w) < 2 {
		return 0, false
	}
	at := len(w) - 1
	for i := range w {
		if w[i] != s[i] {
			at = i
			break
		}
	}
	if at < len(w)-2 || at == len(w)-2 && len(w) < 3 || !slices.Equal(w[at+1:], s[at+1:]) ||
		s[at] <= 0 || w[at]%s[at] != 0 {
		return 0, false
	}
	return w[at] / s[at], true
}

// isScaled reports whether scales fit a weight with one value in each element: one scale, one for each row or column,
// or one for each block.
func isScaled(w, s []int64) bool {
	switch {
	case clamp.Product(s) == 1:
		return true
	case len(s) == len(w):
		for i := range w {
			if !isBlocked(w[i], s[i]) {
				return false
			}
		}
		return true
	case len(w) > 1 && len(s) == len(w)-1: // a row's or a column's dimension is missing
		last := len(w) - 1
		return slices.Equal(s, w[:last]) || slices.Equal(s[:last-1], w[:last-1]) && s[last-1] == w[last]
	}
	return len(w) > 2 && clamp.Product(s) == w[0] || len(s) == 1 && len(w) > 1 && s[0] == w[0] // one for each expert
}

// isBlocked reports whether n values can have so many scales: one, one for each, or one for each block of a multiple
// of 8. The last block may be smaller.
func isBlocked(n, scales int64) bool {
	if scales == 1 || scales == n {
		return true
	}
	if scales <= 0 || scales > n {
		return false
	}
	block := clamp.CeilDiv(clamp.CeilDiv(n, scales), 8) * 8 // the smallest multiple that does not need more
	return clamp.CeilDiv(n, block) == scales
}

// isGrouped reports whether so many inputs can have so many groups: one, or groups of 8, 16, 32 and so on. The last
// group may be smaller.
func isGrouped(in, groups int64) bool {
	if groups == 1 {
		return true
	}
	for size := int64(8); size < in; size *= 2 {
		if clamp.CeilDiv(in, size) == groups {
			return true
		}
	}
	return false
}

// groups returns why the number of groups of a weight with so many inputs is not proved, or "", and how it
// contradicts the configuration.
func (c *Context) groups(in, groups int64) (why string, conflict Finding) {
	switch {
	case c.Group == -1 && groups != 1:
		conflict = found("the %d inputs have %d groups of scales, but the configuration says one", in, groups)
	case c.Group > 0 && groups != clamp.CeilDiv(in, c.Group):
		conflict = found("the %d inputs have %d groups of scales, but the configured group size of %d makes %d",
			in, groups, c.Group, clamp.CeilDiv(in, c.Group))
	case c.Group == 0 && !isGrouped(in, groups):
		return "the number of scales fits no usual group size", conflict
	}
	return conflict.Text, conflict
}
