// Terminal detection.

package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A terminal describes the terminal that output goes to. It is zero for a pipe or a file.
type terminal struct {
	width  int  // in columns; 0 if not a terminal
	colors bool // supports colors
}

// TestTerminal is an undocumented environment variable for tests: its value is the width of a
// simulated terminal.
const TestTerminal = "WEIGH_TEST_TTY"

// terminalOf describes w.
func terminalOf(w io.Writer, env func(string) string) terminal {
	if width := positive(env(TestTerminal)); width > 0 {
		return terminal{width: width, colors: true}
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	const usual = 80 // columns, if unknown
	t := terminal{width: positive(env("COLUMNS")), colors: enableColors(f)}
	if t.width == 0 {
		t.width, _, _ = term.GetSize(int(f.Fd()))
	}
	if t.width <= 0 {
		t.width = usual
	}
	return t
}

// piped reports whether r is a pipe or a regular file, which, unlike a terminal or /dev/null, is
// meant to be read.
func piped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// positive parses s as a positive number; it returns 0 if that fails.
func positive(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Style returns the style of standard output. It honors NO_COLOR (no-color.org) and TERM=dumb.
func (s *Session) Style() typeset.Style { return s.styleOn(s.terminal) }

// styleOn returns the style for a terminal.
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
