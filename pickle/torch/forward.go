// What can only be read from front to back: its bytes at any offset.

package torch

import (
	"errors"
	"io"
	"sync"

	"github.com/weightools/safetensors/internal/wording"
)

// torch.save deflates nothing, but other programs do that make archives again, and so
// does numpy.savez_compressed; and old pickles have bytes as text. A forward reader holds
// no more than what decodes does: it goes on where the last read ended, and begins anew
// for what is before. Tensors are read from front to back as a rule.
type forward struct {
	name string
	open func() (io.Reader, error)
	size int64

	mu  sync.Mutex
	r   io.Reader // nil at first
	pos int64     // of r
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

// seek makes off the position of the reader.
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

// damaged returns the error of what ends before its end.
func (f *forward) damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("%s unpacks to %s, and is said to have %s", quoted(f.name), wording.Count(f.pos, "byte"), wording.Count(f.size, "byte"))
	}
	return err
}
