// Suggestions for misspelt words.

package cli

import "strings"

// Suggest returns the word most similar to s, or "".
func Suggest(s string, words []string) string {
	best, least := "", 3 // edits; with more, it is another word
	for _, w := range words {
		// In a short word, changing half the letters makes another word.
		if d := Distance(strings.ToLower(s), w); d < least && 2*d < len(w) {
			best, least = w, d
		}
	}
	return best
}

// Distance returns the number of insertions, deletions, substitutions and swaps of neighbors that
// turn a into b.
func Distance(a, b string) int {
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
