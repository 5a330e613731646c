// Random access to sequential data.

package strided

import (
	"errors"
	"io"
	"sync"
)

// torch.save does not compress, but other programs that rewrite archives do, and so does numpy.savez_compressed. Old
// pickles store bytes as text. A Sequential reader holds only the state of the decoder. It continues where the last
// read ended, and restarts for earlier offsets. Tensors are usually read sequentially.
type Sequential struct {
	Open func() (io.Reader, error)
	Size int64

	// Damaged returns the error of data that ends after n bytes, before Size.
	Damaged func(n int64) error

	mu  sync.Mutex
	r   io.Reader // nil before the first read
	pos int64     // position of r
}

// ReadAt implements io.ReaderAt. A read that starts before the end of the previous one opens the
// data again.
func (f *Sequential) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= f.Size {
		return 0, io.EOF
	}
	var end error
	if left := f.Size - off; left < int64(len(b)) {
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
func (f *Sequential) seek(off int64) (err error) {
	if f.r == nil || off < f.pos {
		if f.r, err = f.Open(); err != nil {
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
func (f *Sequential) damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return f.Damaged(f.pos)
	}
	return err
}
