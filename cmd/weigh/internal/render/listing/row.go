// Package listing shows tensors and files: tables, trees, totals, models, the byte
// map of one file, and metadata.
package listing

import (
	"cmp"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A Row is a tensor in a listing. Rows are small, since there may be a million.
type Row struct {
	*safetensors.TensorInfo
	File int // index of the file
}

// A Selection selects and sorts tensors. The zero Selection is all tensors in the order of
// headers.
type Selection struct {
	glob.Filter
	Dtypes  []safetensors.Dtype // none means all
	Sort    string              // one of SortKeys; "" means the order of the headers
	Reverse bool
	Limit   int // maximum number; 0 means no limit
}

// SortKeys are the accepted sort keys.
var SortKeys = []string{"name", "dtype", "shape", "elements", "bytes", "offset", "file"}

// Filters reports whether the selection can exclude tensors.
func (s *Selection) Filters() bool { return len(s.Include)+len(s.Exclude)+len(s.Dtypes) > 0 }

// Has reports whether ti is selected.
func (s *Selection) Has(ti *safetensors.TensorInfo) bool {
	return (len(s.Dtypes) == 0 || slices.Contains(s.Dtypes, ti.Dtype)) && s.Filter.Has(ti.Name)
}

// rows returns the selected tensors of files in order. It ignores the limit.
func (s *Selection) rows(files []File) []Row {
	n := 0
	for i := range files {
		n += len(files[i].tensors())
	}
	rows := make([]Row, 0, n)
	for i := range files {
		tensors := files[i].tensors()
		for j := range tensors {
			if s.Has(&tensors[j]) {
				rows = append(rows, Row{&tensors[j], i})
			}
		}
	}
	s.sort(rows)
	return rows
}

// sort sorts rows. It is stable.
func (s *Selection) sort(rows []Row) {
	if order := orders[s.Sort]; order != nil {
		slices.SortStableFunc(rows, order)
	}
	if s.Reverse {
		slices.Reverse(rows)
	}
}

// orders maps sort keys to comparisons. Sizes sort in descending order.
var orders = map[string]func(a, b Row) int{
	"name":     func(a, b Row) int { return typeset.CompareNames(a.Name, b.Name) },
	"dtype":    func(a, b Row) int { return compareDtypes(a.Dtype, b.Dtype) },
	"shape":    func(a, b Row) int { return compareShapes(a.Shape, b.Shape) },
	"elements": func(a, b Row) int { return cmp.Compare(elementsOf(b.TensorInfo), elementsOf(a.TensorInfo)) },
	"bytes":    func(a, b Row) int { return cmp.Compare(bytesOf(b.TensorInfo), bytesOf(a.TensorInfo)) },
	"offset": func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offsets.Begin, b.Offsets.Begin))
	},
	"file": func(a, b Row) int { return cmp.Compare(a.File, b.File) },
}

// OrderBy returns the comparison for a sort key, or nil for "", the order of headers.
func OrderBy(key string) func(a, b Row) int { return orders[key] }

// compareDtypes compares by the width of elements, then by name.
func compareDtypes(a, b safetensors.Dtype) int {
	return cmp.Or(cmp.Compare(a.Bits(), b.Bits()), cmp.Compare(a, b))
}

// compareShapes compares by rank, then by dimensions, which are unsigned (see
// safetensors.TensorInfo).
func compareShapes(a, b []int64) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return slices.CompareFunc(a, b, func(a, b int64) int { return cmp.Compare(uint64(a), uint64(b)) })
}

// Selected returns the selected tensors in order, and whether the limit cut some off.
func (s *Selection) Selected(list []*safetensors.Tensor) (_ []*safetensors.Tensor, truncated bool) {
	var rows []Row
	for i, t := range list {
		if s.Has(&t.TensorInfo) {
			rows = append(rows, Row{&t.TensorInfo, i})
		}
	}
	s.sort(rows)
	selected := make([]*safetensors.Tensor, s.shown(len(rows)))
	for i := range selected {
		selected[i] = list[rows[i].File]
	}
	return selected, len(selected) < len(rows)
}

// Invalid files are listed, too, and some of their entries cannot be parsed. Unknown values must
// not look like known ones: an unreadable shape is not the shape of a scalar, and invalid offsets
// are not a size of 0.

// shapeKnown reports whether the shape was parsed. The shape of a scalar is empty, not nil.
func shapeKnown(ti *safetensors.TensorInfo) bool { return ti.Shape != nil }

// offsetsKnown reports whether the offsets are valid. Otherwise they are -1.
func offsetsKnown(ti *safetensors.TensorInfo) bool { return ti.Offsets.Begin >= 0 }

// elementsOf returns the number of elements. It is unknown if the shape is, or if the product
// overflows; NumElems is 0 then, although no dimension is 0.
func elementsOf(ti *safetensors.TensorInfo) encode.Known {
	n := ti.NumElems()
	if !shapeKnown(ti) || n == 0 && !slices.Contains(ti.Shape, 0) {
		return encode.Unknown
	}
	return encode.Known(n)
}

// bytesOf returns the size of the data in bytes.
func bytesOf(ti *safetensors.TensorInfo) encode.Known {
	if !offsetsKnown(ti) {
		return encode.Unknown
	}
	return encode.Known(ti.Size())
}

// ShapeOf returns the shape for a table.
func ShapeOf(ti *safetensors.TensorInfo) string {
	if !shapeKnown(ti) {
		return encode.Unclear
	}
	return ti.ShapeString()
}

// DtypeOf returns the dtype for a table.
func DtypeOf(d safetensors.Dtype) string {
	if d == "" {
		return encode.Unclear
	}
	return typeset.Name(string(d))
}
