// Differences as CSV, and the columns that show distances.

package compare

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/diff"
)

// valueColumns returns the columns that show how far values are apart. They are what --values asks for, so a narrow
// terminal leaves out other columns first. Rows without values have empty cells. Nmse adds the error of packed weights.
func valueColumns(of func(i int) *diff.Values, nmse bool) []typeset.Column {
	column := func(title string, long, short func(v *diff.Values) string) typeset.Column {
		cell := func(text func(*diff.Values) string) func(int) string {
			return func(i int) string {
				if v := of(i); v != nil {
					return text(v)
				}
				return ""
			}
		}
		return typeset.Column{Title: title, Right: true, Cell: cell(long), Short: cell(short)}
	}
	rounded := func(digits int, number func(*diff.Values) float64) func(*diff.Values) string {
		return func(v *diff.Values) string { return roundedDistance(number(v), digits) }
	}
	delta := func(v *diff.Values) float64 { return v.MaxDelta }
	relative := func(v *diff.Values) float64 { return v.Sums.RelativeL2() }
	cosine := func(v *diff.Values) float64 { return v.Sums.Cosine() }
	columns := []typeset.Column{
		column("DIFFER", func(v *diff.Values) string { return typeset.Count(v.Differ) },
			func(v *diff.Values) string { return typeset.Short(v.Differ) }),
		column("MAX DIFF", func(v *diff.Values) string {
			if exact(v) {
				return strconv.FormatUint(v.MaxInteger, 10)
			}
			return roundedDistance(v.MaxDelta, 6)
		}, rounded(3, delta)),
		column("REL L2", rounded(6, relative), rounded(3, relative)),
		column("COSINE", rounded(8, cosine), rounded(3, cosine)),
	}
	if nmse {
		square := func(v *diff.Values) float64 { return relative(v) * relative(v) }
		columns = append(columns, column("NMSE", rounded(6, square), rounded(3, square)))
	}
	return columns
}

// roundedDistance formats a distance, or "-" if it is not defined.
func roundedDistance(x float64, digits int) string {
	if math.IsInf(x, 0) {
		return "inf"
	}
	return values.Rounded(x, digits)
}

// valueTitles are the titles of valueCells.
var valueTitles = []string{"count", "differ", "beyond", "odd", "max_delta", "max_relative", "relative_l2", "cosine"}

// valueCells returns distances for CSV. Unknown numbers are empty cells.
func valueCells(v *diff.Values) []string {
	if v == nil {
		return make([]string, len(valueTitles))
	}
	var cells []string
	d := distancesOf(v)
	for _, x := range []any{d.Count, d.Differ, d.Beyond, d.Odd, d.MaxDelta, d.MaxRelative, d.RelativeL2, d.Cosine} {
		cell, _ := encode.Marshal(x) // numbers or null
		cells = append(cells, strings.TrimPrefix(string(cell), "null"))
	}
	return cells
}

// CSV writes one record for each change, or for each layer or component, after a line of titles. Numbers are not
// rounded, and not escaped as formulas.
func (d *Diff) CSV(w io.Writer, s typeset.Style) error {
	c := csv.NewWriter(w)
	switch d.By {
	case "layer":
		writeRollups(c, s, "layer", d.layers())
	case "component":
		writeRollups(c, s, "component", d.components())
	default:
		d.writeChanges(c, s)
	}
	c.Flush()
	return c.Error()
}

func writeRollups(c *csv.Writer, s typeset.Style, title string, list []rollup) {
	encode.CSV(c, s, append([]string{"part", title, "tensors"}, valueTitles...)...)
	for i := range list {
		r := &list[i]
		encode.Record(c, s, append([]string{encode.Defused(r.part), encode.Defused(r.key), encode.Digits(int64(r.tensors))},
			valueCells(&r.values)...)...)
	}
}

func (d *Diff) writeChanges(c *csv.Writer, s typeset.Style) {
	titles := []string{"kind", "part", "tensor", "to", "dtype_a", "shape_a", "dtype_b", "shape_b"}
	encode.CSV(c, s, append(titles, valueTitles...)...)
	side := func(ti *safetensors.TensorInfo) []string {
		if ti == nil {
			return []string{"", ""}
		}
		return []string{encode.Defused(string(ti.Dtype)), ti.ShapeString()}
	}
	for _, x := range d.shown() {
		cells := []string{string(x.Kind), encode.Defused(x.Part), encode.Defused(x.Name), encode.Defused(x.target())}
		cells = append(append(append(cells, side(x.A)...), side(x.B)...), valueCells(x.Values)...)
		encode.Record(c, s, cells...)
	}
}
