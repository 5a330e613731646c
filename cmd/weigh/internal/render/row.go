// Rows: tensors of several files as one listing; which are in it, in what order.

package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
)

// A Row is a tensor in a listing. Rows are small, since there may be a million.
type Row struct {
	*safetensors.TensorInfo
	File int // which of the listing's files it is in
}

// A Selection says which tensors are listed, and in what order. The zero
// Selection is all of them, in the order of the headers.
type Selection struct {
	Include, Exclude []*glob.Pattern
	Dtypes           []safetensors.Dtype // none means all
	Sort             string              // one of SortKeys; "" means the order of the headers
	Reverse          bool
	Limit            int // how many at most; 0 means no limit
}

// SortKeys are what a listing can be sorted by.
var SortKeys = []string{"name", "dtype", "shape", "params", "bytes", "offset", "file"}

// Filters says whether the selection may leave tensors out.
func (s *Selection) Filters() bool { return len(s.Include)+len(s.Exclude)+len(s.Dtypes) > 0 }

// Has says whether the selection has ti.
func (s *Selection) Has(ti *safetensors.TensorInfo) bool {
	matches := func(p *glob.Pattern) bool { return p.Match(ti.Name) }
	switch {
	case len(s.Dtypes) > 0 && !slices.Contains(s.Dtypes, ti.Dtype):
		return false
	case len(s.Include) > 0 && !slices.ContainsFunc(s.Include, matches):
		return false
	}
	return !slices.ContainsFunc(s.Exclude, matches)
}

// rows returns the tensors of files that are in the selection, in its order,
// without regard to the limit.
func (s *Selection) rows(files []File) []Row {
	n := 0
	for i := range files {
		n += files[i].tensors()
	}
	rows := make([]Row, 0, n)
	for i := range files {
		if files[i].Header == nil {
			continue
		}
		tensors := files[i].Header.Tensors
		for j := range tensors {
			if s.Has(&tensors[j]) {
				rows = append(rows, Row{&tensors[j], i})
			}
		}
	}
	s.sort(rows)
	return rows
}

// sort sorts rows. What is equal keeps its order.
func (s *Selection) sort(rows []Row) {
	if order := orders[s.Sort]; order != nil {
		slices.SortStableFunc(rows, order)
	}
	if s.Reverse {
		slices.Reverse(rows)
	}
}

// orders are how listings are sorted. What has a size comes largest first: the
// question is as a rule where the bytes went.
var orders = map[string]func(a, b Row) int{
	"name":   func(a, b Row) int { return compareNames(a.Name, b.Name) },
	"dtype":  func(a, b Row) int { return compareDtypes(a.Dtype, b.Dtype) },
	"shape":  func(a, b Row) int { return compareShapes(a.Shape, b.Shape) },
	"params": func(a, b Row) int { return cmp.Compare(paramsOf(b.TensorInfo), paramsOf(a.TensorInfo)) },
	"bytes":  func(a, b Row) int { return cmp.Compare(bytesOf(b.TensorInfo), bytesOf(a.TensorInfo)) },
	"offset": func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offsets.Begin, b.Offsets.Begin))
	},
	"file": func(a, b Row) int { return cmp.Compare(a.File, b.File) },
}

// compareDtypes compares by the width of elements, and then by name.
func compareDtypes(a, b safetensors.Dtype) int {
	return cmp.Or(cmp.Compare(a.Bits(), b.Bits()), cmp.Compare(a, b))
}

// compareShapes compares by rank, and then dimension by dimension. Dimensions
// are unsigned: see safetensors.TensorInfo.
func compareShapes(a, b []int64) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return slices.CompareFunc(a, b, func(a, b int64) int { return cmp.Compare(uint64(a), uint64(b)) })
}

// compareNames compares names as people do: numbers by value, so that layer 2
// comes before layer 10, and what is between dots as a whole, so that all names
// with a common start up to a dot stand together.
func compareNames(a, b string) int {
	for len(a) > 0 && len(b) > 0 {
		if isDigit(a[0]) && isDigit(b[0]) {
			x, y := digits(a), digits(b)
			if c := compareNumbers(x, y); c != 0 {
				return c
			}
			a, b = a[len(x):], b[len(y):]
			continue
		}
		if a[0] != b[0] {
			// A dot comes before everything else.
			switch {
			case a[0] == '.':
				return -1
			case b[0] == '.':
				return +1
			}
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// isDigit says whether c is one of 0 to 9.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digits returns the digits at the start of s.
func digits(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n]
}

// compareNumbers compares digits by value, and equal values by their number of
// zeros in front.
func compareNumbers(a, b string) int {
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(len(a), len(b)))
}
