// Names stay on one line, and numbers can be read.

package wording

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"":                       `""`,
		"a.weight":               `"a.weight"`,
		"a\n\x1b[2J\u202e":       `"a\n\x1b[2J\u202e"`,
		strings.Repeat("x", 201): `"` + strings.Repeat("x", 100) + `"..."` + strings.Repeat("x", 100) + `" (201 bytes)`,
	} {
		if got := Quote(name); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// Two bytes each, and an odd offset: neither cut falls between characters.
	if got := Quote("x" + strings.Repeat("é", 200)); !utf8.ValidString(got) || strings.Contains(got, `\x`) {
		t.Errorf("%s: a character is cut in two", got)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1,000 bytes", -1000: "-1,000 bytes", -999: "-999 bytes",
		1901171712: "1,901,171,712 bytes", math.MaxInt64: "9,223,372,036,854,775,807 bytes",
	} {
		if got := Count(n, "byte"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
