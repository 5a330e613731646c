// Comparing the bytes of tensors.

package diff

import (
	"context"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/internal/wording"
)

// bytes reports whether both tensors of a couple have the same bytes. They must have the same size.
func (d *Differ) bytes(ctx context.Context, c couple) (same bool, err error) {
	at, err := compare.First(ctx, c.a, c.b, c.a.Size(), d.advance)
	if err != nil {
		return false, fmt.Errorf("diff: tensor %s: %w", wording.Quote(c.name()), err)
	}
	return at < 0, nil
}

// advance reports progress by a part of a.
func (d *Differ) advance(part []byte) {
	if d.Progress != nil {
		d.Progress(int64(len(part)))
	}
}

// both reads a part of both tensors of a couple.
func (d *Differ) both(ctx context.Context, c couple, a, b []byte, offA, offB int64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := readFull(c.a, a, offA); err != nil {
		return err
	}
	d.advance(a)
	return readFull(c.b, b, offB)
}

// readFull reads len(b) bytes of t at off. Fewer bytes are an error.
func readFull(t *safetensors.Tensor, b []byte, off int64) error {
	if len(b) == 0 {
		return nil // t may have no reader
	}
	if err := bytesio.ReadFull(t, b, off); err != nil {
		return fmt.Errorf("diff: tensor %s: %w", wording.Quote(t.Name), err)
	}
	return nil
}
