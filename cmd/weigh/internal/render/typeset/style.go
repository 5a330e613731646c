// Colors and widths.

// Package typeset lays out text for terminals and pipes: tables, wrapped lines, names and numbers.
//
// Names in files are not trusted: they are escaped where a terminal would act on them. Tables are
// written row by row and never held in memory.
package typeset

import (
	"bufio"
	"io"
)

// A Style says how text looks. The zero Style is for pipes: complete, without color, and
// reproducible.
type Style struct {
	// Width is the terminal's width in columns. 0 means that the output is not a terminal and
	// nothing is shortened.
	Width int

	// Color enables colors.
	Color bool
}

// Terminal reports whether the output is a terminal.
func (s Style) Terminal() bool { return s.Width > 0 }

// Fit shortens text to the width of the terminal by leaving out its middle.
func (s Style) Fit(text string) string {
	if !s.Terminal() {
		return text
	}
	return Middle(text, s.Width)
}

// NameWidth is the width that a column of names keeps at least.
func (s Style) NameWidth() int { return max(18, s.Width*3/8) }

// Colors, as parameters of the escape sequence SGR (select graphic rendition). They belong to the
// terminal's palette, which its user has chosen to be readable.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// Paint returns text in the given color if colors are enabled.
func (s Style) Paint(color, text string) string {
	if !s.Color || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Buffered calls write with a buffered writer for w. A bufio.Writer keeps its first error and
// ignores later writes, so write need not check errors.
func Buffered(w io.Writer, write func(*bufio.Writer)) error {
	const size = 64 << 10 // bytes
	b := bufio.NewWriterSize(w, size)
	write(b)
	return b.Flush()
}
