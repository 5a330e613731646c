// Sparse matrices in archives of arrays.

// Package matrix verifies the sparse matrices that scipy.sparse.save_npz writes: an archive with an array for each
// part.
package matrix

import (
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// parts are the names of the arrays, without those that only say which class the matrix has.
const parts = " format shape data indices indptr row col coords offsets "

// IsPart reports whether a member of an archive may be a part of a matrix.
func IsPart(name string) bool {
	return strings.Contains(parts, " "+strings.TrimSuffix(name, ".npy")+" ")
}

// An Opener opens a member; it returns nil if there is none.
type Opener func(name string) (io.ReaderAt, int64, error)

// Fault returns what leads outside of the matrix in an archive, "" if nothing does or there is no matrix. SciPy's
// loader (scipy/sparse/_matrix_io.py, load_npz) compares the sizes of the arrays, but not the indices. spend takes the
// cost from a budget; over says that the budget is exhausted.
func Fault(open Opener, spend func(int64) bool) (fault string, over bool, err error) {
	m := &matrix{open: open, spend: spend}
	defer func() { over = m.over }()
	format, ok, err := m.array("format")
	if !ok || err != nil {
		return "", false, err
	}
	name, err := format.text()
	if err != nil {
		return "", false, err
	}
	switch name {
	case "csr", "csc", "bsr":
		fault, err = m.compressed(name)
	case "coo":
		fault, err = m.coordinates()
	case "dia":
		fault, err = m.diagonals()
	}
	return fault, false, err
}

// A matrix is an archive with the parts of one.
type matrix struct {
	open  Opener
	spend func(int64) bool
	over  bool
}

// An array is one of the parts.
type array struct {
	npy.Header
	data   io.ReaderAt
	offset int64
}

// array returns an array; ok is false if there is none, or if its header is invalid or its data truncated.
func (m *matrix) array(name string) (a array, ok bool, err error) {
	r, size, err := m.open(name)
	if r == nil && err == nil {
		r, size, err = m.open(name + ".npy")
	}
	if r == nil || err != nil {
		return a, false, err
	}
	const most = 64 << 10 // bytes of a header
	head := make([]byte, min(size, most))
	if err := bytesio.ReadFull(r, head, 0); err != nil {
		return a, false, err
	}
	prefix, ok := npy.ReadPrefix(head)
	if !ok || prefix.Length > int64(len(head))-prefix.Begin {
		return a, false, nil
	}
	a.data, a.offset = r, prefix.Begin+prefix.Length
	if a.Header, err = npy.Parse(head[prefix.Begin:a.offset]); err != nil {
		return a, false, nil // the scan of the member reports it
	}
	return a, !a.Objects && a.Size >= 0 && a.Size <= size-a.offset, nil
}

// text returns the short text that an array has.
func (a *array) text() (string, error) {
	b := make([]byte, min(a.Size, 64))
	err := bytesio.ReadFull(a.data, b, a.offset)
	return strings.ReplaceAll(string(b), "\x00", ""), err
}

// vector returns the integers of an array.
func (a *array) vector() (positions.Vector, bool) {
	d := dtype.Parse(a.Descr)
	if d == nil {
		return positions.Vector{}, false
	}
	d.Big = strings.HasPrefix(a.Descr, ">")
	c := arrays.Content{Dtype: d, Shape: a.Shape, Data: a.data, Offset: a.offset}
	return c.Vector()
}

// vector returns the integers of an array of one dimension.
func (m *matrix) vector(name string) (positions.Vector, bool, error) {
	a, ok, err := m.array(name)
	if !ok || err != nil || len(a.Shape) != 1 {
		return positions.Vector{}, false, err
	}
	v, ok := a.vector()
	return v, ok, nil
}

// shape returns the sizes of the matrix.
func (m *matrix) shape() (shape []int64, ok bool, err error) {
	v, ok, err := m.vector("shape")
	if !ok || err != nil || v.Count > dtype.MaxRank {
		return nil, false, err
	}
	shape, err = v.First(v.Count)
	for _, n := range shape {
		ok = ok && n >= 0
	}
	return shape, ok, err
}

// affords takes a cost from the budget.
func (m *matrix) affords(cost int64) bool {
	m.over = m.over || !m.spend(cost)
	return !m.over
}

// compressed checks rows or columns of values, or rows of blocks.
func (m *matrix) compressed(format string) (string, error) {
	shape, ok, err := m.shape()
	data, ok2, err2 := m.array("data")
	begins, ok3, err3 := m.vector("indptr")
	indices, ok4, err4 := m.vector("indices")
	if err := firstOf(err, err2, err3, err4); err != nil || !ok || !ok2 || !ok3 || !ok4 {
		return "", err // SciPy refuses it
	}
	if len(shape) == 1 {
		shape = []int64{1, shape[0]}
	}
	if len(shape) != 2 || len(data.Shape) == 0 {
		return "", nil
	}
	c := positions.Compressed{Begins: begins, Indices: indices, Rows: shape[0], Columns: shape[1], Values: data.Shape[0]}
	switch {
	case format == "csc":
		c.Rows, c.Columns = c.Columns, c.Rows
	case format == "bsr" && len(data.Shape) == 3:
		if fault := c.Divide(data.Shape[1], data.Shape[2]); fault != "" {
			return fault, nil
		}
	}
	if !m.affords(c.Cost()) {
		return "", nil
	}
	return c.Fault()
}

// coordinates checks an index for each dimension of each value.
func (m *matrix) coordinates() (string, error) {
	shape, ok, err := m.shape()
	if !ok || err != nil {
		return "", err
	}
	list, err := m.indices()
	for d, v := range list {
		if d >= len(shape) || !m.affords(v.Cost()) {
			break
		}
		if fault, err := v.Within("an index", 0, shape[d]); fault != "" || err != nil {
			return fault, err
		}
	}
	return "", err
}

// indices returns the indices of each dimension, in one array or in two.
func (m *matrix) indices() (list []positions.Vector, err error) {
	all, ok, err := m.array("coords")
	if err != nil {
		return nil, err
	}
	if v, isVector := all.vector(); ok && isVector && len(all.Shape) == 2 && all.Order == 'C' {
		v.Count = all.Shape[1]
		for range min(all.Shape[0], dtype.MaxRank) {
			list = append(list, v)
			v.Offset += v.Count * v.Step
		}
		return list, nil
	}
	for _, name := range [...]string{"row", "col"} {
		v, ok, err := m.vector(name)
		if !ok || err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// diagonals compares the number of diagonals with that of their offsets.
func (m *matrix) diagonals() (string, error) {
	data, ok, err := m.array("data")
	offsets, ok2, err2 := m.vector("offsets")
	if err := firstOf(err, err2); err != nil || !ok || !ok2 || len(data.Shape) != 2 || data.Shape[0] == offsets.Count {
		return "", err
	}
	return fmt.Sprintf("there are %d offsets for %d diagonals", offsets.Count, data.Shape[0]), nil
}

// firstOf returns the first error.
func firstOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
