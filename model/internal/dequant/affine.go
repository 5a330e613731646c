// Scales and zero points.

package dequant

import (
	"errors"
	"fmt"
)

// A Grid is scales or zero points, one for each block of so many rows and columns of a weight. A weight may be a stack
// of matrices of Stack rows each, whose blocks do not go beyond a matrix; 0 is a single matrix.
type Grid struct {
	Fill          Fill
	Rows, Cols    int64 // of the scales
	Height, Width int64 // of a block
	Stack         int64
	Groups        Part // the column of the grid for each column of the weight, if these are not blocks; U32
}

// row returns the row of the grid for a row of the weight.
func (g *Grid) row(r int64) int64 {
	if g.Stack == 0 {
		return r / g.Height
	}
	return r/g.Stack*((g.Stack+g.Height-1)/g.Height) + r%g.Stack/g.Height
}

// A run is columns with the same column of a grid.
type run struct{ end, col int64 }

// cells are what a box of a weight needs of a grid.
type cells struct {
	values   []float32
	row, col int64 // the first ones
	cols     int64
	memory   *[most]float32
}

// of returns the cells for a box whose columns are of the given runs.
func (g *Grid) of(b Box, runs []run) (c cells, err error) {
	low, high := runs[0].col, runs[0].col
	for _, r := range runs {
		low, high = min(low, r.col), max(high, r.col)
	}
	first, last := g.row(b.Row), g.row(b.Row+b.Rows-1)
	switch {
	case low < 0:
		return cells{}, fmt.Errorf("an input belongs to group %d, which is negative", low)
	case high >= g.Cols || last >= g.Rows:
		return cells{}, fmt.Errorf("an input belongs to group %d, but there are only %d groups of scales", high, g.Cols)
	case (last-first+1)*(high-low+1) > most:
		return cells{}, fmt.Errorf("%d inputs belong to too many groups, %d to %d", b.Cols, low, high)
	}
	memory := floats.Get().(*[most]float32)
	c = cells{memory[:(last-first+1)*(high-low+1)], first, low, high - low + 1, memory}
	return c, g.Fill(c.values, Box{first, last - first + 1, low, c.cols})
}

// runs returns the runs of the columns of a box.
func (g *Grid) runs(b Box) ([]run, error) {
	if g.Groups.t == nil {
		var all []run
		for col := b.Col; col < b.Col+b.Cols; {
			end := min((col/g.Width+1)*g.Width, b.Col+b.Cols)
			all = append(all, run{end - b.Col, col / g.Width})
			col = end
		}
		return all, nil
	}
	src, err := g.Groups.bytes(Box{0, 1, b.Col, b.Cols})
	if err != nil {
		return nil, err
	}
	all := make([]run, 0, 64)
	for i := range b.Cols {
		col := int64(int32(word(src, i)))
		if n := len(all) - 1; n >= 0 && all[n].col == col {
			all[n].end = i + 1
			continue
		}
		all = append(all, run{i + 1, col})
	}
	return all, nil
}

// An Affine is codes with scales, and maybe with a second number for each scale, whose meaning is the formula's.
type Affine struct {
	Codes  Fill
	Scale  Grid
	Second Fill // a grid like Scale; nil if there is none
	Do     Formula
}

// A Formula computes values from codes with one scale and one second number, in place.
type Formula func(codes []float32, scale, second float32)

// Less is the formula (code - second) * scale.
func Less(codes []float32, scale, second float32) {
	for i, q := range codes {
		codes[i] = (q - second) * scale
	}
}

// Plus is the formula scale * code + second, which rounds twice.
func Plus(codes []float32, scale, second float32) {
	for i, q := range codes {
		codes[i] = float32(scale*q) + second
	}
}

// Minus is the formula scale * code - second, which rounds twice.
func Minus(codes []float32, scale, second float32) {
	for i, q := range codes {
		codes[i] = float32(scale*q) - second
	}
}

var errEmpty = errors.New("the box has no elements")

// Fill computes a box.
func (a *Affine) Fill(dst []float32, b Box) error {
	if len(dst) == 0 {
		return errEmpty
	}
	if err := a.Codes(dst, b); err != nil {
		return err
	}
	runs, err := a.Scale.runs(b)
	if err != nil {
		return err
	}
	scales, err := a.Scale.of(b, runs)
	if err != nil {
		return err
	}
	defer floats.Put(scales.memory)
	seconds := scales
	if a.Second != nil {
		g := a.Scale
		g.Fill = a.Second
		if seconds, err = g.of(b, runs); err != nil {
			return err
		}
		defer floats.Put(seconds.memory)
	}
	for row := range b.Rows {
		at := (a.Scale.row(b.Row+row) - scales.row) * scales.cols
		begin, line := int64(0), dst[row*b.Cols:][:b.Cols]
		for _, r := range runs {
			i, second := at+r.col-scales.col, float32(0)
			if a.Second != nil {
				second = seconds.values[i]
			}
			a.Do(line[begin:r.end], scales.values[i], second)
			begin = r.end
		}
	}
	return nil
}

// Turned returns a matrix with its rows as columns.
func Turned(of Fill) Fill {
	return func(dst []float32, b Box) error {
		memory := floats.Get().(*[most]float32)
		defer floats.Put(memory)
		turned := memory[:len(dst)]
		if err := of(turned, Box{b.Col, b.Cols, b.Row, b.Rows}); err != nil {
			return err
		}
		for col := range b.Cols {
			for row, x := range turned[col*b.Rows:][:b.Rows] {
				dst[int64(row)*b.Cols+col] = x
			}
		}
		return nil
	}
}

// Added returns the elements of a matrix increased by a number.
func Added(of Fill, more float32) Fill {
	return func(dst []float32, b Box) error {
		err := of(dst, b)
		for i := range dst {
			dst[i] += more
		}
		return err
	}
}
