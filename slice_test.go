// Slices: what NumPy selects, and what the reference does.

package safetensors_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// testdata/slices.txt says what NumPy selects, and how it is written.
func TestSliceAsNumPyDoes(t *testing.T) {
	f, err := os.Open("testdata/slices.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tensor *safetensors.Tensor
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, want, ok := strings.Cut(lines.Text(), "\t")
		switch {
		case strings.HasPrefix(text, "#"):
			continue
		case !ok:
			tensor = numbered(t, shapeIn(t, text)...)
			continue
		}
		cases++
		if got := outcome(t, tensor, text); got != want {
			t.Errorf("%v[%s] is %s, and in NumPy %s", tensor.Shape, text, got, want)
		}
	}
	if cases < 2000 {
		t.Errorf("%d cases", cases)
	}
}

func shapeIn(t *testing.T, text string) (shape []int64) {
	t.Helper()
	for d := range strings.FieldsSeq(strings.Trim(text, "[]")) {
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		shape = append(shape, n)
	}
	return shape
}

// outcome returns what a slice is, as slices.txt writes it.
func outcome(t *testing.T, tensor *safetensors.Tensor, text string) string {
	t.Helper()
	ranges, err := safetensors.ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	part, err := tensor.Slice(ranges...)
	if err != nil {
		return "!"
	}
	shape := strings.NewReplacer("[", "", "]", "", ",", "").Replace(part.ShapeString())
	return strings.TrimSpace(fmt.Sprintf("%s %08x", shape, crc32.ChecksumIEEE(mustBytes(t, part))))
}

// A sliceCase is one of ../shared/conformance/slice.jsonl: an index for each
// axis, a number or [start, stop], and what the reference crate gave for it.
type sliceCase struct {
	Case     string
	Dtype    safetensors.Dtype
	Shape    []int64
	Index    []json.RawMessage
	Expected struct {
		NewShape []int64
		Ranges   [][2]int64
		Error    string
	}
}

// differences are the cases in which the reference gives an error, or dies, and
// NumPy's semantics give a tensor: the shape of it.
var differences = map[string]string{
	// A range may start or end at the end of the axis, or past it.
	"F32[2, 3][[2, 2]]":                     "[0, 3]",
	"F32[2, 3][[None, 3]]":                  "[2, 3]",
	"F32[0, 3][[None, 0]]":                  "[0, 3]",
	"F32[0, 3][[0, None]]":                  "[0, 3]",
	"F32[0, 3][[None, None], [None, None]]": "[0, 3]",
	"F32[3, 0][[None, None], [0, 0]]":       "[3, 0]",
	"F32[0, 3][[None, None], 1]":            "[0]",
	// A range may end before it starts.
	"F32[2, 3][[None, None], [2, 1]]": "[2, 0]",
	"F32[2, 3][[1, 0], [0, 1]]":       "[0, 1]",
	// Elements need not lie on bytes, as long as their number fills some.
	"F4[3, 4][[None, None], [1, 3]]": "[3, 2]",
	"F6_E2M3[8][[2, 6]]":             "[4]",
}

func TestSliceAsTheReferenceDoes(t *testing.T) {
	for _, c := range jsonLines[sliceCase](t, "../shared/conformance/slice.jsonl") {
		size, _ := c.Dtype.Size(elems(c.Shape))
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i)
		}
		tensor := inFile(t, data, c.Dtype, c.Shape...)
		part, err := tensor.Slice(rangesOf(t, c.Index)...)
		shape, differs := differences[c.Case]
		switch {
		case differs && (err != nil || part.ShapeString() != shape || c.Expected.Error == ""):
			t.Errorf("%s: %v, %v, want %s where the reference says %q", c.Case, part, err, shape, c.Expected.Error)
		case !differs && (err == nil) != (c.Expected.Error == ""):
			t.Errorf("%s: %v, and the reference says %q", c.Case, err, c.Expected.Error)
		case err == nil && !differs:
			var want []byte
			for _, r := range c.Expected.Ranges {
				want = append(want, data[r[0]:r[1]]...)
			}
			checkReaderAt(t, part, want)
			if !slices.Equal(part.Shape, c.Expected.NewShape) {
				t.Errorf("%s has shape %v, want %v", c.Case, part.Shape, c.Expected.NewShape)
			}
		}
	}
}

// rangesOf returns the ranges of a case, by way of the notation.
func rangesOf(t *testing.T, index []json.RawMessage) []safetensors.Range {
	t.Helper()
	var items []string
	for _, one := range index {
		item := string(one)
		if item[0] == '[' {
			item = strings.NewReplacer("[", "", "]", "", "null", "", ",", ":").Replace(item)
		}
		items = append(items, item)
	}
	ranges, err := safetensors.ParseRanges(strings.Join(items, ","))
	if err != nil {
		t.Fatal(err)
	}
	return ranges
}

func TestSliceIsATensorOfItsOwn(t *testing.T) {
	part := mustSlice(t, inFile(t, make([]byte, 24), safetensors.F32, 2, 3), "1, :2")
	want := safetensors.TensorInfo{Name: "w", Dtype: safetensors.F32, Shape: []int64{2}, Offsets: safetensors.Span{End: 8}}
	if part.Name != want.Name || part.Dtype != want.Dtype || !slices.Equal(part.Shape, want.Shape) || part.Offsets != want.Offsets || part.Entry != want.Entry {
		t.Errorf("%+v, want %+v", part.TensorInfo, want)
	}
}

func TestSliceOfSlice(t *testing.T) {
	// The element at [i][j][k] of a 4 x 5 x 6 tensor is 30i + 6j + k.
	tensor := numbered(t, 4, 5, 6)
	part := mustSlice(t, tensor, "1:, ::2, 1::2") // i = 1 2 3; j = 0 2 4; k = 1 3 5
	part = mustSlice(t, part, "-1, 1:")           // i = 3; j = 2 4; k = 1 3 5
	part = mustSlice(t, part, ":, 1:")            // k = 3 5
	want := []uint32{90 + 12 + 3, 90 + 12 + 5, 90 + 24 + 3, 90 + 24 + 5}
	if got, err := safetensors.Read[uint32](part); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	checkReaderAt(t, part, binaryOf(want))
	// What is all in one piece of a slice is a piece of its reader.
	row := mustSlice(t, mustSlice(t, tensor, ":, 1:4, :"), "2, 1:") // 60 + 12 … 60 + 23
	checkReaderAt(t, row, mustBytes(t, mustSlice(t, tensor, "2, 2:4")))
}

func TestSliceErrors(t *testing.T) {
	tensor := numbered(t, 2, 3)
	huge := raw(bytes.NewReader(nil), safetensors.U8, math.MinInt64, 0) // 2^63 x 0
	f4 := raw(bytes.NewReader(make([]byte, 6)), safetensors.F4, 3, 4)
	wrong := numbered(t, 6)
	wrong.Shape = []int64{5}
	none := numbered(t, 6)
	none.Dtype = "F7"
	wide := numbered(t, 6)
	wide.Shape = []int64{1 << 40, 1 << 40}
	at := safetensors.At
	type r = safetensors.Range
	for _, c := range []struct {
		tensor *safetensors.Tensor
		ranges []r
		want   string
	}{
		{tensor, []r{at(2)}, `safetensors: tensor "numbers": axis 0: index 2 is out of range: the axis has 2 indices`},
		{tensor, []r{{}, at(-4)}, `safetensors: tensor "numbers": axis 1: index -4 is out of range: the axis has 3 indices`},
		{tensor, []r{at(math.MinInt64)}, `safetensors: tensor "numbers": axis 0: index -9223372036854775808 is out of range: the axis has 2 indices`},
		{tensor, []r{{Step: -1}}, `safetensors: tensor "numbers": axis 0: the step is -1, expected 1 or more`},
		{tensor, []r{{}, {}, {}}, `safetensors: tensor "numbers": 3 ranges, but [2, 3] has 2 axes`},
		{mustSlice(t, tensor, "0, 0"), []r{{}}, `safetensors: tensor "numbers": 1 ranges, but [] has 0 axes`},
		{huge, []r{safetensors.Between(0, 1)}, `safetensors: tensor "raw": axis 0: its 9223372036854775808 indices are too many to slice`},
		{huge, []r{{}, at(0)}, `safetensors: tensor "raw": axis 1: index 0 is out of range: the axis has 0 indices`},
		{f4, []r{at(2), at(0)}, `safetensors: tensor "raw": the slice of shape [] has 1 elements of 4 bits, which do not fill whole bytes`},
		{f4, []r{{}, safetensors.Between(0, 3)}, `safetensors: tensor "raw": the slice of shape [3, 3] has 9 elements of 4 bits, which do not fill whole bytes`},
		{wrong, nil, `safetensors: tensor "numbers": U32 [5] does not take the 24 bytes of its Offsets`},
		{wide, nil, `safetensors: tensor "numbers": U32 [1099511627776, 1099511627776] does not take the 24 bytes of its Offsets`},
		{raw(nil, safetensors.U8, 2), nil, `safetensors: tensor "raw" has no ReaderAt for its 2 bytes`},
		{none, nil, `safetensors: tensor "numbers": unknown dtype "F7"`},
	} {
		if part, err := c.tensor.Slice(c.ranges...); err == nil || err.Error() != c.want {
			t.Errorf("Slice(%v) = %v, %v\nwant %s", c.ranges, part, err, c.want)
		}
	}
	if part, err := huge.Slice(r{}, safetensors.Between(0, 7)); err != nil || part.ShapeString() != "[9223372036854775808, 0]" {
		t.Errorf("an axis that cannot be counted on is not kept: %v, %v", part, err)
	}
}

// The format has no largest rank.
func TestSliceOfManyAxes(t *testing.T) {
	const rank = 5000
	shape := slices.Repeat([]int64{1}, rank)
	shape[17], shape[4000], shape[rank-1] = 3, 4, 5
	ranges := slices.Repeat([]safetensors.Range{safetensors.At(-1)}, rank)
	ranges[17], ranges[4000], ranges[rank-1] = safetensors.Range{Step: 2}, safetensors.From(1), safetensors.From(1)
	ranges[4000].Step = 2
	part, err := numbered(t, shape...).Slice(ranges...)
	if err != nil {
		t.Fatal(err)
	}
	// i = 0 2; j = 1 3; k = 1 2 3 4, of 20i + 5j + k
	want := []uint32{6, 7, 8, 9, 16, 17, 18, 19, 46, 47, 48, 49, 56, 57, 58, 59}
	if got, err := safetensors.Read[uint32](part); err != nil || !slices.Equal(got, want) || part.ShapeString() != "[2, 2, 4]" {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
