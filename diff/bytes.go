// Comparing the bytes of tensors.

package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// chunk is the number of bytes that are read at once.
const chunk = 1 << 20

// bytes reports whether both tensors of a couple have the same bytes. They must have the same size.
func (d *Differ) bytes(ctx context.Context, c couple) (same bool, err error) {
	size := c.a.Size()
	a, b := make([]byte, min(size, chunk)), make([]byte, min(size, chunk))
	for off := int64(0); off < size; off += int64(len(a)) {
		a, b = a[:min(int64(len(a)), size-off)], b[:min(int64(len(a)), size-off)]
		if err := d.both(ctx, c, a, b, off, off); err != nil {
			return false, err
		}
		if !bytes.Equal(a, b) {
			return false, nil
		}
	}
	return true, nil
}

// both reads a part of both tensors of a couple.
func (d *Differ) both(ctx context.Context, c couple, a, b []byte, offA, offB int64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := readFull(c.a, a, offA); err != nil {
		return err
	}
	if d.Progress != nil {
		d.Progress(int64(len(a)))
	}
	return readFull(c.b, b, offB)
}

// readFull reads len(b) bytes of t at off. Fewer bytes are an error.
func readFull(t *safetensors.Tensor, b []byte, off int64) error {
	if len(b) == 0 {
		return nil
	}
	n, err := t.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("diff: tensor %s: read %d of its %d bytes: %w",
		wording.Quote(t.Name), off+int64(n), t.Size(), err)
}
