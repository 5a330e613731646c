// Wrapping of help text.

package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Reflow wraps text to at most width columns and ends it with a newline. Unindented lines up to an
// empty line are one paragraph. Indented lines are rows of a list, such as "  invalid   no reader
// accepts it": their second column is wrapped in place.
func Reflow(text string, width int) string {
	var b, paragraph strings.Builder
	flush := func() {
		if paragraph.Len() > 0 {
			b.WriteString(hang(paragraph.String(), 0, width) + "\n")
			paragraph.Reset()
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			flush()
			b.WriteByte('\n')
		case strings.HasPrefix(line, "  "):
			flush()
			head, tail := columns(line)
			row(&b, head, tail, width)
		default:
			paragraph.WriteString(line + " ")
		}
	}
	flush()
	return b.String()
}

// columns splits a row of a list into its first column, with the spaces after it, and the rest.
func columns(line string) (head, tail string) {
	start := len(line) - len(strings.TrimLeft(line, " "))
	end := strings.Index(line[start:], "  ")
	if end < 0 {
		return line[:start], line[start:]
	}
	end += start
	end += len(line[end:]) - len(strings.TrimLeft(line[end:], " "))
	return line[:end], line[end:]
}

// row writes a row of a list. If the second column is too narrow next to the first, it goes below.
func row(b *strings.Builder, head, tail string, width int) {
	const least, deeper = 24, 8 // columns
	indent := utf8.RuneCountInString(head)
	if width-indent < least && utf8.RuneCountInString(head+tail) > width && strings.TrimSpace(head) != "" {
		b.WriteString(strings.TrimRight(head, " ") + "\n" + strings.Repeat(" ", deeper) + hang(tail, deeper, width) + "\n")
		return
	}
	b.WriteString(head + hang(tail, indent, width) + "\n")
}

// hang wraps text to at most width columns. All lines but the first are indented; the first begins at
// the current position.
func hang(text string, indent, width int) string {
	lines := typeset.Lines(strings.Join(strings.Fields(text), " "), width-indent)
	return strings.Join(slices.Collect(lines), "\n"+strings.Repeat(" ", indent))
}
