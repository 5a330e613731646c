// Histograms as text and SVG.

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

// A Plot selects how histograms are drawn.
type Plot struct {
	// Log selects a logarithmic scale, which makes single values visible among millions.
	Log bool

	Text bool // draw into the table
}

// height returns the height of a bar from 0 to 1. It is positive for positive counts.
func (p *Plot) height(count, most int64) float64 {
	switch {
	case count == 0:
		return 0
	case p.Log:
		return math.Log1p(float64(count)) / math.Log1p(float64(most))
	}
	return float64(count) / float64(most)
}

// blocks are eighths of a line.
var blocks = []rune(" ▁▂▃▄▅▆▇█")

// write draws a histogram in text with its range below, and an empty line if more follows.
// Positive counts are at least an eighth of a line high.
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

// caption explains the highest bar.
func (p *Plot) caption(most int64) string {
	text := typeset.Plural(most, "number") + " in the highest bar"
	if p.Log {
		text += ", logarithmic scale"
	}
	return text
}

// fewer sums up adjacent counts until they fit into room bars. A room of 0 or less has no limit.
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

// Sizes in the SVG, in user units.
const (
	svgWidth  = 640
	svgPanel  = 180 // of one tensor
	svgMargin = 20
	svgBars   = 100 // of the highest bar
)

// SVG writes one panel for each tensor. The file has no scripts, fonts or references, and follows
// the reader's color scheme.
func (st *Stats) SVG(w io.Writer, _ typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n",
			svgWidth, max(len(st.Rows), 1)*svgPanel)
		w.WriteString("<style>text{fill:#222}path{fill:#2a78b5}rect{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}rect{fill:#111}}</style>\n")
		w.WriteString(`<rect width="100%" height="100%"/>` + "\n")
		for i := range st.Rows {
			st.Plot.panel(w, &st.Rows[i], i*svgPanel)
		}
		w.WriteString("</svg>\n")
	})
}

// panel writes the panel of a tensor at y: name, bars, range and statistics.
func (p *Plot) panel(w *bufio.Writer, r *StatsRow, y int) {
	s := r.Summary
	text := func(x, y int, anchor, what string) {
		fmt.Fprintf(w, `<text x="%d" y="%d"%s>`, x, y, anchor)
		// Names are not trusted. The writer keeps its errors.
		_ = xml.EscapeText(w, []byte(what))
		w.WriteString("</text>\n")
	}
	const atEnd = ` text-anchor="end"`
	const longest = 80 // columns
	text(svgMargin, y+20, "", typeset.Dotted(typeset.Name(r.Name), longest)+"  "+typeset.Name(string(r.Dtype))+" "+
		typeset.Middle(r.ShapeString(), 24))
	base := y + 30 + svgBars
	if counts := s.Histogram.Counts; len(counts) > 0 {
		w.WriteString(`<path d="`)
		most := slices.Max(counts)
		width := float64(svgWidth-2*svgMargin) / float64(len(counts))
		for i, n := range counts {
			if n > 0 {
				fmt.Fprintf(w, "M%.2f %dv%.2fh%.2fV%dz", svgMargin+float64(float64(i)*width), base,
					-max(float64(p.height(n, most)*svgBars), 0.5), max(float64(width*0.92), 0.1), base)
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
