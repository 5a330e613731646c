// Safe display of names.

package typeset

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// widths computes display widths. Unlike the package's default it does not depend on the locale,
// so output is reproducible.
var widths = runewidth.Condition{StrictEmojiNeutral: true}

// Name returns a name in the form for text.
//
// Control characters, changes of direction, invisible characters and unusual spaces are escaped as
// in JSON, and therefore the backslash is, too. A name is quoted if it is empty, begins or ends
// with a space, or begins with "::", which GitHub's runners take for a command at the start of a
// line.
func Name(s string) string {
	escaped := s
	if !isASCII(s) || strings.IndexByte(s, '\\') >= 0 {
		escaped = escapeAll(s, true)
	}
	if s == "" || s[0] == ' ' || s[0] == '"' || s[len(s)-1] == ' ' || strings.HasPrefix(s, "::") {
		return `"` + strings.ReplaceAll(escaped, `"`, `\"`) + `"`
	}
	return escaped
}

// Line returns a message as one line that is safe to print on a terminal. Unlike Name it keeps
// backslashes, which may belong to names that are escaped already.
func Line(s string) string {
	if isASCII(s) {
		return s
	}
	return escapeAll(s, false)
}

// isASCII reports whether s has only visible ASCII characters and spaces. Nearly every name has.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// escapeAll escapes invisible characters, and backslashes if asked to. An invalid byte becomes \x
// and two digits, which differs from all other escapes.
func escapeAll(s string, backslash bool) string {
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\' && backslash:
			b = append(b, `\\`...)
		case r == utf8.RuneError && n == 1:
			b = fmt.Appendf(b, `\x%02x`, s[i])
		default:
			b = appendRune(b, r)
		}
		i += n
	}
	return string(b)
}

// Shows reports whether r is visible, or a space.
//
// strconv.IsPrint accepts letters, marks, digits, punctuation, symbols and the space, which
// excludes changes of direction and other spaces. It accepts some characters of Unicode's
// Default_Ignorable_Code_Point; the two tables contain those.
func Shows(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r <= '~'
	}
	return strconv.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector) && !blank(r)
}

// blank reports whether r is a symbol with an empty glyph. Unicode has no property for that.
func blank(r rune) bool {
	switch r {
	case 0x2800, // Braille pattern without dots
		0x13441, 0x13442, // blank hieroglyphs
		0x1d159: // musical symbol null notehead
		return true
	}
	return false
}

// appendRune appends r, or its escape if r is invisible.
func appendRune(b []byte, r rune) []byte {
	switch {
	case Shows(r):
		return utf8.AppendRune(b, r)
	case r == '\n':
		return append(b, `\n`...)
	case r == '\t':
		return append(b, `\t`...)
	case r == '\r':
		return append(b, `\r`...)
	}
	return AppendEscape(b, r)
}

// AppendEscape appends r as a JSON escape, in UTF-16.
func AppendEscape(b []byte, r rune) []byte {
	for _, unit := range utf16.AppendRune(nil, r) {
		b = fmt.Appendf(b, `\u%04x`, unit)
	}
	return b
}

// Width returns the width of s on a terminal, in columns.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return widths.StringWidth(s)
}

// Label returns a path in the form for text; "-" is standard input.
func Label(path string) string {
	if path == "-" {
		return "standard input"
	}
	return Name(path)
}

// SomeOf lists at most five names, and the number of the others.
func SomeOf(names []string) string { return AtMost(5, names) }

// AtMost lists at most most names, and the number of the others.
func AtMost(most int, names []string) string {
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, Name(name))
	}
	if n := len(names) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %s more", Count(int64(n))))
	}
	return strings.Join(list, ", ")
}
