// The bytes of a file.

package viewer

import (
	"encoding/binary"
	"io"
	"net/http"
	"slices"
	"sort"
	"strconv"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/gguf"
)

// Bounds of answers about bytes.
const (
	mostRegions = 500
	mostCells   = 2048
	mostHex     = 64 << 10
)

// A byteLayout is the map of a file. Its regions take a third of the memory that a [listing.Layout] needs.
type byteLayout struct {
	*listing.Layout     // without regions
	base            int // the number of the first tensor of the file
	parts           []part
	details         map[int]string // of regions, by their index
	kinds           []kindSum
}

// A part is a region.
type part struct {
	span   safetensors.Span
	tensor int32 // its index in the file, or -1
	kind   uint8 // the index in byteLayout.kinds
}

// A kindSum is the sum over regions of a kind.
type kindSum struct {
	Kind    string `json:"kind"`
	Regions int    `json:"regions"`
	Bytes   int64  `json:"bytes"`
}

// layoutOf returns the map of a file, as the command layout makes it.
func (o *opened) layoutOf(r *reply.Request) (*byteLayout, error) {
	file, err := o.file(r)
	if err != nil {
		return nil, err
	}
	f := o.files()[file]
	if l, ok := o.layouts.Get(f.Path); ok {
		return l, nil
	}
	object, release, err := o.shelf.Take(r.Ctx(), f.Path)
	if err != nil {
		return nil, err
	}
	defer release()
	var own []finding.Finding
	for _, one := range o.found.Findings {
		if one.File == f.Path {
			own = append(own, one)
		}
	}
	l, err := mapOf(f, object.ReaderAt(r.Ctx()), own)
	if err != nil {
		return nil, err
	}
	b := compact(l)
	b.base = o.base[file]
	o.layouts.Put(f.Path, b)
	return b, nil
}

// compact returns a map in its short form.
func compact(l *listing.Layout) *byteLayout {
	b := &byteLayout{details: make(map[int]string), parts: make([]part, len(l.Regions))}
	indices := make(map[*safetensors.TensorInfo]int32)
	for i := 0; l.File.Header != nil && i < len(l.File.Header.Tensors); i++ {
		indices[&l.File.Header.Tensors[i]] = int32(i)
	}
	for i := range l.Regions {
		region := &l.Regions[i]
		k := slices.IndexFunc(b.kinds, func(k kindSum) bool { return k.Kind == region.Kind })
		if k < 0 {
			k = len(b.kinds)
			b.kinds = append(b.kinds, kindSum{Kind: region.Kind})
		}
		b.kinds[k].Regions++
		b.kinds[k].Bytes = encode.Add(b.kinds[k].Bytes, max(region.Span.Len(), 0))
		b.parts[i] = part{region.Span, -1, uint8(k)}
		if region.Tensor != nil {
			b.parts[i].tensor = indices[region.Tensor]
		}
		if region.Detail != "" && len(b.details) < mostRows {
			b.details[i] = region.Detail
		}
	}
	short := *l
	short.Regions = nil
	b.Layout = &short
	return b
}

// region returns a region of the map.
func (b *byteLayout) region(i int) listing.Region {
	p := b.parts[i]
	r := listing.Region{Kind: b.kinds[p.kind].Kind, Span: p.span, Detail: b.details[i]}
	if p.tensor >= 0 {
		r.Tensor = &b.File.Header.Tensors[p.tensor]
	}
	return r
}

// mapOf maps a file.
func mapOf(f listing.File, data io.ReaderAt, found []finding.Finding) (*listing.Layout, error) {
	switch {
	case f.Format == "gguf":
		report, err := gguf.Validate(data, f.Size)
		if err != nil {
			return nil, err
		}
		return listing.NewGGUFLayout(f, report.File, found), nil
	case f.Format != "" && f.Format != "unknown":
		return nil, reply.Problemf(http.StatusConflict, "%s is in another format (%s); weigh does not map its bytes",
			f.Path, f.Format)
	}
	const length = 8
	head := make([]byte, min(f.Size, length))
	if n, err := data.ReadAt(head, 0); n < len(head) {
		return nil, err
	}
	claimed := binary.LittleEndian.Uint64(append(head, make([]byte, length)...))
	var text []byte
	if claimed <= safetensors.MaxHeaderSize {
		text = make([]byte, min(int64(claimed), max(f.Size-length, 0)))
		if n, err := data.ReadAt(text, length); n < len(text) {
			return nil, err
		}
	}
	return listing.NewLayout(f, text, claimed, found), nil
}

// A regionRow is a region with its tensor.
type regionRow struct {
	listing.RegionEntry
	ID    *int    `json:"id,omitempty"`
	Name  *string `json:"name,omitempty"`
	Label string  `json:"label,omitempty"`
}

// layout answers as layout does, with a window of the regions.
func (v *Viewer) layout(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	offset, limit, err := r.Window(200, mostRegions)
	if err != nil {
		return nil, err
	}
	l, err := o.layoutOf(r)
	if err != nil {
		return nil, err
	}
	if r.Has("at") {
		at, err := r.Number("at", 0, max(l.File.Size-1, 0), 0)
		if err != nil {
			return nil, err
		}
		offset = l.regionAt(at)
	}
	offset = min(offset, len(l.parts))
	rows := []regionRow{}
	for i := range cut(l.parts, offset, limit) {
		region := l.region(offset + i)
		row := regionRow{RegionEntry: region.Entry()}
		if ti := region.Tensor; ti != nil {
			id := l.base + int(l.parts[offset+i].tensor)
			row.ID = &id
			row.Name, row.Label = named(ti.Name)
		}
		rows = append(rows, row)
	}
	short := *l.Layout
	short.Findings = cut(l.Findings, 0, mostFindings)
	return reply.Object(append(short.Members(rows), encode.M("total", len(l.parts)), encode.M("offset", offset),
		encode.M("kinds", l.kinds))...), nil
}

// regionAt returns the index of the region that has a byte.
func (l *byteLayout) regionAt(at int64) int {
	// Tensors with invalid offsets come last.
	i := sort.Search(len(l.parts), func(i int) bool { return l.parts[i].span.End == 0 || l.parts[i].span.Begin > at })
	return max(i-1, 0)
}

// A cell is a part of a file in the picture of its bytes.
type cell struct {
	Begin   int64  `json:"begin"`
	End     int64  `json:"end"`
	Kind    string `json:"kind"`
	Regions int    `json:"regions"`
	most    int64  // bytes of that kind
}

// severe are the kinds that a cell shows even if they are its smallest part, the worst first.
var severe = []string{"overlap", "missing", "gap", "trailing", "unknown"}

// bytemap answers with a picture of a part of a file, in cells of equal size.
func (v *Viewer) bytemap(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	l, err := o.layoutOf(r)
	if err != nil {
		return nil, err
	}
	size := max(l.File.Size, 1)
	begin, err := r.Number("begin", 0, size-1, 0)
	if err != nil {
		return nil, err
	}
	end, err := r.Number("end", begin+1, size, size)
	if err != nil {
		return nil, err
	}
	n, err := r.Number("cells", 1, mostCells, 512)
	if err != nil {
		return nil, err
	}
	return reply.Object(encode.M("cells", cellsOf(l, begin, end, min(n, end-begin)))), nil
}

// cellsOf divides a part of a file into n cells.
func cellsOf(l *byteLayout, begin, end, n int64) []cell {
	cells := make([]cell, n)
	step := (end - begin + n - 1) / n
	n = (end - begin + step - 1) / step
	cells = cells[:n]
	for i := range cells {
		cells[i].Begin, cells[i].End = begin+int64(i)*step, min(begin+int64(i+1)*step, end)
	}
	for _, p := range l.parts {
		from, to := max(p.span.Begin, begin), min(p.span.End, end)
		if from >= to {
			continue
		}
		for at := (from - begin) / step; at <= (to-1-begin)/step; at++ {
			c := &cells[at]
			c.add(l.kinds[p.kind].Kind, min(to, c.End)-max(from, c.Begin))
		}
	}
	return cells
}

// add adds bytes of a kind.
func (c *cell) add(kind string, bytes int64) {
	c.Regions++
	was, is := slices.Index(severe, c.Kind), slices.Index(severe, kind)
	if is >= 0 && (was < 0 || is < was) || was < 0 && bytes > c.most {
		c.Kind, c.most = kind, bytes
	}
}

// hex answers with bytes of a file.
func (v *Viewer) hex(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	file, err := o.file(r)
	if err != nil {
		return nil, err
	}
	object, release, err := o.shelf.Take(r.Ctx(), o.files()[file].Path)
	if err != nil {
		return nil, err
	}
	defer release()
	offset, err := r.Number("offset", 0, max(object.Size()-1, 0), 0)
	if err != nil {
		return nil, err
	}
	length, err := r.Number("length", 1, mostHex, 4096)
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(length, object.Size()-offset))
	if n, err := object.ReaderAt(r.Ctx()).ReadAt(b, offset); n < len(b) {
		return nil, err
	}
	r.W.Header().Set("Content-Type", "application/octet-stream")
	r.W.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = r.W.Write(b)
	return nil, nil
}
