// The terminal, if there is one: how wide it is, and whether it shows colours.

package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A terminal is what the output goes to. The zero terminal is a pipe or a file.
type terminal struct {
	width  int  // in columns; 0 if it is none
	colors bool // whether it shows them
}

// TestTerminal is the environment variable by which tests make the program
// believe in a terminal: its value is the width. It is not documented.
const TestTerminal = "WEIGH_TEST_TTY"

// terminalOf returns what w is.
func terminalOf(w io.Writer, env func(string) string) terminal {
	if width := positive(env(TestTerminal)); width > 0 {
		return terminal{width: width, colors: true}
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	const usual = 80 // columns, where neither the user nor the system knows
	t := terminal{width: positive(env("COLUMNS")), colors: enableColors(f)}
	if t.width == 0 {
		t.width, _, _ = term.GetSize(int(f.Fd()))
	}
	if t.width <= 0 {
		t.width = usual
	}
	return t
}

// piped says whether r is a pipe or a file, as in "curl … | weigh": there is
// something to read then, which a terminal and /dev/null do not promise.
func piped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// positive returns the positive number that s is, or 0.
func positive(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Style returns how text is to look on standard output. NO_COLOR is the
// convention of no-color.org, TERM=dumb that of older programs.
func (s *Session) Style() typeset.Style { return s.styleOn(s.terminal) }

// styleOn returns how text is to look on a terminal, or on what is none.
func (s *Session) styleOn(t terminal) typeset.Style {
	style := typeset.Style{Width: t.width}
	switch s.color {
	case "always":
		style.Color = true
	case "auto":
		style.Color = style.Terminal() && t.colors && s.env("NO_COLOR") == "" && s.env("TERM") != "dumb"
	}
	return style
}
