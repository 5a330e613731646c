// Suggestions for misspelt words and names.

package cli

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Suggest returns the word most similar to s, or "".
func Suggest(s string, words []string) string {
	best, least := "", 3 // edits; with more, it is another word
	for _, w := range words {
		// In a short word, changing half the letters makes another word.
		if d := distance(strings.ToLower(s), w); d < least && 2*d < len(w) {
			best, least = w, d
		}
	}
	return best
}

// distance returns the number of insertions, deletions, substitutions and swaps of neighbors that
// turn a into b.
func distance(a, b string) int {
	const most = 40 // bytes
	if len(a) > most || len(b) > most {
		return most
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

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
