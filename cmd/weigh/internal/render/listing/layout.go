// The byte map of a file.

package listing

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/gguf"
)

// A Region is a range of bytes in a file. Only tensors and overlaps can share bytes with others.
type Region struct {
	Kind   string // "length", "header", "padding", "tensor", "gap", "overlap", "trailing", "missing" or "unknown"
	Span   safetensors.Span
	Tensor *safetensors.TensorInfo // for a tensor or an overlap, else nil
	Detail string
	Hex    []byte // the first bytes, if requested
}

// A Layout is the byte map of a file.
type Layout struct {
	File     File
	Regions  []Region
	Findings []finding.Finding
	Omitted  []finding.Omission
}

// NewLayout maps a file. Header is the header text that the file contains; claimed is the header
// length that the file claims.
func NewLayout(f File, header []byte, claimed uint64, findings []finding.Finding) *Layout {
	l := &Layout{File: f, Findings: findings}
	if slices.ContainsFunc(findings, isOtherFormat) {
		l.add("unknown", 0, f.Size, "") // the first bytes are no length
		return l
	}
	const length = 8 // bytes of the length field
	l.add("length", 0, min(length, f.Size), fmt.Sprintf("N = %d", claimed))
	if f.Size < length {
		return l
	}
	if f.Header == nil {
		// Without a header, the rest is unknown.
		l.add("unknown", length, f.Size, "")
		return l
	}
	text := int64(len(bytes.TrimRight(header, " \t\r\n")))
	end := min(f.Header.DataStart(), f.Size)
	l.add("header", length, length+text, typeset.Plural(int64(len(f.tensors())), "tensor"))
	l.add("padding", length+text, end, "")
	l.data(end, 1)
	return l
}

// NewGGUFLayout maps a GGUF file.
func NewGGUFLayout(f File, g *gguf.File, findings []finding.Finding) *Layout {
	l := &Layout{File: f, Findings: findings}
	if g == nil || g.DataStart == 0 {
		l.add("unknown", 0, f.Size, "") // cut off in the header, or not of a known version
		return l
	}
	l.add("header", 0, min(g.End, f.Size), typeset.Plural(int64(len(g.Keys)), "key")+", "+
		typeset.Plural(int64(len(g.Tensors)), "tensor"))
	l.add("padding", g.End, min(g.DataStart, f.Size), "")
	l.data(g.DataStart, g.Alignment)
	return l
}

// isOtherFormat reports whether a finding says that the file is not a safetensors file.
func isOtherFormat(f finding.Finding) bool { return f.Rule == safetensors.RuleNotSafetensors }

// add adds a region unless it is empty.
func (l *Layout) add(kind string, begin, end int64, detail string) {
	if begin < end {
		l.Regions = append(l.Regions, Region{Kind: kind, Span: safetensors.Span{Begin: begin, End: end}, Detail: detail})
	}
}

// data maps tensors in the order of their bytes, and the gaps between them. Gaps up to the next multiple of the
// alignment are padding.
func (l *Layout) data(start, alignment int64) {
	gap := func(kind string, begin, end int64) {
		if end-begin < alignment && (end%alignment == 0 || end == l.File.Size) {
			kind = "padding"
		}
		l.add(kind, begin, end, "")
	}
	h := l.File.Header
	var tensors, lost []*safetensors.TensorInfo
	for i := range h.Tensors {
		if ti := &h.Tensors[i]; ti.Offsets.Begin >= 0 {
			tensors = append(tensors, ti)
		} else {
			lost = append(lost, ti)
		}
	}
	slices.SortStableFunc(tensors, func(a, b *safetensors.TensorInfo) int {
		return cmp.Or(cmp.Compare(a.Offsets.Begin, b.Offsets.Begin), cmp.Compare(a.Offsets.End, b.Offsets.End))
	})
	end := start
	for _, ti := range tensors {
		at := h.FileSpan(ti)
		gap("gap", end, at.Begin)
		if at.Begin < end && at.Begin < at.End {
			l.Regions = append(l.Regions, Region{Kind: "overlap",
				Span: safetensors.Span{Begin: at.Begin, End: min(at.End, end)}, Tensor: ti})
		}
		l.Regions = append(l.Regions, Region{Kind: "tensor", Span: at, Tensor: ti})
		end = max(end, at.End)
	}
	gap("trailing", end, l.File.Size)
	if end > l.File.Size {
		l.add("missing", max(l.File.Size, start), end, "the file is truncated")
	}
	for _, ti := range lost {
		l.Regions = append(l.Regions, Region{Kind: "tensor", Tensor: ti, Detail: "invalid offsets"})
	}
}

// HexSize is the number of bytes in a hex dump.
const HexSize = 16

// Dump reads the first bytes of each region from r, as far as the file contains them.
func (l *Layout) Dump(r io.ReaderAt) error {
	for i := range l.Regions {
		region := &l.Regions[i]
		n := min(region.Span.End, l.File.Size) - region.Span.Begin
		if n <= 0 {
			continue
		}
		region.Hex = make([]byte, min(n, HexSize))
		if n, err := r.ReadAt(region.Hex, region.Span.Begin); n < len(region.Hex) {
			return err
		}
	}
	return nil
}

// A RegionEntry is a region in JSON.
type RegionEntry struct {
	Kind   string             `json:"kind"`
	Bytes  encode.Pair        `json:"bytes"`
	Size   encode.Known       `json:"size"`
	Name   *string            `json:"name,omitempty"`
	Dtype  *safetensors.Dtype `json:"dtype,omitempty"`
	Shape  *encode.Dims       `json:"shape,omitempty"`
	Detail string             `json:"detail,omitempty"`
	Hex    string             `json:"hex,omitempty"`
}

// Entry returns the region for JSON.
func (r *Region) Entry() RegionEntry {
	j := RegionEntry{
		Kind: r.Kind, Bytes: encode.Pair{Begin: r.Span.Begin, End: r.Span.End, Known: r.Span.End > 0}, Size: r.size(),
		Detail: r.Detail, Hex: hex.EncodeToString(r.Hex),
	}
	if ti := r.Tensor; ti != nil {
		j.Name, j.Dtype, j.Shape = &ti.Name, &ti.Dtype, (*encode.Dims)(&ti.Shape)
	}
	return j
}

// JSON writes weigh.layout/1.
func (l *Layout) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, l.Members(encode.List(l.Regions, func(r *Region) any { return r.Entry() })))
}

// Members returns the members of weigh.layout/1, with the given regions.
func (l *Layout) Members(regions any) []encode.Member {
	return []encode.Member{
		encode.M("schema", "weigh.layout/1"),
		encode.M("target", l.File.Path),
		encode.M("size", encode.Known(l.File.Size)),
		encode.M("regions", regions),
		encode.M("violations", finding.FindingsJSON(l.Findings)),
	}
}

// what describes the region.
func (r *Region) what() string {
	what := r.Kind
	switch {
	case r.Kind == "tensor":
		what = typeset.Name(r.Tensor.Name)
	case r.Tensor != nil:
		what += " of " + typeset.Name(r.Tensor.Name)
	}
	if r.Detail != "" {
		what += " (" + r.Detail + ")"
	}
	return what
}

// size returns the size of the region. It is unknown for a tensor with invalid offsets.
func (r *Region) size() encode.Known {
	if r.Span.End == 0 {
		return encode.Unknown
	}
	return encode.Known(r.Span.Len())
}

// offset formats an end of the region.
func (r *Region) offset(n int64) string {
	if r.Span.End == 0 {
		return "?" // a tensor with invalid offsets
	}
	return typeset.Count(n)
}

// color returns red for errors and dim for regions that are not data.
func (r *Region) color() string {
	switch r.Kind {
	case "tensor":
		return ""
	case "length", "header", "padding":
		return typeset.Dim
	}
	return typeset.Red
}

// Text writes the map as a table, then the findings.
func (l *Layout) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		l.table(w, s).Write(w, s)
		w.WriteByte('\n')
		if len(l.Findings) > 0 {
			finding.WriteProblems(w, s, l.Findings, l.Omitted)
		}
		typeset.Wrap(w, s, 0, typeset.Bold, fmt.Sprintf("%s %s, %s", s.Fit(typeset.Label(l.File.Path)+":"),
			typeset.ExactBytes(l.File.Size), typeset.Plural(int64(len(l.File.tensors())), "tensor")))
	})
}

// table returns the map as a table. The hex dump of a region is below its row.
func (l *Layout) table(w *bufio.Writer, s typeset.Style) *typeset.Table {
	t := &typeset.Table{N: len(l.Regions), Color: func(i int) string { return l.Regions[i].color() }}
	// tensor returns cells for columns that only tensors have.
	tensor := func(cell func(*safetensors.TensorInfo) string) func(int) string {
		return func(i int) string {
			if l.Regions[i].Kind != "tensor" {
				return ""
			}
			return cell(l.Regions[i].Tensor)
		}
	}
	t.Columns = []typeset.Column{
		{Title: "BEGIN", Right: true, Cell: func(i int) string { return l.Regions[i].offset(l.Regions[i].Span.Begin) }},
		{Title: "END", Right: true, Cell: func(i int) string { return l.Regions[i].offset(l.Regions[i].Span.End) }},
		{Title: "SIZE", Right: true, Yields: 1, Cell: func(i int) string { return l.Regions[i].size().Text(typeset.Bytes) }},
		{Title: "WHAT", Distinct: true, Least: s.NameWidth(), Cut: typeset.Dotted,
			Cell: func(i int) string { return l.Regions[i].what() }},
		{Title: "DTYPE", Color: typeset.Cyan, Yields: 3,
			Cell: tensor(func(ti *safetensors.TensorInfo) string { return DtypeOf(ti.Dtype) })},
		{Title: "SHAPE", Least: 8, Yields: 2, Cut: typeset.Listed, Cell: tensor(ShapeOf)},
	}
	t.Below = func(i int) {
		if b := l.Regions[i].Hex; len(b) > 0 {
			w.WriteString(s.Paint(typeset.Dim, dump(b, s.Width)) + "\n")
		}
	}
	return t
}

// dump returns bytes in the style of hexdump -C, as many as fit into width.
func dump(b []byte, width int) string {
	const indent, perByte, frame = "    ", 4, 3 // Columns: "xx ", and the character
	if width > 0 {
		b = b[:min(len(b), max((width-len(indent)-frame)/perByte, 4))]
	}
	text := []byte(indent)
	for _, c := range b {
		text = fmt.Appendf(text, "%02x ", c)
	}
	text = append(text, " |"...)
	for _, c := range b {
		if c < ' ' || c > '~' {
			c = '.'
		}
		text = append(text, c)
	}
	return string(append(text, '|'))
}
