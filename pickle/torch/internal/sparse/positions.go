// Positions of values.

package sparse

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
)

// Positions are the positions of values, in blocks.
type Positions interface {
	// Read fills dst with the positions of the values from first on.
	Read(dst []int64, first int64) error
}

// Ascend reports whether positions ascend, and the last one, or -1.
func Ascend(at Positions, count int64) (last int64, sorted bool, err error) {
	last = -1
	batch := make([]int64, min(count, batchSize))
	for first := int64(0); first < count; first += int64(len(batch)) {
		batch = batch[:min(count-first, batchSize)]
		if err := at.Read(batch, first); err != nil {
			return last, false, err
		}
		for _, p := range batch {
			if p <= last {
				return last, false, nil
			}
			last = p
		}
	}
	return last, true, nil
}

// Grow reports whether no integer is negative or less than the one before it.
func (p Integers) Grow(count int64) (bool, error) {
	last := int64(0)
	batch := make([]int64, min(count, batchSize))
	for first := int64(0); first < count; first += int64(len(batch)) {
		batch = batch[:min(count-first, batchSize)]
		if err := p.Read(batch, first); err != nil {
			return false, err
		}
		if !slices.IsSorted(batch) || batch[0] < last {
			return false, nil
		}
		last = batch[len(batch)-1]
	}
	return true, nil
}

// Integers is an array of integers of 4 or 8 bytes.
type Integers struct {
	Source io.ReaderAt
	Width  int64
}

// Read fills dst with the integers from first on.
func (p Integers) Read(dst []int64, first int64) error {
	var room [8 * 512]byte
	for len(dst) > 0 {
		n := min(len(dst), len(room)/8)
		b := room[:int64(n)*p.Width]
		if err := bytesio.ReadFull(p.Source, b, first*p.Width); err != nil {
			return err
		}
		for i := range dst[:n] {
			if p.Width == 8 {
				dst[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
			} else {
				dst[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
			}
		}
		dst, first = dst[n:], first+int64(n)
	}
	return nil
}

// Coordinates are positions with one index per dimension: all indexes of the first dimension, then all of the next.
type Coordinates struct {
	Integers
	Shape []int64
	Count int64

	// Refuse returns the error of a file with invalid indexes.
	Refuse func(format string, args ...any) error
}

// Read implements Positions.
func (c *Coordinates) Read(dst []int64, first int64) error {
	var room [512]int64
	for len(dst) > 0 {
		n := min(len(dst), len(room))
		clear(dst[:n])
		for d, size := range c.Shape {
			if err := c.Integers.Read(room[:n], int64(d)*c.Count+first); err != nil {
				return err
			}
			for i, index := range room[:n] {
				if index < 0 || index >= size {
					return c.Refuse("an index is %d in a dimension of %d", index, size)
				}
				dst[i] = dst[i]*size + index
			}
		}
		dst, first = dst[n:], first+int64(n)
	}
	return nil
}

// Compressed are positions in rows: a column for each value, and the start of each row.
type Compressed struct {
	Begins, Columns    Integers
	Rows, Width, Count int64

	// Refuse returns the error of a file with invalid rows or columns.
	Refuse func(format string, args ...any) error
}

// Read implements Positions.
func (c *Compressed) Read(dst []int64, first int64) error {
	if len(dst) == 0 {
		return nil
	}
	var at [1]int64
	var err error
	begin := func(row int64) int64 {
		if err == nil {
			err = c.Begins.Read(at[:], row)
		}
		return at[0]
	}
	if begin(0) != 0 || begin(c.Rows) != c.Count {
		err = cmp.Or(err, c.Refuse("the rows do not start at the first value and end at the last"))
	}
	if err == nil {
		err = c.Columns.Read(dst, first)
	}
	if err != nil {
		return err
	}
	// The row before the first one that starts after the value.
	row := search(c.Rows, func(i int64) bool { return begin(i+1) > first })
	end := begin(row + 1)
	for i := range dst {
		for ; err == nil && end <= first+int64(i); end = begin(row + 1) {
			row++
		}
		if column := dst[i]; err == nil && (column < 0 || column >= c.Width || row >= c.Rows) {
			err = c.Refuse("a column is %d in a row of %d", column, c.Width)
		}
		if err != nil {
			return err
		}
		dst[i] += row * c.Width
	}
	return err
}
