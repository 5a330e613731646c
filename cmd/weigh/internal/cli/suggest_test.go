// Suggestions for misspelt words.

package cli

import (
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	verbs := []string{"check", "header", "info", "layout", "version", "help"}
	for _, tt := range []struct{ word, want string }{
		{"chek", "check"}, {"chekc", "check"}, {"inof", "info"}, {"CHECK", "check"}, {"hepl", "help"}, {"lay", ""}, {"x", ""}, {"", ""},
		{"headers", "header"}, {"model", ""}, {"halt", ""}, {strings.Repeat("check", 1000), ""},
	} {
		if got := Suggest(tt.word, verbs); got != tt.want {
			t.Errorf("suggest(%.20q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

// Distances by hand: a swap counts one, as does what is added, dropped, changed.
func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "axc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
