package chunked

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// cut divides a box into pieces at random.
func cut(r *rand.Rand, at, shape []int64) []Piece {
	d := r.IntN(len(shape) + 1)
	if d == len(shape) || shape[d] < 2 {
		return []Piece{{At: at, Shape: shape}}
	}
	n := 1 + r.Int64N(shape[d]-1)
	low, high, next := slices.Clone(shape), slices.Clone(shape), slices.Clone(at)
	low[d], high[d], next[d] = n, shape[d]-n, at[d]+n
	return append(cut(r, at, low), cut(r, next, high)...)
}

// fill gives each piece its elements of whole, which has the shape.
func fill(whole []byte, shape []int64, item int64, pieces []Piece) {
	for i := range pieces {
		p := &pieces[i]
		var own []byte
		for n := range product(p.Shape) {
			off, volume, rest := int64(0), item, n
			for d := len(shape) - 1; d >= 0; d-- {
				off += (p.At[d] + rest%p.Shape[d]) * volume
				rest, volume = rest/p.Shape[d], volume*shape[d]
			}
			own = append(own, whole[off:off+item]...)
		}
		p.Source = func() (io.ReaderAt, error) { return bytes.NewReader(own), nil }
	}
}

func TestReadAt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		shape := make([]int64, r.IntN(5))
		for d := range shape {
			shape[d] = 1 + r.Int64N(9)
		}
		item := int64(1) << r.IntN(4)
		whole := make([]byte, product(shape)*item)
		for i := range whole {
			whole[i] = byte(r.Uint32())
		}
		pieces := cut(r, make([]int64, len(shape)), shape)
		fill(whole, shape, item, pieces)
		r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		x, err := New(shape, item, pieces)
		if err != nil {
			t.Fatal(shape, err)
		}
		if x.Size() != int64(len(whole)) {
			t.Fatal(x.Size())
		}
		for range 10 {
			off := r.IntN(len(whole) + 1)
			b := make([]byte, r.IntN(len(whole)+2))
			n, err := x.ReadAt(b, int64(off))
			want := whole[off:min(len(whole), off+len(b))]
			if !bytes.Equal(b[:n], want) || (err == io.EOF) != (len(b) > len(want) || off == len(whole)) {
				t.Fatalf("%v in %d pieces at %d: %d bytes %v, want %d", shape, len(pieces), off, n, err, len(want))
			}
		}
		if len(pieces) > 1 {
			tryFaults(t, r, shape, item, pieces)
		}
	}
}

// tryFaults tests that a missing and a double piece are found.
func tryFaults(t *testing.T, r *rand.Rand, shape []int64, item int64, pieces []Piece) {
	i := r.IntN(len(pieces))
	var fault *Fault
	_, err := New(shape, item, slices.Delete(slices.Clone(pieces), i, i+1))
	if !errors.As(err, &fault) || fault.Pieces != 0 || !slices.Equal(fault.At, pieces[i].At) {
		t.Fatalf("%v without a piece at %v: %v", shape, pieces[i].At, err)
	}
	_, err = New(shape, item, append(slices.Clone(pieces), pieces[i]))
	if !errors.As(err, &fault) || fault.Pieces != 2 || !slices.Equal(fault.At, pieces[i].At) {
		t.Fatalf("%v with a piece twice at %v: %v", shape, pieces[i].At, err)
	}
}

func TestRefuses(t *testing.T) {
	for _, test := range []struct {
		shape  []int64
		pieces []Piece
		want   string
	}{
		{[]int64{4}, nil, "no part has the element at [0]"},
		{[]int64{}, nil, "no part has the element at []"},
		{[]int64{4}, []Piece{{At: []int64{2}, Shape: []int64{3}}}, "a part of shape [3] at [2] is not within the shape [4]"},
		{[]int64{4}, []Piece{{At: []int64{-1}, Shape: []int64{3}}}, "a part of shape [3] at [-1] is not within the shape [4]"},
		{[]int64{4}, []Piece{{At: []int64{}, Shape: []int64{}}}, "a part of shape [] at [] is not within the shape [4]"},
		{[]int64{1 << 40, 1 << 40}, nil, "the shape [1099511627776 1099511627776] has too many elements"},
		{[]int64{-1}, nil, "the shape [-1] has too many elements"},
		{[]int64{0, 1 << 62}, nil, ""},
		{[]int64{2, 2}, []Piece{{At: []int64{0, 0}, Shape: []int64{1, 2}}, {At: []int64{1, 0}, Shape: []int64{1, 1}}},
			"no part has the element at [1 1]"},
		// Two errors that add up to the right number of elements.
		{[]int64{4}, []Piece{{At: []int64{0}, Shape: []int64{3}}, {At: []int64{2}, Shape: []int64{1}}},
			"2 parts have the element at [2]"},
	} {
		if _, err := New(test.shape, 1, test.pieces); fmt.Sprint(err) != test.want && (err != nil || test.want != "") {
			t.Errorf("%v: %v, want %s", test.shape, err, test.want)
		}
	}
}

// Half a million pieces take a moment, in one dimension and in three.
func TestManyPieces(t *testing.T) {
	const n = 1 << 18
	zeros := func() (io.ReaderAt, error) { return bytes.NewReader(make([]byte, 4)), nil }
	var row, cube []Piece
	for i := range int64(n) {
		row = append(row, Piece{[]int64{i}, []int64{1}, zeros})
		cube = append(cube, Piece{[]int64{i & 63, i >> 6 & 63, i >> 12}, []int64{1, 1, 1}, zeros})
	}
	for _, shape := range [][]int64{{n}, {64, 64, 64}} {
		pieces := row
		if len(shape) == 3 {
			pieces = cube
		}
		x, err := New(shape, 4, pieces)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, io.NewSectionReader(x, 0, x.Size())); err != nil {
			t.Fatal(err)
		}
	}
}
