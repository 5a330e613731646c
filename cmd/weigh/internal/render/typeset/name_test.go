// Names as they are shown, and shortened.

package typeset

import "testing"

func TestName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"model.layers.0.weight", "model.layers.0.weight"},
		{"", `""`},
		{" a", `" a"`},
		{"::add-mask::a", `"::add-mask::a"`},
		{"a::b", "a::b"},
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
		// Letters, marks and symbols that are blank, by the code charts.
		{"\u3164\u115f\u1160\u2800", `\u3164\u115f\u1160\u2800`},
		{"\uffa0\u17b4\U0001d159\U00013441", `\uffa0\u17b4\ud834\udd59\ud80d\udc41`},
		{"a\ufe0f\u034f\U000e0100", `a\ufe0f\u034f\udb40\udd00`}, // variations and a joiner of marks
		{"\u00ad\u200b\u200f\u2060\u206f\u180e\ufff0", `\u00ad\u200b\u200f\u2060\u206f\u180e\ufff0`},
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
