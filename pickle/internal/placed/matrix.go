// Sparse matrices of SciPy.

package placed

import (
	"fmt"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// shape returns the shape of a matrix. An array of one dimension has one row.
func (p *Object) shape() (rows, columns int64, ok bool) {
	shape, ok := arrays.Shape(p.values["_shape"])
	switch {
	case ok && len(shape) == 1:
		return 1, shape[0], true
	case ok && len(shape) == 2:
		return shape[0], shape[1], true
	}
	return 0, 0, false
}

// rows checks compressed rows.
func (p *Object) rows() (string, bool) {
	rows, columns, ok := p.shape()
	data, known := p.array(p.values["data"])
	if !ok || !known || len(data.Shape) != 1 {
		return unknown("the shape or the data")
	}
	return p.compressed(&positions.Compressed{Rows: rows, Columns: columns, Values: data.Shape[0]})
}

// columns checks compressed columns.
func (p *Object) columns() (string, bool) {
	rows, columns, ok := p.shape()
	data, known := p.array(p.values["data"])
	if !ok || !known || len(data.Shape) != 1 {
		return unknown("the shape or the data")
	}
	return p.compressed(&positions.Compressed{Rows: columns, Columns: rows, Values: data.Shape[0]})
}

// blocks checks compressed rows of blocks.
func (p *Object) blocks() (string, bool) {
	rows, columns, ok := p.shape()
	data, known := p.array(p.values["data"])
	if !ok || !known || len(data.Shape) != 3 {
		return unknown("the shape or the data")
	}
	c := &positions.Compressed{Rows: rows, Columns: columns, Values: data.Shape[0]}
	if fault := c.Divide(data.Shape[1], data.Shape[2]); fault != "" {
		return fault, true
	}
	return p.compressed(c)
}

// compressed checks rows or columns of values.
func (p *Object) compressed(c *positions.Compressed) (string, bool) {
	var ok, ok2 bool
	c.Begins, ok = p.vector(p.values["indptr"])
	c.Indices, ok2 = p.vector(p.values["indices"])
	if !ok || !ok2 {
		return unknown("an array of indices")
	}
	if !p.affords(c.Cost(), 0) {
		return "", true
	}
	return p.judged(c.Fault())
}

// coordinates checks a matrix with an index for each dimension of each value.
func (p *Object) coordinates() (string, bool) {
	shape, ok := arrays.Shape(p.values["_shape"])
	data, known := p.array(p.values["data"])
	if !ok || !known || len(data.Shape) != 1 {
		return unknown("the shape or the data")
	}
	list := []heap.Value{p.values["row"], p.values["col"]}
	if p.has("coords") {
		list = nil
		for v := range p.values["coords"].Items() {
			list = append(list, v)
		}
	}
	if len(list) != len(shape) {
		return fmt.Sprintf("there are %d indices for %d dimensions", len(list), len(shape)), true
	}
	for i, v := range list {
		at, ok := p.vector(v)
		if !ok {
			return unknown("an array of indices")
		}
		if at.Count != data.Shape[0] {
			return fmt.Sprintf("there are %d indices for %d values", at.Count, data.Shape[0]), true
		}
		if !p.affords(at.Cost(), 0) {
			return "", true
		}
		if fault, known := p.judged(at.Within("an index", 0, shape[i])); fault != "" {
			return fault, known
		}
	}
	return "", true
}

// diagonals checks a matrix of diagonals.
func (p *Object) diagonals() (string, bool) {
	_, _, ok := p.shape()
	data, known := p.array(p.values["data"])
	offsets, known2 := p.vector(p.values["offsets"])
	if !ok || !known || !known2 || len(data.Shape) != 2 {
		return unknown("the shape or the data")
	}
	if offsets.Count != data.Shape[0] {
		return fmt.Sprintf("there are %d offsets for %d diagonals", offsets.Count, data.Shape[0]), true
	}
	return "", true
}

// lists checks a matrix of lists: for each row the columns, and the values.
func (p *Object) lists() (string, bool) {
	rows, columns, ok := p.shape()
	at, ok2 := p.objects(p.values["rows"])
	data, ok3 := p.objects(p.values["data"])
	if !ok || !ok2 || !ok3 || at.Kind() != heap.KindList || data.Kind() != heap.KindList {
		return unknown("the shape or the data")
	}
	if at.Len() != rows || data.Len() != rows {
		return fmt.Sprintf("there are %d lists of columns and %d of values for %d rows", at.Len(), data.Len(), rows), true
	}
	var sizes []int64
	fault := ""
	for row := range at.Items() {
		if row.Kind() != heap.KindList {
			return unknown("a row")
		}
		sizes = append(sizes, row.Len())
		if !p.affords(row.Len(), 0) {
			return "", true
		}
		for v := range row.Items() {
			if n, ok := v.Int(); !ok || n < 0 || n >= columns {
				fault = fmt.Sprintf("a column is %s instead of 0 to %d", v.Summary(), columns-1)
			}
		}
	}
	i := 0
	for row := range data.Items() {
		if row.Kind() != heap.KindList || row.Len() != sizes[i] {
			fault = fmt.Sprintf("row %d has %d columns, but %d values", i, sizes[i], row.Len())
		}
		i++
	}
	return fault, true
}

// objects returns the list with the elements of an array of objects.
func (p *Object) objects(v heap.Value) (heap.Value, bool) {
	c, _ := v.Called()
	state, built := c.State()
	return state.Item(4), built && p.Arrays.Maker(c.Callee()) == arrays.Array
}
