package positions

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
)

// vector returns integers of 8 bytes.
func vector(list ...int64) Vector {
	b, _ := binary.Append(nil, binary.LittleEndian, list)
	return Vector{Source: strings.NewReader(string(b)), Count: int64(len(list)), Step: 8, Width: 8, Signed: true}
}

// The integers in every width, order and sign, next to each other and apart, across blocks.
func TestVector(t *testing.T) {
	want := []int64{0, 1, 127, -1, -128, 5}
	for _, width := range []int64{1, 2, 4, 8} {
		for _, step := range []int64{width, width + 3, 20_000, blockSize + 7} {
			for _, big := range []bool{false, true} {
				b := make([]byte, 6+step*int64(len(want)))
				for i, n := range want {
					var all [8]byte
					binary.LittleEndian.PutUint64(all[:], uint64(n))
					if big {
						slices.Reverse(all[:width])
					}
					copy(b[6+int64(i)*step:], all[:width])
				}
				v := Vector{Source: strings.NewReader(string(b)), Offset: 6, Count: 6, Step: step, Width: width, Signed: true, Big: big}
				if got, err := v.First(9); err != nil || !slices.Equal(got, want) {
					t.Errorf("width %d, step %d, big %v: %d, %v", width, step, big, got, err)
				}
				if v.Signed = false; width < 8 {
					if got, _ := v.First(4); got[3] != 1<<(8*width)-1 {
						t.Errorf("width %d without sign: %d", width, got)
					}
				}
			}
		}
	}
	same := vector(7)
	same.Step, same.Count = 0, 3
	if got, err := same.First(9); err != nil || !slices.Equal(got, []int64{7, 7, 7}) {
		t.Errorf("%d, %v", got, err)
	}
	short := vector(1, 2)
	if short.Count = 3; !short.Valid() {
		t.Error("not valid")
	}
	if _, err := short.First(3); err == nil || err == io.EOF {
		t.Error(err)
	}
}

func TestCompressed(t *testing.T) {
	for _, k := range []struct {
		name            string
		begins, indices []int64
		values          int64
		want            string
	}{
		{"two rows", []int64{0, 1, 2}, []int64{0, 4}, 2, ""},
		{"an unused index", []int64{0, 1, 1}, []int64{0, 99}, 2, ""},
		{"a column too far", []int64{0, 1, 2}, []int64{0, 5}, 2, "an index is 5"},
		{"more than there are indices", []int64{0, 1, 3}, []int64{0, 4}, 3, "leads to value 3 of 2"},
		{"more than there are values", []int64{0, 1, 2}, []int64{0, 4}, 1, "leads to value 2 of 1"},
		{"backwards", []int64{0, 2, 1}, []int64{0, 4}, 2, "decreases"},
		{"from 1 on", []int64{1, 1, 2}, []int64{0, 4}, 2, "begins at 1"},
		{"a row too many", []int64{0, 1, 2, 2}, []int64{0, 4}, 2, "4 bounds of rows for 2 rows"},
	} {
		c := Compressed{Begins: vector(k.begins...), Indices: vector(k.indices...), Rows: 2, Columns: 5, Values: k.values}
		if got, err := c.Fault(); err != nil || !strings.Contains(got, k.want) || (got == "") != (k.want == "") {
			t.Errorf("%s: %q, %v", k.name, got, err)
		}
	}
}

func TestTree(t *testing.T) {
	for _, k := range []struct {
		name                 string
		left, right, feature []int64
		depth                int64
		want                 string
	}{
		{"three nodes", []int64{1, -1, -1}, []int64{2, -1, -1}, []int64{1, -2, -2}, 1, ""},
		{"a child behind the nodes", []int64{1, -1, -1}, []int64{3, -1, -1}, []int64{1, -2, -2}, 1, "children 1 and 3"},
		{"its own child", []int64{0, -1, -1}, []int64{2, -1, -1}, []int64{1, -2, -2}, 1, "children 0 and 2"},
		{"one child", []int64{1, -1, -1}, []int64{-1, -1, -1}, []int64{1, -2, -2}, 1, "children 1 and -1"},
		{"a feature too many", []int64{1, -1, -1}, []int64{2, -1, -1}, []int64{2, -2, -2}, 1, "feature 2 of 2"},
		{"deeper than it says", []int64{1, -1, -1}, []int64{2, -1, -1}, []int64{1, -2, -2}, 0, "deeper than 0"},
		{"nothing", nil, nil, nil, 0, "no nodes"},
	} {
		tree := Tree{Left: vector(k.left...), Right: vector(k.right...), Feature: vector(k.feature...), Features: 2, Depth: k.depth}
		if got, err := tree.Fault(); err != nil || !strings.Contains(got, k.want) || (got == "") != (k.want == "") {
			t.Errorf("%s: %q, %v", k.name, got, err)
		}
	}
}
