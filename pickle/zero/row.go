// Arrays in pieces.

package zero

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
)

// A row is a sequence of arrays of one dtype.
type row struct {
	dtype safetensors.Dtype
	parts []io.ReaderAt
	ends  []int64 // in bytes, where each part ends in the row
}

// size returns the number of bytes.
func (r *row) size() int64 {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

// elements returns the number of elements.
func (r *row) elements() int64 { return r.size() / width(r.dtype) }

// add adds the first n elements of a tensor.
func (r *row) add(t *safetensors.Tensor, n int64) error {
	switch {
	case len(r.parts) == 0:
		r.dtype = t.Dtype
	case t.Dtype != r.dtype:
		return fmt.Errorf("one part is %s, and another is %s", t.Dtype, r.dtype)
	}
	if width(t.Dtype) == 0 {
		return fmt.Errorf("a part is %s, whose elements do not fill whole bytes", t.Dtype)
	}
	r.parts = append(r.parts, t)
	r.ends = append(r.ends, r.size()+n*width(t.Dtype))
	return nil
}

// width returns the size of an element in bytes, 0 if it is not a number of bytes.
func width(d safetensors.Dtype) int64 { return int64(d.Bits() / 8) }

// ReadAt implements [io.ReaderAt].
func (r *row) ReadAt(b []byte, off int64) (n int, err error) {
	part, end := bytesio.Clip(b, off, r.size())
	if part == nil {
		return 0, end
	}
	for n < len(part) {
		i := sort.Search(len(r.ends), func(i int) bool { return r.ends[i] > off })
		begin := int64(0)
		if i > 0 {
			begin = r.ends[i-1]
		}
		some := part[n:min(int64(len(part)), int64(n)+r.ends[i]-off)]
		if err := bytesio.ReadFull(r.parts[i], some, off-begin); err != nil {
			return n, err
		}
		n, off = n+len(some), off+int64(len(some))
	}
	return n, end
}

// A striped is the elements of one weight in stage 3: the same range of the row of each process, in their order.
type striped struct {
	rows  []row
	begin int64 // in bytes, where the range begins in each row
	each  int64 // its length in bytes; the last ones may have padding
	size  int64 // in bytes, without padding
}

// ReadAt implements [io.ReaderAt].
func (s *striped) ReadAt(b []byte, off int64) (n int, err error) {
	part, end := bytesio.Clip(b, off, s.size)
	if part == nil {
		return 0, end
	}
	for n < len(part) {
		rank, within := off/s.each, off%s.each
		some := part[n:min(int64(len(part)), int64(n)+s.each-within)]
		if err := bytesio.ReadFull(&s.rows[rank], some, s.begin+within); err != nil {
			return n, err
		}
		n, off = n+len(some), off+int64(len(some))
	}
	return n, end
}

// tensor returns a tensor with the elements of r. A tensor without elements reads nothing.
func tensor(name string, dtype safetensors.Dtype, shape []int64, r io.ReaderAt) *safetensors.Tensor {
	info := safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: shape}
	size, _ := dtype.Size(info.NumElems())
	if size == 0 {
		r = strings.NewReader("")
	}
	info.Offsets.End = size
	return &safetensors.Tensor{TensorInfo: info, ReaderAt: r}
}
