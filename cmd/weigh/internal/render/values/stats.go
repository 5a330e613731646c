// Statistics of tensors.

package values

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/stats"
)

// A StatsRow is a tensor with its statistics.
type StatsRow struct {
	safetensors.TensorInfo
	Summary *stats.Summary
}

// Stats is a report on tensors.
type Stats struct {
	Rows     []StatsRow
	Rest     []StatsRow // cut off by the limit, but counted; without Summary if not read
	All      int        // number of tensors before selection
	Digest   bool       // summaries have digests
	Flagged  bool       // only rows with a flag
	selected int        // number of rows with and without a flag, if Flagged
	sorted   string     // the key by which Arrange has sorted
	Plot     Plot
}

// histogramJSON is a histogram in JSON.
type histogramJSON struct {
	Edges  []encode.Finite `json:"edges"`
	Counts []int64         `json:"counts"`
}

// statsJSON is a StatsRow in JSON.
type statsJSON struct {
	Name      string            `json:"name"`
	Dtype     safetensors.Dtype `json:"dtype"`
	Shape     encode.Dims       `json:"shape"`
	Count     int64             `json:"count"`
	Min       stats.Value       `json:"min"` // null if no value is finite, like the next three
	Max       stats.Value       `json:"max"`
	Mean      encode.Finite     `json:"mean"`
	Std       encode.Finite     `json:"std"`
	NaN       int64             `json:"nan"`
	Inf       int64             `json:"inf"`
	Zeros     int64             `json:"zeros"`
	Histogram *histogramJSON    `json:"histogram"`
	Flags     []stats.Flag      `json:"flags"`
	SHA256    string            `json:"sha256,omitempty"`
}

// json returns the row for JSON.
func (r *StatsRow) json(digest bool) statsJSON {
	s := r.Summary
	j := statsJSON{
		Name: r.Name, Dtype: r.Dtype, Shape: append(encode.Dims{}, r.Shape...), Count: s.Count,
		Min: s.Min, Max: s.Max, Mean: encode.Finite(s.Mean), Std: encode.Finite(s.StdDev),
		NaN: s.NaN, Inf: s.PosInf + s.NegInf, Zeros: s.Zero, Flags: append([]stats.Flag{}, s.Flags()...),
	}
	if len(s.Histogram.Counts) > 0 {
		j.Histogram = &histogramJSON{Counts: s.Histogram.Counts}
		for _, x := range s.Histogram.Edges {
			j.Histogram.Edges = append(j.Histogram.Edges, encode.Finite(x))
		}
	}
	if digest {
		j.SHA256 = hex.EncodeToString(s.SHA256[:])
	}
	return j
}

// JSON streams weigh.stats/1.
func (st *Stats) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.stats/1"),
		encode.M("tensors", encode.List(st.Rows, func(r *StatsRow) any { return r.json(st.Digest) })),
		encode.M("truncated", len(st.Rest) > 0),
	})
}

// CSV writes one record for each tensor, after a line of titles. Numbers are exact, and not
// escaped as formulas.
func (st *Stats) CSV(w io.Writer, s typeset.Style) error {
	c := csv.NewWriter(w)
	titles := []string{"tensor", "dtype", "shape", "count", "min", "max", "mean", "std", "nan", "inf", "zeros", "flags"}
	if st.Digest {
		titles = append(titles, "sha256")
	}
	encode.CSV(c, s, titles...)
	for i := range st.Rows {
		encode.Record(c, s, st.record(&st.Rows[i])...)
	}
	c.Flush()
	return c.Error()
}

// record returns the cells of a record. Unknown numbers are empty cells.
func (st *Stats) record(r *StatsRow) []string {
	cells := []string{encode.Defused(r.Name), encode.Defused(string(r.Dtype)), r.ShapeString()}
	j := r.json(st.Digest)
	for _, v := range []any{j.Count, j.Min, j.Max, j.Mean, j.Std, j.NaN, j.Inf, j.Zeros} {
		cell, _ := encode.Marshal(v) // numbers or null
		cells = append(cells, strings.TrimPrefix(string(cell), "null"))
	}
	cells = append(cells, flagList(j.Flags, " "))
	if st.Digest {
		cells = append(cells, j.SHA256)
	}
	return cells
}

// flagList joins flags.
func flagList(flags []stats.Flag, sep string) string {
	list := make([]string, len(flags))
	for i, f := range flags {
		list[i] = string(f)
	}
	return strings.Join(list, sep)
}

// Text writes the table, plots if requested, and unusual tensors.
func (st *Stats) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		t := &typeset.Table{N: len(st.Rows), Columns: st.columns(s)}
		if st.Plot.Text {
			t.Below = func(i int) { st.Plot.write(w, s, st.Rows[i].Summary, i < len(st.Rows)-1) }
		}
		t.Write(w, s)
		listing.WriteMore(w, s, len(st.Rest), "tensor")
		if len(st.Rows) > 0 {
			w.WriteByte('\n')
		}
		st.writeOdd(w, s)
		st.writeTotals(w, s)
	})
}

// columns returns the columns. Numbers are rounded to six digits.
func (st *Stats) columns(s typeset.Style) []typeset.Column {
	row := func(i int) *stats.Summary { return st.Rows[i].Summary }
	count := func(title string, yields int, value func(*stats.Summary) int64) typeset.Column {
		return typeset.Column{
			Title: title, Right: true, Yields: yields,
			Cell:  func(i int) string { return typeset.Count(value(row(i))) },
			Short: func(i int) string { return typeset.Short(value(row(i))) },
		}
	}
	// Narrow terminals get three digits.
	value := func(title string, yields int, value func(*stats.Summary) stats.Value) typeset.Column {
		return typeset.Column{
			Title: title, Right: true, Yields: yields,
			Cell:  func(i int) string { return inDigits(value(row(i)), 6) },
			Short: func(i int) string { return Rounded(value(row(i)).Float64(), 3) },
		}
	}
	moment := func(title string, yields int, value func(*stats.Summary) float64) typeset.Column {
		return typeset.Column{
			Title: title, Right: true, Yields: yields,
			Cell:  func(i int) string { return Rounded(value(row(i)), 6) },
			Short: func(i int) string { return Rounded(value(row(i)), 3) },
		}
	}
	columns := []typeset.Column{
		{Title: "TENSOR", Distinct: true, Least: s.NameWidth(), Cut: typeset.Dotted,
			Cell: func(i int) string { return typeset.Name(st.Rows[i].Name) }},
		{Title: "DTYPE", Color: typeset.Cyan, Least: 4, Yields: 3,
			Cell: func(i int) string { return typeset.Name(string(st.Rows[i].Dtype)) }},
		count("COUNT", 1, func(s *stats.Summary) int64 { return s.Count }),
		value("MIN", 9, func(s *stats.Summary) stats.Value { return s.Min }),
		value("MAX", 10, func(s *stats.Summary) stats.Value { return s.Max }),
		moment("MEAN", 6, func(s *stats.Summary) float64 { return s.Mean }),
		moment("STD", 7, func(s *stats.Summary) float64 { return s.StdDev }),
		count("NAN", 5, func(s *stats.Summary) int64 { return s.NaN }),
		count("INF", 4, func(s *stats.Summary) int64 { return s.PosInf + s.NegInf }),
		count("ZEROS", 2, func(s *stats.Summary) int64 { return s.Zero }),
		{Title: "FLAGS", Color: typeset.Yellow, Least: 8, Yields: 8,
			Cell: func(i int) string { return flagList(row(i).Flags(), ", ") }},
	}
	typeset.Keep(columns, st.sorted)
	if st.Flagged {
		typeset.Keep(columns, "FLAGS")
	}
	if st.Digest { // which is copied and compared, and never shortened
		columns = append(columns, typeset.Column{Title: "SHA256",
			Cell: func(i int) string { return hex.EncodeToString(row(i).SHA256[:]) }})
	}
	return columns
}

// inDigits rounds a value; integers stay exact.
func inDigits(v stats.Value, digits int) string {
	if text := v.String(); !strings.ContainsAny(text, ".eN") {
		return text
	}
	return Rounded(v.Float64(), digits)
}

// Rounded formats x with so many significant digits, or "-" for NaN.
func Rounded(x float64, digits int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// flagTexts explains flags, in the order of the report.
var flagTexts = []struct {
	flag stats.Flag
	text string
}{
	{stats.HasNaN, "NaN in"},
	{stats.HasInf, "infinities in"},
	{stats.Saturated, "apparently clipped at the dtype's maximum:"},
	{stats.AllZero, "only zeros in"},
	{stats.Constant, "a single value in"},
	{stats.Empty, "no values in"},
}

// writeOdd writes a line for each flag, with the first tensors that have it.
func (st *Stats) writeOdd(w *bufio.Writer, s typeset.Style) {
	for _, ft := range flagTexts {
		var names []string
		for _, r := range slices.Concat(st.Rows, st.Rest) {
			if r.Summary != nil && slices.Contains(r.Summary.Flags(), ft.flag) {
				names = append(names, r.Name)
			}
		}
		if len(names) > 0 {
			typeset.Wrap(w, s, 0, typeset.Yellow, fmt.Sprintf("%s: %s %s: %s", ft.flag, ft.text,
				typeset.Plural(int64(len(names)), "tensor"), typeset.SomeOf(names)))
		}
	}
}

// writeTotals writes the summary line, which also counts what the limit cut off.
func (st *Stats) writeTotals(w *bufio.Writer, s typeset.Style) {
	var numbers, bytes int64
	all := slices.Concat(st.Rows, st.Rest)
	for _, r := range all {
		numbers = encode.Add(numbers, r.NumElems())
		if r.Dtype == safetensors.C64 {
			numbers = encode.Add(numbers, r.NumElems())
		}
		bytes = encode.Add(bytes, r.Size())
	}
	what := typeset.Plural(int64(st.All), "tensor")
	switch {
	case st.Flagged:
		what = typeset.Count(int64(len(all))) + " flagged of " + typeset.Plural(int64(st.selected), "tensor")
	case len(all) < st.All:
		what = typeset.Count(int64(len(all))) + " of " + what
	}
	typeset.Wrap(w, s, 0, typeset.Bold, fmt.Sprintf("%s, %s, %s", what, typeset.Plural(numbers, "number"),
		typeset.ExactBytes(bytes)))
}
