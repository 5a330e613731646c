// Which tensors are listed, and in what order.

package listing

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// rowsOf returns rows of tensors of one U8 each, of the given names.
func rowsOf(names ...string) []Row {
	rows := make([]Row, len(names))
	for i, name := range names {
		rows[i] = Row{&safetensors.TensorInfo{
			Name: name, Dtype: safetensors.U8, Shape: []int64{1}, Offsets: safetensors.Span{Begin: int64(i), End: int64(i) + 1},
		}, 0}
	}
	return rows
}

// The order is that of a reader: numbers by value, and a word with all that
// follows it after a dot before a longer word.
func TestCompareNames(t *testing.T) {
	want := []string{
		"", "a", "a.", "a..b", "a.b", "a.b.c", "a-b", "a0", "a00", "a1", "a1.x", "a2", "a02", "a10", "a10.x", "ab",
		"l.2.w", "l.10.w", "l.10-b.w", "l.99999999999999999999", "l.100000000000000000000", "é",
	}
	for i, a := range want {
		for j, b := range want {
			got := typeset.CompareNames(a, b)
			if (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("typeset.CompareNames(%q, %q) = %d", a, b, got)
			}
		}
	}
}

func TestSelectionSort(t *testing.T) {
	tensor := func(name string, d safetensors.Dtype, begin, end int64, shape ...int64) safetensors.TensorInfo {
		return safetensors.TensorInfo{Name: name, Dtype: d, Shape: shape, Offsets: safetensors.Span{Begin: begin, End: end}}
	}
	files := []File{
		{Path: "1", Header: &safetensors.Header{Tensors: []safetensors.TensorInfo{
			tensor("c.10", safetensors.F32, 12, 20, 2),
			tensor("c.9", safetensors.F16, 0, 12, 2, 3),
		}}},
		{Path: "2"}, // a file of which nothing can be made out
		{Path: "3", Header: &safetensors.Header{Tensors: []safetensors.TensorInfo{
			tensor("a", safetensors.BF16, 2, 4, 1),
			tensor("b", safetensors.U8, 0, 2, 2),
			tensor("none", safetensors.U8, 0, 0, math.MinInt64, 0), // 2^63 by 0
		}}},
	}
	for _, tt := range []struct {
		sel  Selection
		want []string
	}{
		{Selection{}, []string{"c.10", "c.9", "a", "b", "none"}},
		{Selection{Sort: "name"}, []string{"a", "b", "c.9", "c.10", "none"}},
		{Selection{Sort: "name", Reverse: true}, []string{"none", "c.10", "c.9", "b", "a"}},
		{Selection{Sort: "dtype"}, []string{"b", "none", "a", "c.9", "c.10"}},
		{Selection{Sort: "shape"}, []string{"a", "c.10", "b", "c.9", "none"}},
		{Selection{Sort: "elements"}, []string{"c.9", "c.10", "b", "a", "none"}},
		{Selection{Sort: "bytes"}, []string{"c.9", "c.10", "a", "b", "none"}},
		{Selection{Sort: "offset"}, []string{"c.9", "c.10", "b", "none", "a"}},
		{Selection{Sort: "file"}, []string{"c.10", "c.9", "a", "b", "none"}},
		{Selection{Dtypes: []safetensors.Dtype{safetensors.U8, safetensors.F32}}, []string{"c.10", "b", "none"}},
	} {
		var got []string
		for _, r := range tt.sel.rows(files) {
			got = append(got, r.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("sorted by %q, reversed %v, dtypes %v (-want +got):\n%s", tt.sel.Sort, tt.sel.Reverse, tt.sel.Dtypes, diff)
		}
	}
	for _, key := range SortKeys {
		if orders[key] == nil {
			t.Errorf("there is no order for the key %q", key)
		}
	}
}

// Sums of what a hostile header claims do not turn negative.
func TestSumsSaturate(t *testing.T) {
	huge := safetensors.TensorInfo{Dtype: safetensors.U8, Shape: []int64{math.MaxInt64}, Offsets: safetensors.Span{Begin: 0, End: math.MaxInt64}}
	info := NewInfo(Inventory{Files: []File{{Header: &safetensors.Header{Tensors: []safetensors.TensorInfo{huge, huge}}}}}, Selection{})
	if info.Totals != (Totals{2, math.MaxInt64, math.MaxInt64}) {
		t.Errorf("totals %+v", info.Totals)
	}
	if got := encode.Times(math.MaxInt64/2, 3); got != math.MaxInt64 {
		t.Errorf("times: %d", got)
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names []string
		want  []string
	}{
		{"a range", []string{"l.0.w", "l.1.w", "l.2.w"}, []string{"l.[0-2].w × 3"}},
		{"in any order", []string{"l.10.w", "l.9.w", "l.11.w"}, []string{"l.[9-11].w × 3"}},
		{"one is no range", []string{"l.0.w", "m.0.w"}, []string{"l.0.w × 1", "m.0.w × 1"}},
		{"a gap", []string{"l.0.w", "l.1.w", "l.3.w", "l.4.w"}, []string{"l.[0-1].w × 2", "l.[3-4].w × 2"}},
		{"experts of layers", []string{"l.0.e.0", "l.0.e.1", "l.1.e.0", "l.1.e.1"}, []string{"l.[0-1].e.[0-1] × 4"}},
		{"one expert too many", []string{"l.0.e.0", "l.0.e.1", "l.1.e.0", "l.1.e.1", "l.1.e.2"}, []string{"l.0.e.[0-1] × 2", "l.1.e.[0-2] × 3"}},
		{"interleaved", []string{"l.0.a", "l.0.b", "l.1.a", "l.1.b"}, []string{"l.[0-1].a × 2", "l.[0-1].b × 2"}},
		{"a zero in front is no number", []string{"l.00.w", "l.01.w"}, []string{"l.00.w × 1", "l.01.w × 1"}},
		{"nor is part of a word", []string{"fc1.w", "fc2.w"}, []string{"fc1.w × 1", "fc2.w × 1"}},
		{"twice the same", []string{"l.0", "l.0", "l.1"}, []string{"l.0 × 1", "l.[0-1] × 2"}},
		{"the end of a name", []string{"0", "1"}, []string{"[0-1] × 2"}},
		{"a number too large", []string{"9999999999", "10000000000"}, []string{"9999999999 × 1", "10000000000 × 1"}},
		{"a name like a template", []string{"l.\x00.w", "l.1.w"}, []string{"l.\x00.w × 1", "l.1.w × 1"}},
		{"dots alone", []string{"..", "."}, []string{".. × 1", ". × 1"}},
	} {
		var got []string
		for _, f := range Fold(rowsOf(tt.names...)) {
			got = append(got, f.Name+" × "+encode.Digits(int64(f.Count)))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFoldKeepsApartWhatDiffers(t *testing.T) {
	rows := rowsOf("l.0", "l.1", "l.2", "l.3")
	rows[1].Dtype = safetensors.I8
	rows[2].Shape = []int64{1, 1}
	if lines := Fold(rows); len(lines) != 4 {
		t.Errorf("%d lines, want 4", len(lines))
	}
}

func TestFoldSums(t *testing.T) {
	rows := rowsOf("l.0", "l.1", "l.2")
	rows[2].File = 1
	lines := Fold(rows)
	if len(lines) != 1 || lines[0].bytes != 3 || lines[0].elements() != 3 || lines[0].file != -1 {
		t.Errorf("%+v", lines)
	}
}

func TestSelected(t *testing.T) {
	var list []*safetensors.Tensor
	for _, name := range []string{"l.10", "l.2", "m"} {
		list = append(list, &safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Name: name, Dtype: safetensors.U8}})
	}
	sel := Selection{Sort: "name", Limit: 2}
	got, truncated := sel.Selected(list)
	if len(got) != 2 || got[0].Name != "l.2" || got[1].Name != "l.10" || !truncated {
		t.Errorf("%v, %v", got, truncated)
	}
}
