// CSV and Markdown.

package encode

import (
	"bufio"
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Digits returns a number in decimal digits.
func Digits(n int64) string { return strconv.FormatInt(n, 10) }

// CSV writes one record as in RFC 4180, with a line feed as line end. Cells that begin like formulas are
// defused.
func CSV(w *csv.Writer, s typeset.Style, cells ...string) {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = Defused(cell)
	}
	Record(w, s, safe...)
}

// Record writes a record like CSV, with its cells unchanged.
func Record(w *csv.Writer, s typeset.Style, cells ...string) {
	for i := range cells {
		if s.Terminal() {
			cells[i] = typeset.Line(cells[i]) // a terminal would act on control characters
		}
	}
	_ = w.Write(cells) // w keeps its errors
}

// Defused prevents that a spreadsheet evaluates a cell: one that begins like a formula gets an
// apostrophe in front, as OWASP advises against CSV injection.
func Defused(cell string) string {
	if cell != "" && strings.IndexByte("=+-@\t\r", cell[0]) >= 0 {
		return "'" + cell
	}
	return cell
}

// MarkdownRow writes a row of a Markdown table. Its cells are not escaped.
func MarkdownRow(w *bufio.Writer, cells ...string) {
	w.WriteByte('|')
	for _, cell := range cells {
		w.WriteByte(' ')
		w.WriteString(cell)
		w.WriteString(" |")
	}
	w.WriteByte('\n')
}

// Markdown escapes text for Markdown, also within tables.
//
// GitHub turns addresses, users and issues into links. It finds users and issues in the rendered
// page, so neither a backslash nor an entity prevents it. An empty comment after the sign
// does, and is invisible.
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

// address reports whether the byte at i marks an address for GitHub: the colon of "://" or the dot
// after "www".
func address(s string, i int) bool {
	return strings.HasPrefix(s[i:], "://") || s[i] == '.' && strings.HasSuffix(s[:i], "www")
}

// within reports whether the byte at i is between letters or digits, where an underscore is not
// emphasis.
func within(s string, i int) bool {
	word := func(c byte) bool { return typeset.IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
	return i > 0 && i+1 < len(s) && word(s[i-1]) && word(s[i+1])
}
