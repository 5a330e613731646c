// Differences as text.

package compare

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/diff"
)

// A diffLine is a line of the table: one change, or several that differ only in the numbers of
// names.
type diffLine struct {
	kind   diff.Kind
	name   string
	detail string
	within bool
	values *diff.Values // nil if they were not compared
}

// diffColors maps kinds to colors. The default is yellow.
var diffColors = map[diff.Kind]string{diff.Removed: typeset.Red, diff.Added: typeset.Green}

// Text writes changes by kind, then metadata, then a summary line. On a
// terminal it combines equal changes of layers unless All is set.
func (d *Diff) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for _, table := range d.tables(s) {
			if table.N > 0 {
				table.Write(w, s)
				w.WriteByte('\n')
			}
		}
		if n := len(d.Changes) - len(d.shown()); n > 0 && d.By == "" {
			typeset.Wrap(w, s, 0, typeset.Dim, "… and "+typeset.Plural(int64(n), "more tensor")+"; --limit 0 lists all")
		}
		if len(d.Metadata) > 0 {
			w.WriteString(s.Paint(typeset.Bold, "METADATA") + "\n")
			listing.WriteKeyChanges(w, s, d.Metadata)
		}
		verdict, color := d.verdict()
		typeset.Wrap(w, s, 0, color, verdict)
	})
}

// tables returns the tables of the report: of tensors and, if values were compared, of components and layers.
func (d *Diff) tables(s typeset.Style) (list []*typeset.Table) {
	if d.By == "" {
		list = append(list, d.table(s))
	}
	if components := d.components(); d.By == "component" || d.By == "" && len(components) > 1 {
		list = append(list, rollupTable(components, "COMPONENT", s))
	}
	if layers := d.layers(); d.By == "layer" || d.By == "" && len(layers) > 1 {
		list = append(list, rollupTable(layers, "LAYER", s))
	}
	return list
}

// table returns the table of tensors.
func (d *Diff) table(s typeset.Style) *typeset.Table {
	lines := d.lines(s.Terminal() && !d.All && d.Sort == "")
	yields := func(n int) int {
		if d.Values {
			return n
		}
		return 0
	}
	columns := []typeset.Column{
		{Title: "WHAT", Yields: yields(2), Cell: func(i int) string { return string(lines[i].kind) }},
		{Title: "TENSOR", Distinct: true, Least: s.NameWidth(), Cut: typeset.Dotted,
			Cell: func(i int) string { return lines[i].name }},
	}
	if d.Values {
		columns = append(columns, valueColumns(func(i int) *diff.Values { return lines[i].values }, d.Unpacked)...)
	}
	columns = append(columns, typeset.Column{Title: "HOW", Least: 12, Yields: yields(1), Cut: typeset.Headed,
		Cell: func(i int) string { return lines[i].detail }})
	return &typeset.Table{N: len(lines), Columns: columns, Color: func(i int) string {
		if lines[i].within {
			return typeset.Dim
		}
		if color, ok := diffColors[lines[i].kind]; ok {
			return color
		}
		return typeset.Yellow
	}}
}

// lines returns the lines of the table, by kind and name, or the largest change first.
func (d *Diff) lines(fold bool) (lines []diffLine) {
	shown := d.shown()
	if d.Sort == "change" {
		for i := range shown {
			lines = append(lines, shown[i].line(shown[i].label(), shown[i].target()))
		}
		return lines
	}
	for _, kind := range diffKinds {
		var list []DiffChange
		for _, c := range shown {
			if c.Kind == kind {
				list = append(list, c)
			}
		}
		slices.SortStableFunc(list, func(a, b DiffChange) int { return typeset.CompareNames(a.label(), b.label()) })
		if fold {
			lines = append(lines, foldChanges(list)...)
			continue
		}
		for i := range list {
			lines = append(lines, list[i].line(list[i].label(), list[i].target()))
		}
	}
	return lines
}

// label returns the name with its part.
func (c *DiffChange) label() string {
	return labelOf(c.Part, c.Name)
}

// labelOf returns a name with the part that it is in.
func labelOf(part, name string) string {
	if part != "" {
		return part + ": " + name
	}
	return name
}

// target returns the new name of a renamed tensor.
func (c *DiffChange) target() string {
	if c.Kind != diff.Renamed {
		return ""
	}
	return c.B.Name
}

// foldChanges combines changes of one kind whose names differ only in numbers.
func foldChanges(list []DiffChange) (lines []diffLine) {
	type alike struct {
		detail, to string
		values     diff.Values
	}
	groups := make(map[alike][]listing.Row)
	var order []alike
	first := make(map[alike]*DiffChange)
	for i := range list {
		c := &list[i]
		to, _ := listing.Numbered(c.target())
		key := alike{detail: c.how(), to: to}
		if c.Values != nil {
			key.values = *c.Values
		}
		if groups[key] == nil {
			order, first[key] = append(order, key), c
		}
		groups[key] = append(groups[key], listing.Row{
			TensorInfo: &safetensors.TensorInfo{Name: c.label(), Shape: []int64{}}, File: len(groups[key])})
	}
	for _, key := range order {
		rows := groups[key]
		for _, f := range listing.Fold(rows) {
			to := first[key].target()
			if f.Count > 1 {
				to = strings.ReplaceAll(key.to, "\x00", "…")
			}
			line := first[key].line(f.Name, to)
			if f.Count > 1 {
				line.detail += "  × " + typeset.Count(int64(f.Count))
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// line returns the line of a change under a name, which may cover several.
func (c *DiffChange) line(name, to string) diffLine {
	l := diffLine{kind: c.Kind, name: typeset.Name(name), detail: c.how(), within: c.Within(), values: c.Values}
	if to != "" {
		l.detail = "to " + typeset.Name(to) + ", " + l.detail
	}
	return l
}

// how describes the change.
func (c *DiffChange) how() string {
	side := func(ti *safetensors.TensorInfo) string { return listing.DtypeOf(ti.Dtype) + " " + listing.ShapeOf(ti) }
	var parts []string
	switch c.Kind {
	case diff.Removed, diff.Renamed:
		parts = append(parts, side(c.A))
	case diff.Added:
		parts = append(parts, side(c.B))
	case diff.Reshaped, diff.Retyped:
		a, b := side(c.A), side(c.B)
		if c.A.Dtype == c.B.Dtype {
			a, b = listing.ShapeOf(c.A), listing.ShapeOf(c.B)
		} else if c.Kind == diff.Retyped {
			a, b = listing.DtypeOf(c.A.Dtype), listing.DtypeOf(c.B.Dtype)
		}
		parts = append(parts, a+" → "+b)
		if c.SameBytes {
			parts = append(parts, "the same bytes")
		}
	case diff.Changed:
		parts = append(parts, side(c.A))
	}
	if c.Values != nil {
		parts = append(parts, c.distance())
	}
	return strings.Join(parts, ", ")
}

// distance describes the distance between values.
func (c *DiffChange) distance() string {
	v := c.Values
	if v.Differ == 0 {
		return "all values equal"
	}
	text := "of " + typeset.Plural(v.Count, "value")
	if v.At >= 0 {
		at := safetensors.TensorInfo{Shape: indexOf(c.A, v.At)}
		text += ", most at " + at.ShapeString()
	}
	if v.MaxRelative > 0 {
		text += fmt.Sprintf(", relative difference up to %s", roundedDistance(v.MaxRelative, 3))
	}
	if v.Odd > 0 {
		text += fmt.Sprintf("; %s NaN or infinite in only one", typeset.Count(v.Odd))
	}
	if v.Beyond == 0 {
		text += "; within the tolerance"
	} else if v.Beyond < v.Differ {
		text += fmt.Sprintf("; %s beyond the tolerance", typeset.Count(v.Beyond))
	}
	return text
}

// tolerant reports whether a tolerance made a difference.
func (d *Diff) tolerant() bool {
	return slices.ContainsFunc(d.Changes, func(c DiffChange) bool { return c.Within() && c.Values.Differ > 0 })
}

// verdict returns the summary line and its color.
func (d *Diff) verdict() (text, color string) {
	kinds, within := d.counts()
	var parts []string
	for _, k := range diffKinds {
		if kinds[k] > 0 {
			parts = append(parts, typeset.Count(int64(kinds[k]))+" "+string(k))
		}
	}
	near, beyond := "within the tolerance", "beyond the tolerance"
	if !d.tolerant() {
		near, beyond = "with equal values", "in values"
	}
	if within > 0 {
		parts = []string{fmt.Sprintf("%s (%s %s)", strings.Join(parts, ", "), typeset.Count(int64(within)), near)}
	}
	if n := len(d.Metadata); n > 0 {
		parts = append(parts, typeset.Plural(int64(n), "metadata key"))
	}
	text = strings.Join(parts, ", ")
	text, color = "different: "+text, typeset.Yellow
	switch {
	case len(parts) == 0:
		text, color = "no difference", typeset.Green
	case !d.Different():
		text, color = "no difference "+beyond+": "+strings.TrimPrefix(text, "different: "), typeset.Green
	}
	text += "; " + typeset.Plural(int64(d.equal()), "tensor") + " equal"
	switch {
	case d.HeadersOnly:
		text += " by name, dtype and shape; bytes were not compared"
	case !d.Values && len(d.Changes) > 0:
		text += "; values were not compared"
	}
	return text, color
}
