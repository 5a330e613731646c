// Tensors made of any io.ReaderAt or io.Reader.

package safetensors

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors/internal/header"
)

// TensorAt returns a tensor of the given dtype and shape whose bytes are those
// of r, from offset 0 on. It reads nothing. It is an error if the
// dtype is unknown, or if the elements do not fill whole bytes.
//
// The tensor may be used by several goroutines at once if r may be.
func TensorAt(name string, dtype Dtype, shape []int64, r io.ReaderAt) (*Tensor, error) {
	ti := TensorInfo{Name: name, Dtype: dtype, Shape: slices.Clone(shape)}
	width := dtype.Bits()
	if width == 0 {
		return nil, fmt.Errorf("safetensors: tensor %s: unknown dtype %s", quote(name), quote(string(dtype)))
	}
	n, fits := header.Product(shape)
	if !fits {
		return nil, fmt.Errorf("safetensors: tensor %s: the number of elements of shape %s overflows 64 bits",
			quote(name), header.Shorten(ti.ShapeString()))
	}
	size, broken := header.Bytes(n, width)
	switch broken {
	case header.WholeBytes:
		return nil, fmt.Errorf("safetensors: tensor %s: the elements of %s %s do not fill whole bytes",
			quote(name), dtype, header.Shorten(ti.ShapeString()))
	case header.Overflow:
		return nil, fmt.Errorf("safetensors: tensor %s: the elements of %s %s take more than 64 bits can count",
			quote(name), dtype, header.Shorten(ti.ShapeString()))
	}
	ti.Offsets.End = int64(size)
	return &Tensor{TensorInfo: ti, ReaderAt: r}, nil
}

// TensorFrom is [TensorAt] for bytes that can be read only once and in order,
// such as the bytes of a network connection. Encode and WriteFile read every tensor
// that way, so they write such a tensor without holding its bytes in memory.
// Reading any part of it again, or out of order, is an error.
//
// Encode the tensors of one stream in the order of the stream, with
// Encoder.KeepOrder set.
func TensorFrom(name string, dtype Dtype, shape []int64, r io.Reader) (*Tensor, error) {
	return TensorAt(name, dtype, shape, &stream{r: r, tensor: name})
}

// A stream is an io.ReaderAt that can only read on from where it is.
type stream struct {
	tensor string

	mu  sync.Mutex
	r   io.Reader
	off int64
}

// ReadAt implements io.ReaderAt.
func (s *stream) ReadAt(b []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if off != s.off {
		return 0, fmt.Errorf("safetensors: tensor %s can be read once, in order: it was read up to byte %d, and "+
			"byte %d is asked for",
			quote(s.tensor), s.off, off)
	}
	n, err := io.ReadFull(s.r, b)
	s.off += int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
