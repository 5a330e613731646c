// Suggestions for names of tensors.

package cli

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Nearest returns a question that suggests up to three of names, or "". Names of tensors are long
// and alike, so what counts is how much of a name is the same at its start and at its end, and it
// has to be most of it.
func Nearest(name string, names iter.Seq[string]) string {
	const most = 3
	type candidate struct {
		name  string
		alike int // bytes
	}
	var best []candidate
	for other := range names {
		alike := commonEnds(strings.ToLower(name), strings.ToLower(other))
		if 3*alike < 2*max(len(name), len(other)) {
			continue
		}
		best = append(best, candidate{other, alike})
		slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.alike, a.alike) })
		best = best[:min(most, len(best))]
	}
	if len(best) == 0 {
		return ""
	}
	near := make([]string, len(best))
	for i, c := range best {
		near[i] = `"` + typeset.Name(c.name) + `"`
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// commonEnds returns how many bytes a and b have in common at their start and, in what is
// left, at their end.
func commonEnds(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	end := 0
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return n + end
}
