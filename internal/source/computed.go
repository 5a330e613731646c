// Bytes of elements that are computed when they are read.

package source

import (
	"cmp"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A Fill computes the n elements from first on into dst. First and n are multiples
// of the size of a group. With an error, it returns how many elements are good.
type Fill func(dst []byte, first int64, n int) (int, error)

// A Computed is the bytes of elements that a Fill computes when they are read. It
// turns reads of any offset and length into calls for whole groups. It has no
// state, so it may be read by several goroutines at once.
type Computed struct {
	Packing
	Tensor string // the tensor's name
	Size   int64  // in bytes
	most   int
	fill   Fill
}

// NewComputed returns the bytes of a tensor of the given size. Each call of fill is
// for at most most elements, a multiple of 8.
func NewComputed(p Packing, tensor string, size int64, most int, fill Fill) *Computed {
	return &Computed{p, tensor, size, most, fill}
}

// ReadAt implements io.ReaderAt.
func (c *Computed) ReadAt(b []byte, off int64) (int, error) {
	b, end := bytesio.Clip(b, off, c.Size)
	n, err := c.read(b, off)
	return n, cmp.Or(err, end)
}

// read is ReadAt for bytes within c.Size.
func (c *Computed) read(b []byte, off int64) (int, error) {
	// Groups that are wanted in full are computed in place. A group at an end of b
	// that is only partly wanted, and those computed with it, are copied.
	var aside *Buffer
	if off%c.Bytes != 0 || int64(len(b))%c.Bytes != 0 {
		aside = Buffers.Get().(*Buffer)
		defer Buffers.Put(aside)
	}
	for n := 0; n < len(b); {
		rest, at := b[n:], off+int64(n)
		first, skip := at/c.Bytes*c.Elems, int(at%c.Bytes)
		groups := (int64(skip+len(rest)) + c.Bytes - 1) / c.Bytes
		elems := int(min(groups*c.Elems, int64(c.most)))
		size := int(int64(elems) / c.Elems * c.Bytes)

		out, part := rest, skip > 0 || size > len(rest)
		if part {
			out = aside[:]
		}
		done, err := c.fill(out[:size:size], first, elems)
		good := int(int64(done) / c.Elems * c.Bytes)
		if part {
			good = copy(rest, out[min(skip, good):good])
		}
		if n += good; err != nil {
			return n, err
		}
	}
	return len(b), nil
}
