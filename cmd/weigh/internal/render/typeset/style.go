// The package, and how text is to look.

// Package typeset lays out text for terminals and for pipes: tables, wrapped
// lines, names made safe, numbers made readable.
//
// Names come from strangers, and are escaped where a terminal would act on them
// or show something else. Tables are written row by row and never held, and no
// table is padded to the width of a name that is longer than any honest one.
package typeset

import (
	"bufio"
	"io"
)

// A Style is how text is to look. The zero Style is that of a pipe: complete,
// uncoloured, and the same on every machine.
type Style struct {
	// Width is the terminal's width in columns. 0 means that there is no
	// terminal, and that nothing is to be shortened.
	Width int

	// Color says whether to use colours.
	Color bool
}

// Terminal says whether the text is for a person who sees it now.
func (s Style) Terminal() bool { return s.Width > 0 }

// Fit returns text in no more columns than a line has, by leaving out its
// middle. Without a terminal it returns all of it.
func (s Style) Fit(text string) string {
	if !s.Terminal() {
		return text
	}
	return Middle(text, s.Width)
}

// NameWidth is the width that a column of names keeps, whatever else has to go.
func (s Style) NameWidth() int { return max(18, s.Width*3/8) }

// The colours in use, as parameters of SGR, the escape sequence "select graphic
// rendition". They are those of the terminal's own palette, which its user
// chose to be readable.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// Paint returns s in the given colour, or as it is.
func (s Style) Paint(color, text string) string {
	if !s.Color || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Buffered calls write with a buffer before w. A bufio.Writer keeps its first
// error and ignores all writes after it, so write need not look at any.
func Buffered(w io.Writer, write func(*bufio.Writer)) error {
	const size = 64 << 10 // bytes: tables have many short cells
	b := bufio.NewWriterSize(w, size)
	write(b)
	return b.Flush()
}
