// The elements of arrays.

package arrays

import (
	"errors"
	"io"
	"math/bits"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/latin1"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// A Content is an array with its elements.
type Content struct {
	Dtype  *dtype.Dtype
	Shape  []int64
	Data   io.ReaderAt
	Offset int64 // of the first element in Data

	table *Table
}

// Raw records that the data of an array of joblib is in the file at off.
func (t *Table) Raw(wrapper heap.Ref, d *dtype.Dtype, shape []int64, file io.ReaderAt, off int64) {
	if t.raws == nil {
		t.raws = map[heap.Ref]Content{}
	}
	t.raws[wrapper] = Content{d, shape, file, off, t}
}

// Content returns the elements of the array that v is. ok is false if v is no array, or none whose elements are known:
// if it is an array of objects, or its data does not have the size of its shape.
func (t *Table) Content(v heap.Value) (a Content, ok bool) {
	if r, ok := t.raws[v.Ref]; ok {
		return r, true
	}
	c, _ := v.Called()
	args := c.Args()
	switch t.Maker(c.Callee()) {
	case Array:
		state, built := c.State()
		shape, ok := Shape(state.Item(1))
		if !ok || !built {
			return a, false
		}
		return t.filled(state.Item(4), t.known(state.Item(2)), shape)
	case FromBuffer:
		order, _ := args.Item(3).Str()
		shape, ok := Shape(args.Item(2))
		if !ok || order != "C" && order != "F" {
			return a, false
		}
		return t.filled(args.Item(0), t.elements(args.Item(1)), shape)
	}
	return a, false
}

// filled returns the array of a shape that consists of all the data.
func (t *Table) filled(data heap.Value, d *dtype.Dtype, shape []int64) (a Content, ok bool) {
	if d == nil || d.Objects || d.Array {
		return a, false
	}
	a = Content{Dtype: d, Shape: shape, table: t}
	size, ok := bytesOf(a.Shape, d.Size)
	if !ok {
		return a, false
	}
	a.Data, ok = contents(data, size)
	return a, ok
}

// contents returns the bytes of an array; ok is false if there are not size of them. Protocols below 3 have no bytes:
// Python 2 writes a str, and Python 3 a call that encodes one.
func contents(data heap.Value, size int64) (r io.ReaderAt, ok bool) {
	c, called := data.Called()
	if called {
		data = c.Args().Item(0)
	}
	section := data.Data()
	if section == nil {
		return strings.NewReader(""), called && size == 0
	}
	refuse := func(string, ...any) error { return errNotLatin1 }
	line, quoted := data.Line()
	var text *latin1.Text
	var err error
	switch {
	case line:
		text, err = latin1.NewLine(section, quoted, refuse)
	case called:
		text, err = latin1.New(section, refuse)
	default:
		return section, section.Size() == size
	}
	return text, err == nil && text.Size() == size
}

// errNotLatin1 says that a text cannot be bytes.
var errNotLatin1 = errors.New("a character is not a byte")

// Shape returns the sizes in a tuple of numbers.
func Shape(v heap.Value) (shape []int64, ok bool) {
	if v.Kind() != heap.KindTuple || v.Len() > dtype.MaxRank {
		return nil, false
	}
	shape = make([]int64, 0, v.Len())
	for item := range v.Items() {
		n, ok := item.Int()
		if !ok || n < 0 {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, true
}

// bytesOf returns the size of an array in bytes; ok is false if it overflows.
func bytesOf(shape []int64, size int64) (n int64, ok bool) {
	n = size
	for _, d := range shape {
		high, low := bits.Mul64(uint64(n), uint64(d))
		if n = int64(low); high != 0 || n < 0 {
			return 0, false
		}
	}
	return n, true
}

// Count returns the number of elements.
func (a *Content) Count() int64 {
	n := int64(1)
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Vector returns the integers of an array of one dimension, or of all its elements in the order of the data.
func (a *Content) Vector() (positions.Vector, bool) { return a.column(a.Dtype, 0) }

// Field returns the integers of a field of a one-dimensional array.
func (a *Content) Field(name string) (positions.Vector, bool) {
	inner, offset := a.Dtype.Field(name, a.table.known)
	if inner == nil || len(a.Shape) != 1 {
		return positions.Vector{}, false
	}
	return a.column(inner, offset)
}

// column returns the integers of a dtype at an offset of each element.
func (a *Content) column(d *dtype.Dtype, offset int64) (positions.Vector, bool) {
	v := positions.Vector{Source: a.Data, Offset: a.Offset + offset, Count: a.Count(), Step: a.Dtype.Size, Width: d.Size,
		Signed: d.Kind == 'i', Big: d.Big}
	return v, (d.Kind == 'i' || d.Kind == 'u' || d.Kind == 'b') && !d.Objects && v.Valid()
}

// Number64 returns the integer that a scalar of NumPy has.
func (t *Table) Number64(v heap.Value) (n int64, ok bool) {
	c, _ := v.Called()
	if t.Maker(c.Callee()) != Scalar {
		return 0, false
	}
	a, ok := t.filled(c.Args().Item(1), t.known(c.Args().Item(0)), nil)
	if !ok {
		return 0, false
	}
	at, ok := a.Vector()
	if !ok {
		return 0, false
	}
	err := at.Each(func(i int64) bool {
		n = i
		return true
	})
	return n, err == nil
}
