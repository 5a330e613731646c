// Dense tensors from sparse ones.

package torch

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/strided"
)

// sparseBatch is the number of positions that are read at once.
const sparseBatch = 4096

// A sparse reader provides a dense tensor: blocks of values at their positions, and zeros elsewhere. It has no state.
// To read a part of the tensor, it reads the positions and values in that part.
type sparse struct {
	at     positions
	count  int64 // number of positions, which are in ascending order
	values io.ReaderAt
	block  int64 // bytes of values at a position
	size   int64 // size of the tensor in bytes
}

// positions are the positions of values, in blocks.
type positions interface {
	// read fills dst with the positions of the values from first on.
	read(dst []int64, first int64) error
}

// ReadAt implements io.ReaderAt.
func (s *sparse) ReadAt(b []byte, off int64) (int, error) {
	part, end := bytesio.Clip(b, off, s.size)
	if len(part) == 0 {
		return 0, end
	}
	clear(part)
	var err error
	first := search(s.count, func(i int64) bool {
		var at [1]int64
		if err == nil {
			err = s.at.read(at[:], i)
		}
		return at[0] >= off/s.block
	})
	last := (off + int64(len(part)) - 1) / s.block
	batch := make([]int64, min(s.count, sparseBatch))
	for i := first; i < s.count && err == nil; i += int64(len(batch)) {
		batch = batch[:min(s.count-i, sparseBatch)]
		if err = s.at.read(batch, i); err != nil {
			break
		}
		n := slices.IndexFunc(batch, func(p int64) bool { return p > last })
		if n < 0 {
			n = len(batch)
		}
		// The order was verified when the file was opened. The file may have changed.
		if !slices.IsSorted(batch[:n]) || n > 0 && batch[0] < off/s.block {
			err = refuse("the positions of the values have changed")
			break
		}
		if err = s.place(part, off, batch[:n], i); n < len(batch) {
			break
		}
	}
	if err != nil {
		return 0, err
	}
	return len(part), end
}

// search is sort.Search for int64.
func search(n int64, is func(int64) bool) int64 {
	low := int64(0)
	for low < n {
		if mid := low + (n-low)/2; is(mid) {
			n = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// place copies the values from first on to their positions in b, which starts at off in the tensor.
func (s *sparse) place(b []byte, off int64, at []int64, first int64) error {
	buf := strided.Buffers.Get().(*strided.Buffer)
	defer strided.Buffers.Put(buf)
	for len(at) > 0 {
		n := min(int64(len(at)), strided.BufferSize/s.block)
		if n == 0 { // b may be smaller than a block
			begin := at[0]*s.block - off
			from, to := max(begin, 0), min(begin+s.block, int64(len(b)))
			if err := bytesio.ReadFull(s.values, b[from:to], first*s.block+from-begin); err != nil {
				return err
			}
			at, first = at[1:], first+1
			continue
		}
		if err := bytesio.ReadFull(s.values, buf[:n*s.block], first*s.block); err != nil {
			return err
		}
		for i, p := range at[:n] {
			block := buf[int64(i)*s.block:][:s.block]
			begin := p*s.block - off
			if begin < 0 {
				block, begin = block[-begin:], 0
			}
			copy(b[begin:], block)
		}
		at, first = at[n:], first+n
	}
	return nil
}

// A part is an array of integers of 4 or 8 bytes.
type part struct {
	r     io.ReaderAt
	width int64
}

// read fills dst with the integers from first on.
func (p part) read(dst []int64, first int64) error {
	var room [8 * 512]byte
	for len(dst) > 0 {
		n := min(len(dst), len(room)/8)
		b := room[:int64(n)*p.width]
		if err := bytesio.ReadFull(p.r, b, first*p.width); err != nil {
			return err
		}
		for i := range dst[:n] {
			if p.width == 8 {
				dst[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
			} else {
				dst[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
			}
		}
		dst, first = dst[n:], first+int64(n)
	}
	return nil
}

// coordinates are positions with one index per dimension: all indexes of the first dimension, then those of the next.
type coordinates struct {
	part
	shape []int64
	count int64
}

func (c *coordinates) read(dst []int64, first int64) error {
	var room [512]int64
	for len(dst) > 0 {
		n := min(len(dst), len(room))
		clear(dst[:n])
		for d, size := range c.shape {
			if err := c.part.read(room[:n], int64(d)*c.count+first); err != nil {
				return err
			}
			for i, index := range room[:n] {
				if index < 0 || index >= size {
					return refuse("an index is %d in a dimension of %d", index, size)
				}
				dst[i] = dst[i]*size + index
			}
		}
		dst, first = dst[n:], first+int64(n)
	}
	return nil
}

// compressed are positions in rows: a column for each value, and the start of each row.
type compressed struct {
	begins, columns    part
	rows, width, count int64
}

func (c *compressed) read(dst []int64, first int64) error {
	if len(dst) == 0 {
		return nil
	}
	var at [1]int64
	var err error
	begin := func(row int64) int64 {
		if err == nil {
			err = c.begins.read(at[:], row)
		}
		return at[0]
	}
	if begin(0) != 0 || begin(c.rows) != c.count {
		err = firstOf(err, refuse("the rows do not start at the first value and end at the last"))
	}
	if err == nil {
		err = c.columns.read(dst, first)
	}
	if err != nil {
		return err
	}
	// The row before the first one that starts after the value.
	row := search(c.rows, func(i int64) bool { return begin(i+1) > first })
	end := begin(row + 1)
	for i := range dst {
		for ; err == nil && end <= first+int64(i); end = begin(row + 1) {
			row++
		}
		if column := dst[i]; err == nil && (column < 0 || column >= c.width || row >= c.rows) {
			err = refuse("a column is %d in a row of %d", column, c.width)
		}
		if err != nil {
			return err
		}
		dst[i] += row * c.width
	}
	return err
}

// firstOf returns err, or else or.
func firstOf(err, or error) error {
	if err != nil {
		return err
	}
	return or
}
