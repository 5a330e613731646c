// Histograms, drawn: in the terminal, and as SVG.

package values

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/stats"
)

// A Plot says how histograms are drawn.
type Plot struct {
	// Log makes the height of a bar that of the logarithm of its count, so that
	// a single number far out can be seen beside millions.
	Log bool
}

// height returns how high the bar of a count is, from 0 to 1, where the largest
// count is most. One that is not 0 is never of no height.
func (p *Plot) height(count, most int64) float64 {
	switch {
	case count == 0:
		return 0
	case p.Log:
		return math.Log1p(float64(count)) / math.Log1p(float64(most))
	}
	return float64(count) / float64(most)
}

// blocks are a column's eighths, from none to all.
var blocks = []rune(" ▁▂▃▄▅▆▇█")

// write draws a histogram in lines of text, and under it where it begins and
// ends, and an empty line if more follows. Counts that are not zero show at least
// an eighth of a line.
func (p *Plot) write(w *bufio.Writer, s typeset.Style, sum *stats.Summary, more bool) {
	const rows, eighths, indent = 6, 8, "  "
	counts := fewer(sum.Histogram.Counts, s.Width-2*len(indent))
	if len(counts) == 0 {
		return
	}
	most := slices.Max(counts)
	filled := make([]int, len(counts))
	for i, n := range counts {
		filled[i] = int(math.Round(p.height(n, most) * rows * eighths))
		if n > 0 {
			filled[i] = max(filled[i], 1)
		}
	}
	for row := rows - 1; row >= 0; row-- {
		var line strings.Builder
		for _, n := range filled {
			line.WriteRune(blocks[min(max(n-row*eighths, 0), eighths)])
		}
		w.WriteString(indent + s.Paint(typeset.Cyan, strings.TrimRight(line.String(), " ")) + "\n")
	}
	left, right := inDigits(sum.Min, 6), inDigits(sum.Max, 6)
	w.WriteString(indent + left)
	typeset.Spaces(w, max(len(counts)-len(left)-len(right), 1))
	w.WriteString(right + "\n" + indent + s.Paint(typeset.Dim, p.caption(most)) + "\n")
	if more {
		w.WriteByte('\n')
	}
}

// caption says what the highest bar stands for.
func (p *Plot) caption(most int64) string {
	text := typeset.Plural(most, "number") + " in the highest bar"
	if p.Log {
		text += ", heights by logarithm"
	}
	return text
}

// fewer returns counts in at most so many bars, each the sum of as many; the last
// may be of fewer. A room of 0 or less is that of no terminal: all fit.
func fewer(counts []int64, room int) []int64 {
	if room <= 0 || len(counts) <= room {
		return counts
	}
	each := (len(counts) + room - 1) / room
	var sums []int64
	for group := range slices.Chunk(counts, each) {
		var sum int64
		for _, n := range group {
			sum += n
		}
		sums = append(sums, sum)
	}
	return sums
}

// The measures of an SVG, in its user units, which are pixels as a rule.
const (
	svgWidth  = 640
	svgPanel  = 180 // of one tensor, with its name and its numbers
	svgMargin = 20
	svgBars   = 100 // of the highest bar
)

// SVG writes one panel for each tensor, one below the other. The file is whole in
// itself: no script, no font, no reference to anything. Colours are those of the
// page around it, or of a dark one if the reader's is dark.
func (st *Stats) SVG(w io.Writer, p *Plot) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n",
			svgWidth, max(len(st.Rows), 1)*svgPanel)
		w.WriteString("<style>text{fill:#222}path{fill:#2a78b5}rect{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}rect{fill:#111}}</style>\n")
		w.WriteString(`<rect width="100%" height="100%"/>` + "\n")
		for i := range st.Rows {
			p.panel(w, &st.Rows[i], i*svgPanel)
		}
		w.WriteString("</svg>\n")
	})
}

// panel writes what there is of one tensor, from y on: its name, its bars as one
// path, the ends of their range, and its numbers.
func (p *Plot) panel(w *bufio.Writer, r *StatsRow, y int) {
	s := r.Summary
	text := func(x, y int, anchor, what string) {
		fmt.Fprintf(w, `<text x="%d" y="%d"%s>`, x, y, anchor)
		// Names come from strangers. The writer keeps its own errors.
		_ = xml.EscapeText(w, []byte(what))
		w.WriteString("</text>\n")
	}
	const atEnd = ` text-anchor="end"`
	const longest = 80 // columns of a name
	text(svgMargin, y+20, "", typeset.Dotted(typeset.Name(r.Name), longest)+"  "+typeset.Name(string(r.Dtype))+" "+typeset.Middle(r.ShapeString(), 24))
	base := y + 30 + svgBars
	if counts := s.Histogram.Counts; len(counts) > 0 {
		w.WriteString(`<path d="`)
		most := slices.Max(counts)
		width := float64(svgWidth-2*svgMargin) / float64(len(counts))
		for i, n := range counts {
			if n > 0 {
				fmt.Fprintf(w, "M%.2f %dv%.2fh%.2fV%dz", svgMargin+float64(float64(i)*width), base, -max(float64(p.height(n, most)*svgBars), 0.5), max(float64(width*0.92), 0.1), base)
			}
		}
		w.WriteString("\"/>\n")
		text(svgMargin, base+15, "", inDigits(s.Min, 6))
		text(svgWidth-svgMargin, base+15, atEnd, inDigits(s.Max, 6))
		text(svgWidth-svgMargin, base+32, atEnd, p.caption(most))
	}
	line := fmt.Sprintf("mean %s, std %s, %s", Rounded(s.Mean, 6), Rounded(s.StdDev, 6), typeset.Plural(s.Zero, "zero"))
	if flags := s.Flags(); len(flags) > 0 {
		line += "; " + flagList(flags, ", ")
	}
	text(svgMargin, base+32, "", line)
}
