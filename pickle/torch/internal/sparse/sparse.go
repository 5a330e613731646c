// Dense tensors from sparse ones.

// Package sparse reads sparse tensors as dense ones.
package sparse

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/strided"
)

// batchSize is the number of positions that are read at once.
const batchSize = 4096

// A Reader provides a dense tensor: blocks of values at their positions, and zeros elsewhere. It has no state. To read
// a part of the tensor, it reads the positions and values in that part.
type Reader struct {
	At     Positions
	Count  int64 // number of positions, which are in ascending order
	Values io.ReaderAt
	Block  int64 // bytes of values at a position
	Size   int64 // size of the tensor in bytes

	// Refuse returns the error of a file with invalid positions.
	Refuse func(format string, args ...any) error
}

// ReadAt implements io.ReaderAt.
func (s *Reader) ReadAt(b []byte, off int64) (int, error) {
	part, end := bytesio.Clip(b, off, s.Size)
	if len(part) == 0 {
		return 0, end
	}
	clear(part)
	var err error
	first := search(s.Count, func(i int64) bool {
		var at [1]int64
		if err == nil {
			err = s.At.Read(at[:], i)
		}
		return at[0] >= off/s.Block
	})
	last := (off + int64(len(part)) - 1) / s.Block
	batch := make([]int64, min(s.Count, batchSize))
	for i := first; i < s.Count && err == nil; i += int64(len(batch)) {
		batch = batch[:min(s.Count-i, batchSize)]
		if err = s.At.Read(batch, i); err != nil {
			break
		}
		n := slices.IndexFunc(batch, func(p int64) bool { return p > last })
		if n < 0 {
			n = len(batch)
		}
		// The order was verified when the file was opened. The file may have changed.
		if !slices.IsSorted(batch[:n]) || n > 0 && batch[0] < off/s.Block {
			err = s.Refuse("the positions of the values have changed")
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
func (s *Reader) place(b []byte, off int64, at []int64, first int64) error {
	buf := strided.Buffers.Get().(*strided.Buffer)
	defer strided.Buffers.Put(buf)
	for len(at) > 0 {
		n := min(int64(len(at)), strided.BufferSize/s.Block)
		if n == 0 { // b may be smaller than a block
			begin := at[0]*s.Block - off
			from, to := max(begin, 0), min(begin+s.Block, int64(len(b)))
			if err := bytesio.ReadFull(s.Values, b[from:to], first*s.Block+from-begin); err != nil {
				return err
			}
			at, first = at[1:], first+1
			continue
		}
		if err := bytesio.ReadFull(s.Values, buf[:n*s.Block], first*s.Block); err != nil {
			return err
		}
		for i, p := range at[:n] {
			block := buf[int64(i)*s.Block:][:s.Block]
			begin := p*s.Block - off
			if begin < 0 {
				block, begin = block[-begin:], 0
			}
			copy(b[begin:], block)
		}
		at, first = at[n:], first+n
	}
	return nil
}
