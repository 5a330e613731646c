// Pieces of transposed tensors that were read.

package dequant

import (
	"io"
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
)

// pieceSize is the size of a piece. A row of a transposed tensor is spread over all of the tensor, so reading one row
// costs nearly as much as reading a hundred.
const pieceSize = 1 << 20

// pieces are the pieces that were used last, of all tensors.
var pieces struct {
	sync.Mutex
	last [16]*piece // the one that was used last comes first
}

// A piece is consecutive bytes of a transposed tensor.
type piece struct {
	of    *cached
	index int64

	once sync.Once
	data []byte
	err  error
}

// A cached reader reads in pieces, and keeps those that were used last.
type cached struct {
	r    io.ReaderAt
	size int64
}

// ReadAt implements io.ReaderAt.
func (c *cached) ReadAt(b []byte, off int64) (int, error) {
	b, end := bytesio.Clip(b, off, c.size)
	for n := 0; n < len(b); {
		at := off + int64(n)
		p := c.piece(at / pieceSize)
		p.once.Do(p.read)
		skip := int(at % pieceSize)
		if skip >= len(p.data) {
			return n, p.err
		}
		n += copy(b[n:], p.data[skip:])
	}
	return len(b), end
}

// piece returns a piece, which may not have been read yet.
func (c *cached) piece(index int64) *piece {
	pieces.Lock()
	defer pieces.Unlock()
	last := pieces.last[:]
	for i, p := range last {
		if p != nil && p.of == c && p.index == index {
			copy(last[1:i+1], last[:i])
			last[0] = p
			return p
		}
	}
	copy(last[1:], last)
	last[0] = &piece{of: c, index: index}
	return last[0]
}

// read reads the bytes of a piece. If reading fails, the next read tries again.
func (p *piece) read() {
	data := make([]byte, min(pieceSize, p.of.size-p.index*pieceSize))
	n, err := p.of.r.ReadAt(data, p.index*pieceSize)
	if p.data = data[:n]; n == len(data) {
		return
	}
	if p.err = err; err == nil {
		p.err = io.ErrUnexpectedEOF
	}
	pieces.Lock()
	defer pieces.Unlock()
	for i, other := range pieces.last {
		if other == p {
			pieces.last[i] = nil
		}
	}
}
