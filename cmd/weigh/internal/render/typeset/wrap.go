// Wrapped lines.

package typeset

import (
	"bufio"
	"iter"
	"strings"
)

// Wrap writes text in lines of at most s.Width columns, followed by a newline. All lines but the
// first are indented; the first begins at the current position, which must be the indentation.
// Without a terminal it writes one line.
func Wrap(w *bufio.Writer, s Style, indent int, color, text string) {
	const least = 16 // columns; below that, the terminal wraps
	if !s.Terminal() || s.Width-indent < least {
		w.WriteString(s.Paint(color, text) + "\n")
		return
	}
	first := true
	for line := range Lines(text, s.Width-indent) {
		if !first {
			Spaces(w, indent)
		}
		first = false
		w.WriteString(s.Paint(color, line) + "\n")
	}
}

// Entry writes a label, and in the same line, from a column on, a wrapped text.
func Entry(w *bufio.Writer, s Style, indent, column int, color, label, text string) {
	Spaces(w, indent)
	w.WriteString(s.Paint(color, label))
	Spaces(w, max(column-indent-Width(label), 1))
	Wrap(w, s, column, "", text)
}

// Lines yields text in lines of at most room columns, broken at spaces. A word that is longer than a
// line is not cut, so names can be copied.
func Lines(text string, room int) iter.Seq[string] {
	return func(yield func(string) bool) {
		used, begin := 0, 0
		for i := 0; i < len(text); {
			end := len(text)
			if space := strings.IndexByte(text[i:], ' '); space >= 0 {
				end = i + space
			}
			n := Width(text[i:end])
			if i > begin && used+1+n > room {
				if !yield(text[begin : i-1]) {
					return
				}
				begin, used = i, 0
			} else if i > begin {
				used++
			}
			used += n
			i = end + 1
		}
		yield(text[begin:])
	}
}
