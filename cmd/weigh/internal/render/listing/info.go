// Inventory and totals of tensors.

package listing

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
)

// A File is a file in a listing.
type File struct {
	Path string

	// Size is the size in bytes, or -1 if unknown, as for a stream.
	Size int64

	// Format is the format of a file that is not safetensors, "unknown" if that file cannot be read,
	// else "". Its header is the one that a safetensors file with the same tensors would have.
	Format string

	// Header is the parsed part of the header, or nil. Stored reports that it is that of a file in another format as
	// it is, with types of that format and offsets in the file.
	Header *safetensors.Header
	Stored bool
}

// tensors returns the tensors in the file.
func (f *File) tensors() []safetensors.TensorInfo {
	if f.Header == nil {
		return nil
	}
	return f.Header.Tensors
}

// A Set is a set of files that belong together.
type Set struct {
	Name    string `json:"name"`    // path of the index or file, or a pattern
	Role    string `json:"role"`    // "model", "copy", "adapter", "module" or "other"
	CopyOf  string `json:"copy_of"` // the Name of the set that it is a copy of, or ""
	Files   int    `json:"files"`
	Counted bool   `json:"counted"` // its files are in the listing
}

// An Inventory is everything found at some targets.
type Inventory struct {
	Targets  []string
	Sets     []Set
	Files    []File // of counted sets
	Findings []finding.Finding
	Omitted  []finding.Omission
}

// Totals are sums over tensors.
type Totals struct {
	Tensors  int   `json:"tensors"`
	Elements int64 `json:"elements"`
	Bytes    int64 `json:"bytes"` // of data
}

// add adds a tensor. Unknown values count as 0. Sums saturate: hostile headers could make them
// wrap around.
func (t *Totals) add(ti *safetensors.TensorInfo) {
	t.Tensors++
	t.Elements = encode.Plus(t.Elements, elementsOf(ti))
	t.Bytes = encode.Plus(t.Bytes, bytesOf(ti))
}

// A DtypeTotals is the totals of a dtype.
type DtypeTotals struct {
	Dtype safetensors.Dtype `json:"dtype"`
	Totals
}

// An Info is the content of an info report.
type Info struct {
	Inventory
	Selection Selection
	Rows      []Row         // selected tensors
	Dtypes    []DtypeTotals // of selected tensors, like Totals and PerFile
	Totals    Totals
	PerFile   []Totals
	All       int // number of tensors before selection
	Models    []Model
	Form      InfoForm
}

// NewInfo returns the report on the selected tensors. Totals ignore the limit.
func NewInfo(inv Inventory, sel Selection) *Info {
	info := &Info{Inventory: inv, Selection: sel, Rows: sel.rows(inv.Files)}
	info.PerFile = make([]Totals, len(inv.Files))
	for i := range inv.Files {
		info.All += len(inv.Files[i].tensors())
	}
	dtypes := make(map[safetensors.Dtype]*Totals)
	for _, r := range info.Rows {
		t := dtypes[r.Dtype]
		if t == nil {
			t = new(Totals)
			dtypes[r.Dtype] = t
		}
		t.add(r.TensorInfo)
		info.Totals.add(r.TensorInfo)
		info.PerFile[r.File].add(r.TensorInfo)
	}
	for d, t := range dtypes {
		info.Dtypes = append(info.Dtypes, DtypeTotals{d, *t})
	}
	slices.SortFunc(info.Dtypes, func(a, b DtypeTotals) int { // the one with the most bytes first
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), compareDtypes(a.Dtype, b.Dtype))
	})
	return info
}

// shown returns how many of n lines the limit allows.
func (s *Selection) shown(n int) int {
	if s.Limit > 0 {
		return min(n, s.Limit)
	}
	return n
}

// headerSize returns the size of the header, which only safetensors files have.
func (f *File) headerSize() encode.Known {
	if f.Header == nil || f.Format != "" {
		return encode.Unknown
	}
	return encode.Known(f.Header.Size)
}

// json returns the file for JSON. The data size is the actual one, not the one in the header.
func (f *File) json() any {
	data, metadata := encode.Unknown, map[string]string(nil)
	if f.headerSize() >= 0 {
		metadata = f.Header.Metadata
		if f.Size >= 0 {
			data = encode.Known(max(f.Size-f.Header.DataStart(), 0))
		}
	}
	return []encode.Member{
		encode.M("path", f.Path),
		encode.M("format", cmp.Or(f.Format, "safetensors")),
		encode.M("size", encode.Known(f.Size)),
		encode.M("header_size", f.headerSize()),
		encode.M("data_size", data),
		encode.M("tensors", len(f.tensors())),
		encode.M("metadata", metadata),
	}
}

// An Entry is a tensor in JSON.
type Entry struct {
	Name        string            `json:"name"`
	Dtype       safetensors.Dtype `json:"dtype"`
	Shape       encode.Dims       `json:"shape"` // null if unknown
	Elements    encode.Known      `json:"elements"`
	Bytes       encode.Known      `json:"bytes"`
	File        string            `json:"file"`
	DataOffsets encode.Pair       `json:"data_offsets"` // null if invalid
	FileOffsets encode.Pair       `json:"file_offsets"`
}

// tensorJSON returns a row for JSON.
func (info *Info) tensorJSON(r *Row) any { return EntryOf(&info.Files[r.File], r.TensorInfo) }

// EntryOf returns a tensor of a file for JSON.
func EntryOf(f *File, ti *safetensors.TensorInfo) Entry {
	at, good := f.Header.FileSpan(ti), (f.Format == "" || f.Stored) && offsetsKnown(ti)
	return Entry{
		Name: ti.Name, Dtype: ti.Dtype, Shape: encode.Dims(ti.Shape), Elements: elementsOf(ti),
		Bytes: bytesOf(ti), File: f.Path,
		DataOffsets: encode.Pair{Begin: ti.Offsets.Begin, End: ti.Offsets.End, Known: good},
		FileOffsets: encode.Pair{Begin: at.Begin, End: at.End, Known: good},
	}
}

// JSON streams weigh.info/2.
func (info *Info) JSON(w io.Writer, s typeset.Style) error {
	shown := info.Rows[:info.Selection.shown(len(info.Rows))]
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.info/2"),
		encode.M("targets", info.Targets),
		encode.M("sets", info.Sets),
		encode.M("files", encode.List(info.Files, (*File).json)),
		encode.M("tensors", encode.List(shown, info.tensorJSON)),
		encode.M("dtypes", info.Dtypes),
		encode.M("totals", []encode.Member{encode.M("files", len(info.Files)), encode.M("tensors", info.Totals.Tensors),
			encode.M("params", info.certainParams()), encode.M("elements", info.Totals.Elements),
			encode.M("bytes", info.Totals.Bytes)}),
		encode.M("logical", logicalOf(info.Models)),
		encode.M("models", encode.List(info.Models, (*Model).json)),
		encode.M("violations", finding.FindingsJSON(info.Findings)),
		encode.M("truncated", len(shown) < len(info.Rows)),
	})
}

// CSV writes the tensors as CSV with a line of titles.
func (info *Info) CSV(w io.Writer, s typeset.Style) error {
	c := csv.NewWriter(w)
	encode.CSV(c, s, "tensor", "dtype", "shape", "elements", "bytes", "file")
	for _, r := range info.Rows[:info.Selection.shown(len(info.Rows))] {
		shape := ""
		if shapeKnown(r.TensorInfo) {
			shape = r.ShapeString()
		}
		encode.CSV(c, s, r.Name, string(r.Dtype), shape, elementsOf(r.TensorInfo).Cell(), bytesOf(r.TensorInfo).Cell(),
			info.Files[r.File].Path)
	}
	c.Flush()
	return c.Error()
}

// Markdown writes the tensors as a Markdown table.
func (info *Info) Markdown(w io.Writer, _ typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		encode.MarkdownRow(w, "tensor", "dtype", "shape", "elements", "bytes", "file")
		w.WriteString("|---|---|---|--:|--:|---|\n")
		for _, r := range info.Rows[:info.Selection.shown(len(info.Rows))] {
			encode.MarkdownRow(w, encode.Markdown(r.Name), encode.Markdown(DtypeOf(r.Dtype)), ShapeOf(r.TensorInfo),
				elementsOf(r.TensorInfo).Text(typeset.Count), bytesOf(r.TensorInfo).Text(typeset.Count),
				encode.Markdown(info.Files[r.File].Path))
		}
	})
}
