// Suggestions for misspelt words and names.

package cli

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Suggest returns the word most similar to s, or "".
func Suggest(s string, words []string) string {
	best, least := "", 3 // edits; with more, it is another word
	for _, w := range words {
		// In a short word, changing half the letters makes another word.
		if d := distance(strings.ToLower(s), strings.ToLower(w)); d < least && 2*d < len(w) {
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

const (
	mostNames  = 3    // that an error suggests
	mostShapes = 1000 // that are looked at, if no name is similar
)

// Nearest returns advice that names up to three of names that resemble the given name or pattern; if none does, up to
// three of all. Names of tensors are long and alike, so what counts is how much of a name is the same at its start and
// at its end.
func Nearest(name string, names iter.Seq[string]) string {
	type candidate struct {
		name  string
		alike int // bytes
	}
	var best []candidate
	seen := make(map[string]bool) // without numbers: one layer stands for all
	for other := range names {
		alike := commonEnds(strings.ToLower(name), strings.ToLower(other))
		near := 3*alike >= 2*max(len(name), len(other))
		if !near {
			shape := withoutDigits(other)
			if seen[shape] || len(seen) > mostShapes {
				continue
			}
			seen[shape] = true
			alike = -1 - distanceOfWords(name, other)
		}
		if len(best) == mostNames && alike <= best[mostNames-1].alike {
			continue
		}
		best = append(best, candidate{other, alike})
		slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.alike, a.alike) })
		best = best[:min(mostNames, len(best))]
	}
	if len(best) == 0 {
		return "there are no tensors"
	}
	var near, others []string
	for _, c := range best {
		quoted := `"` + typeset.Name(c.name) + `"`
		if others = append(others, quoted); c.alike >= 0 {
			near = append(near, quoted)
		}
	}
	if len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return "the nearest are " + strings.Join(others, ", ") + "; weigh info lists all names"
}

// withoutDigits returns a name with its numbers removed.
func withoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// distanceOfWords returns how many of the words of a pattern a name does not have. Words consist of letters.
func distanceOfWords(pattern, name string) (missing int) {
	name = strings.ToLower(name)
	isNone := func(r rune) bool { return !unicode.IsLetter(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(pattern), isNone) {
		if !strings.Contains(name, word) {
			missing++
		}
	}
	return missing
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
