// Names as they are shown, and shortened.

package typeset

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"model.layers.0.weight", "model.layers.0.weight"},
		{"", `""`},
		{" a", `" a"`},
		{"a ", `"a "`},
		{`"a`, `"\"a"`},
		{`a"b`, `a"b`},
		{`a\b`, `a\\b`},
		{"a\nb\tc\rd", `a\nb\tc\rd`},
		{"\x1b[2J", `\u001b[2J`},
		{"\x00\x7f", `\u0000\u007f`},
		{"\u0085", `\u0085`},             // a line end, of those that few know
		{"rtl\u202etxt", `rtl\u202etxt`}, // U+202E turns direction
		{"\u2066\u200b\ufeff", `\u2066\u200b\ufeff`},
		{"a\u00a0b", `a\u00a0b`},       // a space that looks like ' '
		{"\U000e0041", `\udb40\udc41`}, // a tag, which nobody sees
		{"größe.模型.🦙", "größe.模型.🦙"},
		{"a\xffb", `a\xffb`}, // no UTF-8
		{"a\ufffdb", "a\ufffdb"},
	} {
		if got := Name(tt.name); got != tt.want {
			t.Errorf("Name(%q) = %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestLineKeepsBackslashes(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`tensor "a\\b"`, `tensor "a\\b"`},
		{"tensor \"a\\\\b\u202e\"", `tensor "a\\b\u202e"`},
		{"two\nlines", `two\nlines`},
	} {
		if got := Line(tt.line); got != tt.want {
			t.Errorf("Line(%q) = %s, want %s", tt.line, got, tt.want)
		}
	}
}

// Columns as terminals count them: two for what is called wide in Unicode's
// EastAsianWidth.txt, none for marks.
func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want int
	}{
		{"", 0}, {"abc", 3}, {"模型", 4}, {"🦙", 2}, {"é", 1}, {"e\u0301", 1}, {"…", 1}, {"│├─", 3}, {"×", 1},
	} {
		if got := Width(tt.s); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.s, got, tt.want)
		}
	}
}

func TestShortening(t *testing.T) {
	const name = "model.layers.0.mlp.up_proj.weight" // 33 columns
	for _, tt := range []struct {
		how  string
		got  string
		want string
	}{
		{"enough room", Middle(name, 33), name},
		{"middle", Middle(name, 11), "model…eight"},
		{"mostly the end", Tailed(name, 22), "model.l…up_proj.weight"},
		{"mostly the start", Headed(name, 22), "model.layers.0.…weight"},
		{"one column", Middle(name, 1), "…"},
		{"no column", Middle(name, 0), ""},
		{"less than none", Middle(name, -1), ""},
		{"wide characters do not fit by half", Middle("模型模型", 6), "模…型"},
		{"nothing fits", Middle("模型", 2), "…"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.how, tt.got, tt.want)
		}
	}
}

func TestShorteningKeepsToTheRoom(t *testing.T) {
	for _, s := range []string{strings.Repeat("a", 50), strings.Repeat("模", 50), strings.Repeat("e\u0301", 50), strings.Repeat("🦙a", 25)} {
		for most := range 60 {
			for _, got := range []string{Middle(s, most), Tailed(s, most), Headed(s, most)} {
				if Width(got) > most {
					t.Errorf("%.10q… in %d columns is %q, which takes %d", s, most, got, Width(got))
				}
			}
		}
	}
}
