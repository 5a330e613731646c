// Names out of files, made fit to be shown.

package typeset

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// widths says how many columns a character takes. It is not the package's
// default, which depends on the locale: the same bytes are due on every run.
var widths = runewidth.Condition{StrictEmojiNeutral: true}

// Name returns a name out of a file as it may be shown in a line of text.
//
// What does not show, or shows as something else, is escaped as in JSON:
// controls, changes of direction, spaces other than ' ', what looks like one or
// like nothing, and for the sake of these escapes the backslash. A name is quoted that is
// empty, has a space at either end, or begins with "::": at the start of a line of a log,
// GitHub's runners would take that for a command.
func Name(s string) string {
	if plain(s) {
		return s
	}
	escaped := escape(s)
	if !bare(s) {
		return `"` + strings.ReplaceAll(escaped, `"`, `\"`) + `"`
	}
	return escaped
}

// Line returns a text that has names in it, such as a message, as one line in
// which nothing is left that a terminal would act on. Unlike Name it takes
// backslashes for those of escapes that were made before.
func Line(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return escapeAll(s, false)
		}
	}
	return s
}

// plain says whether s shows as it is. Nearly every name does.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == '\\' {
			return false
		}
	}
	return bare(s)
}

// bare says whether the ends of s need no quotes.
func bare(s string) bool {
	return s != "" && s[0] != ' ' && s[0] != '"' && s[len(s)-1] != ' ' && !strings.HasPrefix(s, "::")
}

// escape escapes what does not show, and backslashes.
func escape(s string) string { return escapeAll(s, true) }

// escapeAll escapes what does not show, and backslashes if asked to. A byte that
// is no UTF-8 becomes \x and two digits: that cannot be one of the other escapes.
func escapeAll(s string, backslash bool) string {
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\' && backslash:
			b = append(b, `\\`...)
		case r == utf8.RuneError && n == 1:
			b = append(b, `\x`...)
			b = appendHex(b, rune(s[i]), 2)
		default:
			b = appendRune(b, r)
		}
		i += n
	}
	return string(b)
}

// Shows says whether a reader can see r, or r is ' '.
//
// strconv.IsPrint is true for letters, marks, digits, punctuation, symbols and
// ' ' alone: that excludes what changes direction, and all spaces but one. Some
// letters and marks are there to be ignored all the same: in Unicode, those of
// Default_Ignorable_Code_Point, of which the two tables are what IsPrint leaves.
func Shows(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r <= '~'
	}
	return strconv.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !blank(r)
}

// blank says whether r is a symbol whose image is empty, by the code charts:
// Unicode has no property for that.
func blank(r rune) bool {
	switch r {
	case 0x2800, // the Braille pattern without dots
		0x13441, 0x13442, // hieroglyphs of blank room
		0x1d159: // a note without a head
		return true
	}
	return false
}

// appendRune appends r, or the escape of an r that does not show.
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

// AppendEscape appends r as JSON escapes it: in UTF-16.
func AppendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		b = append(b, `\u`...)
		b = appendHex(b, 0xd800+r>>10, 4)
		r = 0xdc00 + r&0x3ff
	}
	b = append(b, `\u`...)
	return appendHex(b, r, 4)
}

// appendHex appends r in the given number of hexadecimal digits.
func appendHex(b []byte, r rune, digits int) []byte {
	const hex = "0123456789abcdef"
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, hex[r>>shift&15])
	}
	return b
}

// Width returns the number of columns that s takes on a terminal.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return widths.StringWidth(s)
		}
	}
	return len(s)
}

// Label returns a path as text has it. The path "-" is not one.
func Label(path string) string {
	if path == "-" {
		return "standard input"
	}
	return Name(path)
}

// SomeOf lists names, but for those past the fifth, which it counts.
func SomeOf(names []string) string {
	const most = 5
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, Name(name))
	}
	if n := len(names) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %s more", Count(int64(n))))
	}
	return strings.Join(list, ", ")
}
