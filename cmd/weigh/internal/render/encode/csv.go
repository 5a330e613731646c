// Cells for spreadsheets and for Markdown, which act on some of what they read.

package encode

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Digits returns a number as programs read it.
func Digits(n int64) string { return strconv.FormatInt(n, 10) }

// CSV writes one record as RFC 4180 has it, but for the line end, which is
// that of the other output.
func CSV(w *bufio.Writer, s typeset.Style, cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			w.WriteByte(',')
		}
		cell = defused(cell)
		if s.Terminal() {
			cell = typeset.Line(cell) // a file has the name as it is; a terminal would act on it
		}
		if strings.ContainsAny(cell, ",\"\r\n") || cell != "" && (cell[0] == ' ' || cell[len(cell)-1] == ' ') {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		w.WriteString(cell)
	}
	w.WriteByte('\n')
}

// defused returns a cell that a spreadsheet takes for text. One that begins like
// a formula is preceded by an apostrophe, as the guidance of OWASP on "CSV
// injection" has it.
func defused(cell string) string {
	if cell != "" && strings.IndexByte("=+-@\t\r", cell[0]) >= 0 {
		return "'" + cell
	}
	return cell
}

// MarkdownRow writes one row of a table. Cells are Markdown already.
func MarkdownRow(w *bufio.Writer, cells ...string) {
	w.WriteByte('|')
	for _, cell := range cells {
		w.WriteByte(' ')
		w.WriteString(cell)
		w.WriteString(" |")
	}
	w.WriteByte('\n')
}

// Markdown returns text that stands for itself in Markdown, in a table too.
//
// GitHub makes links of what looks like an address, a user or an issue. The
// latter two it looks for in the page and not in the text, so that neither a
// backslash nor an entity hides them; an empty comment after the sign does, and
// nobody who copies the name gets to see it.
func Markdown(text string) string {
	text = typeset.Name(text)
	if !strings.ContainsAny(text, "\\`*_[]<&|~$@#:") && !strings.Contains(text, "www.") {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case r == '@' || r == '#':
			b.WriteRune(r)
			b.WriteString("<!-- -->")
			continue
		case strings.ContainsRune("\\`*[]|~$", r), r == '_' && !within(text, i), address(text, i):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// address says whether the byte at i is the one by which GitHub knows an
// address: the colon before two slashes, or the dot after "www".
func address(s string, i int) bool {
	return strings.HasPrefix(s[i:], "://") || s[i] == '.' && strings.HasSuffix(s[:i], "www")
}

// within says whether the byte at i stands between letters or digits, where an
// underscore is no emphasis. Nearly all names have such.
func within(s string, i int) bool {
	word := func(c byte) bool { return typeset.IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
	return i > 0 && i+1 < len(s) && word(s[i-1]) && word(s[i+1])
}
