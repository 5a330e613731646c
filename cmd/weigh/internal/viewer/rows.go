// The table of tensors: selections, their order, and windows of rows.

package viewer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
)

// Bounds of answers about tensors.
const (
	mostRows   = 500
	mostLines  = 100_000 // of CSV
	mostName   = 1024    // bytes of a name in a row
	mostLabel  = 256     // columns of a label
	mostOrders = 8       // selections that are kept, of 4 bytes for each tensor
)

// A selected is a selection of tensors in its order.
type selected struct {
	ids             []int32
	elements, bytes int64
}

// A filter is what the parameters of a request select.
type filter struct {
	listing.Selection
	file     int // -1 for all
	least    int64
	most     int64 // of bytes
	flags    []string
	describe string // the key of the selection
}

// filterOf reads the parameters of a selection.
func (o *opened) filterOf(r *reply.Request) (*filter, error) {
	if err := r.ParseForm(); err != nil {
		return nil, reply.Wrong("the query cannot be read: %v", err)
	}
	f := &filter{file: -1, flags: r.Form["flag"]}
	var err error
	if f.Include, err = patterns(r.Form["include"]); err != nil {
		return nil, err
	}
	if f.Exclude, err = patterns(r.Form["exclude"]); err != nil {
		return nil, err
	}
	for _, d := range r.Form["dtype"] {
		f.Dtypes = append(f.Dtypes, safetensors.Dtype(d))
	}
	if r.Has("file") {
		if f.file, err = o.file(r); err != nil {
			return nil, err
		}
	}
	if f.least, err = r.Number("min_bytes", 0, 1<<62, 0); err != nil {
		return nil, err
	}
	if f.most, err = r.Number("max_bytes", 0, 1<<62, -1); err != nil {
		return nil, err
	}
	f.Sort, f.Reverse = r.FormValue("sort"), r.FormValue("reverse") == "1"
	if f.Sort != "" && !slices.Contains(listing.SortKeys, f.Sort) {
		return nil, reply.Wrong("sort must be one of %s, not %s", strings.Join(listing.SortKeys, ", "),
			reply.Quoted(f.Sort))
	}
	f.describe = fmt.Sprintf("%q %q %q %d %d %d %q %s %t", r.Form["include"], r.Form["exclude"], r.Form["dtype"],
		f.file, f.least, f.most, f.flags, f.Sort, f.Reverse)
	if len(f.flags) > 0 { // which grow with what is measured
		f.describe += fmt.Sprint(" ", o.values.size())
	}
	return f, nil
}

// patterns compiles patterns. A word without any special character matches names that contain it.
func patterns(words []string) (list []*glob.Pattern, err error) {
	for _, word := range words {
		if word == "" {
			continue
		}
		if !strings.ContainsAny(word, `*?[\`) {
			word = "**" + word + "**"
		}
		p, err := glob.Compile(word)
		if err != nil {
			return nil, reply.Wrong("%v", err)
		}
		list = append(list, p)
	}
	return list, nil
}

// selects reports whether a tensor is selected.
func (o *opened) selects(f *filter, id int, row listing.Row) bool {
	size := int64(row.BytesOf())
	return (f.file < 0 || row.File == f.file) && size >= f.least && (f.most < 0 || size <= f.most) &&
		f.Has(row.TensorInfo) && (len(f.flags) == 0 || slices.ContainsFunc(o.flags(id, row), func(flag string) bool {
		return slices.Contains(f.flags, flag)
	}))
}

// selection returns the tensors that a request selects, in its order.
func (o *opened) selection(f *filter) *selected {
	if s, ok := o.orders.Get(f.describe); ok {
		return s
	}
	s := &selected{ids: make([]int32, 0, o.all)}
	rows := make([]listing.Row, 0, o.all)
	for id, row := range o.rows() {
		rows = append(rows, row)
		if o.selects(f, id, row) {
			s.ids = append(s.ids, int32(id))
			s.elements, s.bytes = encode.Plus(s.elements, row.ElementsOf()), encode.Plus(s.bytes, row.BytesOf())
		}
	}
	if order := listing.OrderBy(f.Sort); order != nil {
		slices.SortFunc(s.ids, func(a, b int32) int { return cmp.Or(order(rows[a], rows[b]), cmp.Compare(a, b)) })
	}
	if f.Reverse {
		slices.Reverse(s.ids)
	}
	s.ids = slices.Clip(s.ids)
	o.orders.Put(f.describe, s)
	return s
}

// rows yields all tensors with their numbers.
func (o *opened) rows() func(yield func(int, listing.Row) bool) {
	return func(yield func(int, listing.Row) bool) {
		for i := range o.files() {
			h := o.files()[i].Header
			for j := 0; h != nil && j < len(h.Tensors); j++ {
				if !yield(o.base[i]+j, listing.Row{TensorInfo: &h.Tensors[j], File: i}) {
					return
				}
			}
		}
	}
}

// A tableRow is a row of the table: a tensor, or several of equal layers.
type tableRow struct {
	ID    int     `json:"id"`
	Name  *string `json:"name,omitempty"` // absent if it is long, or of several
	Label string  `json:"label,omitempty"`
	Count int     `json:"count,omitempty"`
	listing.Entry
	Flags []string `json:"flags"`
}

// rowJSON returns a tensor as a row.
func (o *opened) rowJSON(id int) tableRow {
	row := o.row(id)
	r := tableRow{ID: id, Entry: listing.EntryOf(&o.files()[row.File], row.TensorInfo), Flags: o.flags(id, row)}
	r.Name, r.Label = named(row.Name)
	return r
}

// named returns a name for JSON, nil if it is long, and what is shown for it, "" if that is the name itself.
func named(name string) (raw *string, label string) {
	if len(name) <= mostName {
		raw = &name
	}
	if label = labelOf(name); raw != nil && label == name {
		label = ""
	}
	return raw, label
}

// labelOf returns a name as text to show, of bounded length.
func labelOf(name string) string {
	if len(name) > 4*mostLabel {
		name = ends(name, 2*mostLabel)
	}
	return typeset.Middle(typeset.Name(name), mostLabel)
}

// ends returns both ends of a text, of n bytes or a little less.
func ends(text string, n int) string {
	head, tail := n, len(text)-n
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + "…" + text[tail:]
}

// cut returns a window of a list.
func cut[T any](list []T, offset, limit int) []T {
	offset = min(offset, len(list))
	return list[offset:min(offset+limit, len(list))]
}

// table answers with a window of rows.
func (v *Viewer) table(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	f, err := o.filterOf(r)
	if err != nil {
		return nil, err
	}
	offset, limit, err := r.Window(200, mostRows)
	if err != nil {
		return nil, err
	}
	s := o.selection(f)
	var rows []tableRow
	total := len(s.ids)
	if r.FormValue("fold") == "1" {
		rows, total = o.foldedRows(s, offset, limit)
	} else {
		for _, id := range cut(s.ids, offset, limit) {
			rows = append(rows, o.rowJSON(int(id)))
		}
	}
	return reply.Object(encode.M("schema", "weigh.view.rows/1"), encode.M("total", total), encode.M("all", o.all),
		encode.M("tensors", len(s.ids)), encode.M("elements", s.elements), encode.M("bytes", s.bytes),
		encode.M("offset", offset), encode.M("rows", rows)), nil
}

// foldedRows returns a window of the rows in which equal layers are folded, and the number of all such rows.
func (o *opened) foldedRows(s *selected, offset, limit int) (rows []tableRow, total int) {
	list := make([]listing.Row, len(s.ids))
	for i, id := range s.ids {
		list[i] = o.row(int(id))
	}
	lines := listing.Fold(list)
	for _, line := range cut(lines, offset, limit) {
		r := o.rowJSON(int(s.ids[line.First()]))
		if line.Count > 1 {
			r.Name, r.Label, r.Count = nil, typeset.Middle(typeset.Name(line.Name), mostLabel), line.Count
			r.Elements, r.Bytes = line.Elements(), line.Bytes()
			r.DataOffsets, r.FileOffsets = encode.Pair{}, encode.Pair{}
		}
		rows = append(rows, r)
	}
	return rows, len(lines)
}

// sheet answers with rows as CSV, as info writes them.
func (v *Viewer) sheet(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	f, err := o.filterOf(r)
	if err != nil {
		return nil, err
	}
	s := o.selection(f)
	info := &listing.Info{Inventory: listing.Inventory{Files: o.files()}}
	for _, id := range cut(s.ids, 0, mostLines) {
		info.Rows = append(info.Rows, o.row(int(id)))
	}
	r.W.Header().Set("Content-Type", "text/csv; charset=utf-8")
	r.W.Header().Set("Content-Disposition", `attachment; filename="tensors.csv"`)
	return nil, info.CSV(r.W, typeset.Style{})
}

// fullName answers with the name of a tensor as text to show.
func (v *Viewer) fullName(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	id, err := o.find(r)
	if err != nil {
		return nil, err
	}
	name := o.row(id).Name
	if len(name) > 1<<20 {
		name = ends(name, 1<<19)
	}
	r.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = io.WriteString(r.W, typeset.Name(name))
	return nil, err
}

// A share is how many tensors have a property.
type share struct {
	Dtype   *safetensors.Dtype `json:"dtype,omitempty"`
	File    string             `json:"file,omitempty"`
	Flag    string             `json:"flag,omitempty"`
	Tensors int                `json:"tensors"`
	Bytes   int64              `json:"bytes"`
}

// facetsOf answers with what can be filtered.
func (v *Viewer) facetsOf(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	var files, flags []share
	dtypes := make(map[safetensors.Dtype]*share)
	marked := make(map[string]*share)
	for i := range o.files() {
		files = append(files, share{File: o.files()[i].Path})
	}
	for id, row := range o.rows() {
		size := row.BytesOf()
		d := dtypes[row.Dtype]
		if d == nil {
			d = &share{Dtype: &row.Dtype}
			dtypes[row.Dtype] = d
		}
		d.Tensors, d.Bytes = d.Tensors+1, encode.Plus(d.Bytes, size)
		f := &files[row.File]
		f.Tensors, f.Bytes = f.Tensors+1, encode.Plus(f.Bytes, size)
		for _, flag := range o.flags(id, row) {
			m := marked[flag]
			if m == nil {
				m = &share{Flag: flag}
				marked[flag] = m
			}
			m.Tensors, m.Bytes = m.Tensors+1, encode.Plus(m.Bytes, size)
		}
	}
	var kinds []share
	for _, d := range dtypes {
		kinds = append(kinds, *d)
	}
	for _, m := range marked {
		flags = append(flags, *m)
	}
	slices.SortFunc(kinds, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(*a.Dtype, *b.Dtype))
	})
	slices.SortFunc(flags, func(a, b share) int { return cmp.Compare(a.Flag, b.Flag) })
	return reply.Object(encode.M("dtypes", cut(kinds, 0, 200)), encode.M("files", cut(files, 0, 1000)),
		encode.M("flags", flags)), nil
}
