// Copying runs of bytes of objects.

package store

import (
	"context"
	"io"
	"sync"
)

// CopyBuffer is the number of bytes that [Copy] reads and writes at once.
const CopyBuffer = 256 << 10

// buffers holds the buffers of copies, which would otherwise be allocated and cleared for each.
var buffers = sync.Pool{New: func() any { return new([CopyBuffer]byte) }}

// Copy copies n bytes of o, beginning at off, to the same offsets of w. An object on a network
// writes them as they arrive, so that an interruption loses few of them.
//
// If o is [InOrder], Copy may begin at offset 0 instead, and begin again there if the transfer
// breaks off. Then w gets bytes that it has already.
//
// Objects opt in with a method CopyRange(context.Context, io.WriterAt, int64, int64) error. Others
// are read with ReaderAt.
func Copy(ctx context.Context, o Object, w io.WriterAt, off, n int64) error {
	if c, ok := o.(interface {
		CopyRange(ctx context.Context, w io.WriterAt, off, n int64) error
	}); ok {
		return c.CopyRange(ctx, w, off, n)
	}
	return CopyFrom(o.ReaderAt(ctx), w, off, n)
}

// CopyFrom copies n bytes of r, beginning at off, to the same offsets of w.
func CopyFrom(r io.ReaderAt, w io.WriterAt, off, n int64) error {
	buffer := buffers.Get().(*[CopyBuffer]byte)
	defer buffers.Put(buffer)
	for n > 0 {
		b := buffer[:min(n, CopyBuffer)]
		m, err := r.ReadAt(b, off)
		if m < len(b) {
			if err == io.EOF || err == nil {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if _, err := w.WriteAt(b, off); err != nil {
			return err
		}
		off, n = off+int64(m), n-int64(m)
	}
	return nil
}
