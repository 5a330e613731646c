// The package, and how a value is to look.

// Package render is what the program has to say: a value for each thing that is
// said, with its text and its JSON.
//
// Both forms are made of one value, so that they cannot disagree. Nothing here
// opens a file or knows of a terminal: values are made of what other packages
// found, and a [Style] says how wide and how colourful their text may be.
//
// Whatever comes out of a file is hostile. Names reach the text through [Name]
// or one of its kin, which leave nothing in them that a terminal would act on,
// and no table is padded to the width of a name that is longer than any honest
// one.
package render

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

// The colours in use, as parameters of SGR, the escape sequence "select graphic
// rendition". They are those of the terminal's own palette, which its user
// chose to be readable.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// paint returns s in the given colour, or as it is.
func (s Style) paint(color, text string) string {
	if !s.Color || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// buffered calls write with a buffer before w. A bufio.Writer keeps its first
// error and ignores all writes after it, so write need not look at any.
func buffered(w io.Writer, write func(*bufio.Writer)) error {
	const size = 64 << 10 // bytes: tables have many short cells
	b := bufio.NewWriterSize(w, size)
	write(b)
	return b.Flush()
}
