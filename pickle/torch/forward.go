// Random access to sequential data.

package torch

import (
	"errors"
	"io"
	"sync"

	"github.com/weightools/safetensors/internal/wording"
)

// torch.save does not compress, but other programs that rewrite archives do, and so does numpy.savez_compressed. Old
// pickles store bytes as text. A forward reader holds only the state of the decoder. It continues where the last read
// ended, and restarts for earlier offsets. Tensors are usually read sequentially.
type forward struct {
	name string
	open func() (io.Reader, error)
	size int64

	mu  sync.Mutex
	r   io.Reader // nil before the first read
	pos int64     // position of r
}

func (f *forward) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= f.size {
		return 0, io.EOF
	}
	var end error
	if left := f.size - off; left < int64(len(b)) {
		b, end = b[:left], io.EOF
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.seek(off); err != nil {
		return 0, f.damaged(err)
	}
	n, err := io.ReadFull(f.r, b)
	f.pos += int64(n)
	if err != nil {
		f.r = nil
		return n, f.damaged(err)
	}
	return n, end
}

// seek moves the reader to off.
func (f *forward) seek(off int64) (err error) {
	if f.r == nil || off < f.pos {
		if f.r, err = f.open(); err != nil {
			return err
		}
		f.pos = 0
	}
	n, err := io.CopyN(io.Discard, f.r, off-f.pos)
	if f.pos += n; err != nil {
		f.r = nil
	}
	return err
}

// damaged returns the error for data that ends early.
func (f *forward) damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("%s decompresses to %s instead of %s",
			quoted(f.name), wording.Count(f.pos, "byte"), wording.Count(f.size, "byte"))
	}
	return err
}
