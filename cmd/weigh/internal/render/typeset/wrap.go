// Prose: lines no longer than a terminal is wide.

package typeset

import (
	"bufio"
	"strings"
)

// Wrap writes text in the given colour, in lines of at most s.Width columns,
// each but the first indented, and a line end. The first begins where w is,
// which is taken to be at the indentation. Without a terminal it writes one
// line.
func Wrap(w *bufio.Writer, s Style, indent int, color, text string) {
	const least = 16 // columns: narrower, lines are left to the terminal
	if !s.Terminal() || s.Width-indent < least {
		w.WriteString(s.Paint(color, text) + "\n")
		return
	}
	room, used, begin := s.Width-indent, 0, 0
	for i := 0; i < len(text); {
		end := len(text)
		if space := strings.IndexByte(text[i:], ' '); space >= 0 {
			end = i + space
		}
		n := Width(text[i:end])
		if i > begin && used+1+n > room {
			w.WriteString(s.Paint(color, text[begin:i-1]) + "\n")
			Spaces(w, indent)
			begin, used = i, 0
		} else if i > begin {
			used++
		}
		// A word longer than a line, such as a name, is cut by the terminal as
		// it is: it may have to be copied.
		used += n
		i = end + 1
	}
	w.WriteString(s.Paint(color, text[begin:]) + "\n")
}
