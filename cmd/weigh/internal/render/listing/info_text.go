// Info as text.

package listing

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model"
)

// An InfoForm selects the form of the text.
type InfoForm struct {
	Fold  bool // fold equal layers
	Tree  bool // show a tree
	Depth int  // levels of the tree; 0 means all

	// All disables all shortening on a terminal.
	All bool

	Explain bool // show the counting rules
}

// Text writes the tensors and then the totals, which stay visible at the end.
func (info *Info) Text(w io.Writer, s typeset.Style) error {
	form := info.Form
	return typeset.Buffered(w, func(w *bufio.Writer) {
		switch {
		case len(info.Rows) == 0:
		case form.Tree:
			info.writeTree(w, s, form)
		case form.Fold:
			info.writeLines(w, s, Fold(info.Rows))
		default:
			info.writeRows(w, s)
		}
		info.writeDtypes(w, s)
		info.writeFiles(w, s, form)
		info.writeMetadata(w, s, form)
		info.writeModels(w, s, form)
		info.writeSets(w, s)
		finding.WriteProblems(w, s, info.Findings, info.Omitted)
		info.writeTotals(w, s)
	})
}

// tensorColumns returns the columns of the tensor table. The function row returns a line.
func (info *Info) tensorColumns(s typeset.Style, row func(int) *folded) []typeset.Column {
	// Columns that can be derived from others, or that matter least, yield first.
	columns := []typeset.Column{
		{Title: "TENSOR", Distinct: true, Least: s.NameWidth(), Cut: typeset.Dotted,
			Cell: func(i int) string { return typeset.Name(row(i).Name) }},
		{Title: "DTYPE", Color: typeset.Cyan, Least: 5, Yields: 4,
			Cell: func(i int) string { return DtypeOf(row(i).row.Dtype) }},
		{Title: "SHAPE", Least: 16, Yields: 3, Cut: typeset.Listed,
			Cell: func(i int) string { return ShapeOf(row(i).row.TensorInfo) }},
		elements(2, func(i int) encode.Known { return row(i).elements() }),
		{Title: "BYTES", Right: true, Yields: 5, Cell: func(i int) string { return row(i).bytes.Text(typeset.Bytes) }},
	}
	typeset.Keep(columns, info.Selection.Sort)
	if len(info.Files) > 1 {
		short := info.labels()
		columns = append(columns, typeset.Column{Title: "FILE", Distinct: true, Least: 12, Cut: typeset.Headed, Yields: 1,
			Cell: func(i int) string {
				if f := row(i).file; f >= 0 {
					return short(f)
				}
				return "several"
			}})
	}
	return columns
}

// elements returns the ELEMENTS column.
func elements(yields int, value func(i int) encode.Known) typeset.Column {
	return typeset.Column{
		Title: "ELEMENTS", Right: true, Yields: yields,
		Cell:  func(i int) string { return value(i).Text(typeset.Count) },
		Short: func(i int) string { return value(i).Text(typeset.Short) },
	}
}

// writeRows writes a line for each tensor.
func (info *Info) writeRows(w *bufio.Writer, s typeset.Style) {
	var line folded // reused, since there may be a million rows
	row := func(i int) *folded {
		r := info.Rows[i]
		line = folded{Name: r.Name, row: r, Count: 1, bytes: bytesOf(r.TensorInfo), file: r.File}
		return &line
	}
	shown := info.Selection.shown(len(info.Rows))
	t := &typeset.Table{N: shown, Columns: info.tensorColumns(s, row)}
	t.Write(w, s)
	WriteMore(w, s, len(info.Rows)-shown, "tensor")
	w.WriteByte('\n')
}

// writeLines writes folded lines, with a COUNT column.
func (info *Info) writeLines(w *bufio.Writer, s typeset.Style, lines []folded) {
	row := func(i int) *folded { return &lines[i] }
	columns := info.tensorColumns(s, row)
	if len(lines) < len(info.Rows) {
		columns = slices.Insert(columns, 3, typeset.Column{Title: "COUNT", Right: true, Color: typeset.Dim,
			Cell: func(i int) string {
				if lines[i].Count == 1 {
					return ""
				}
				return "× " + typeset.Count(int64(lines[i].Count))
			}})
	}
	// The limit applies to lines. The remainder is counted in tensors.
	shown := info.Selection.shown(len(lines))
	t := &typeset.Table{N: shown, Columns: columns}
	t.Write(w, s)
	rest := 0
	for i := range lines[shown:] {
		rest += lines[shown+i].Count
	}
	WriteMore(w, s, rest, "tensor")
	w.WriteByte('\n')
}

// writeTree writes the tree of names. The limit applies to its lines.
func (info *Info) writeTree(w *bufio.Writer, s typeset.Style, form InfoForm) {
	lines := tree(info.Rows, TreeOptions{Depth: form.Depth, Fold: form.Fold, Sort: info.Selection.Sort})
	shown := info.Selection.shown(len(lines))
	writeTree(w, s, lines[:shown], info.Totals.Bytes)
	WriteMore(w, s, len(lines)-shown, "line")
	w.WriteByte('\n')
}

// WriteMore writes how many lines the limit cuts off.
func WriteMore(w *bufio.Writer, s typeset.Style, n int, noun string) {
	if n > 0 {
		w.WriteString(s.Paint(typeset.Dim, "… and "+strings.Replace(typeset.Plural(int64(n), noun), " ", " more ", 1)) + "\n")
	}
}

// writeDtypes writes totals by dtype.
func (info *Info) writeDtypes(w *bufio.Writer, s typeset.Style) {
	sums := info.Dtypes
	if len(sums) == 0 {
		return
	}
	t := &typeset.Table{N: len(sums)}
	if len(sums) > 1 {
		sums = append(slices.Clip(sums), DtypeTotals{"total", info.Totals})
		t.N = len(sums)
		t.Color = func(i int) string {
			if i == len(sums)-1 {
				return typeset.Bold
			}
			return ""
		}
	}
	t.Columns = []typeset.Column{
		{Title: "DTYPE", Color: typeset.Cyan, Least: 5, Cell: func(i int) string { return DtypeOf(sums[i].Dtype) }},
		{Title: "TENSORS", Right: true, Yields: 3, Cell: func(i int) string { return typeset.Count(int64(sums[i].Tensors)) }},
		elements(2, func(i int) encode.Known { return encode.Known(sums[i].Elements) }),
		{Title: "BYTES", Right: true, Cell: func(i int) string { return typeset.Bytes(sums[i].Bytes) }},
		{Title: "SHARE", Right: true, Yields: 1, Cell: func(i int) string {
			return typeset.Percent(sums[i].Bytes,
				info.Totals.Bytes)
		}},
	}
	t.Write(w, s)
	w.WriteByte('\n')
}

// MostFiles is the number of files that a terminal shows by default.
const MostFiles = 12

// writeFiles writes a table of files.
func (info *Info) writeFiles(w *bufio.Writer, s typeset.Style, form InfoForm) {
	shown := len(info.Files)
	if s.Terminal() && !form.All {
		shown = min(shown, MostFiles)
	}
	short := info.labels()
	size := func(n encode.Known) string {
		if n < 0 {
			return "unknown"
		}
		return typeset.Bytes(int64(n))
	}
	t := &typeset.Table{N: shown, Columns: []typeset.Column{
		{Title: "FILE", Distinct: true, Least: 16, Cut: typeset.Headed, Cell: func(i int) string { return short(i) }},
		{Title: "TENSORS", Right: true, Yields: 3,
			Cell: func(i int) string { return typeset.Count(int64(info.PerFile[i].Tensors)) }},
		elements(2, func(i int) encode.Known { return encode.Known(info.PerFile[i].Elements) }),
		{Title: "HEADER", Right: true, Yields: 1, Cell: func(i int) string {
			return cmp.Or(info.Files[i].Format, size(info.Files[i].headerSize()))
		}},
		{Title: "FILE SIZE", Right: true, Cell: func(i int) string { return size(encode.Known(info.Files[i].Size)) }},
	}}
	t.Write(w, s)
	WriteMore(w, s, len(info.Files)-shown, "file")
	w.WriteByte('\n')
}

// labels returns a function that names files without their common folder.
func (info *Info) labels() func(int) string {
	return ShortPaths(len(info.Files), func(i int) string { return info.Files[i].Path })
}

// ShortPaths returns a function that names n files without their common folder.
func ShortPaths(n int, path func(int) string) func(int) string {
	folder := ""
	for i := range n {
		dir := path(i)[:strings.LastIndexByte(path(i), '/')+1]
		if i == 0 {
			folder = dir
		}
		for !strings.HasPrefix(dir, folder) {
			folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		}
	}
	return func(i int) string {
		return typeset.Label(strings.TrimPrefix(path(i), folder))
	}
}

// writeMetadata writes the metadata of files. Equal metadata is written once.
func (info *Info) writeMetadata(w *bufio.Writer, s typeset.Style, form InfoForm) {
	short := info.labels()
	groups := groupsOf(info.Files)
	for _, g := range groups {
		metadata := info.Files[g.First].Header.Metadata
		if len(metadata) == 0 {
			continue // only JSON distinguishes absent from empty
		}
		title := "METADATA"
		if len(groups) > 1 {
			title += " of " + g.Of(short(g.First))
		}
		w.WriteString(s.Paint(typeset.Bold, title) + "\n")
		writeMap(w, s, metadata, form.All)
		w.WriteByte('\n')
	}
}

// writeMap writes keys and values, one on each line. On a terminal it shortens values unless all
// is set.
func writeMap(w *bufio.Writer, s typeset.Style, m map[string]string, all bool) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		name := typeset.Name(key)
		w.WriteString("  " + s.Paint(typeset.Cyan, name) + ": " +
			ShortValue(s, len("  : ")+typeset.Width(name), m[key], all) + "\n")
	}
}

// writeSets writes the sets that are not counted: copies and other weights.
func (info *Info) writeSets(w *bufio.Writer, s typeset.Style) {
	const title = "NOT COUNTED"
	n := 0
	for _, set := range info.Sets {
		if set.Counted {
			continue
		}
		if n++; n == 1 {
			w.WriteString(s.Paint(typeset.Bold, title) + "\n")
		}
		text := typeset.Name(set.Name) + ", " + typeset.Plural(int64(set.Files), "file")
		if set.CopyOf != "" {
			text += ", of " + typeset.Name(set.CopyOf)
		}
		typeset.Entry(w, s, 2, len("  adapter  "), "", set.Role, text)
	}
	if n > 0 {
		w.WriteByte('\n')
	}
}

// writeTotals writes the summary line.
func (info *Info) writeTotals(w *bufio.Writer, s typeset.Style) {
	text := typeset.Plural(int64(info.Totals.Tensors), "tensor")
	if info.Selection.Filters() {
		text = fmt.Sprintf("%s of %s selected", typeset.Count(int64(info.Totals.Tensors)),
			typeset.Plural(int64(info.All), "tensor"))
	}
	text += ", " + info.amount() + ", " + typeset.ExactBytes(info.Totals.Bytes)
	if n := len(info.Files); n > 1 {
		text += " in " + typeset.Plural(int64(n), "file")
	}
	typeset.Wrap(w, s, 0, typeset.Bold, text)
}

// params returns the number of parameters of all models, and false if nothing was counted.
func (info *Info) params() (r model.Range, ok bool) {
	for i := range info.Models {
		n := info.Models[i].Counts.Params
		r = model.Range{Low: encode.Add(r.Low, n.Low), High: encode.Add(r.High, n.High)}
	}
	return r, len(info.Models) > 0
}

// certainParams returns the number of parameters for JSON, null if it is not known exactly.
func (info *Info) certainParams() encode.Known {
	if r, ok := info.params(); ok {
		return certain(r)
	}
	return encode.Unknown
}

// amount returns the number of parameters, and that of stored elements if it differs.
func (info *Info) amount() string {
	elements := typeset.Plural(info.Totals.Elements, "element")
	r, ok := info.params()
	switch {
	case !ok:
		return elements
	case r == model.Range{Low: info.Totals.Elements, High: info.Totals.Elements}:
		return typeset.Plural(r.High, "param")
	case r.Exact():
		return typeset.Plural(r.High, "param") + " (" + elements + ")"
	}
	return countRange(r) + " params (" + elements + ")"
}
