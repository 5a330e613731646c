// Reading again what was written, and saying what it is.

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/internal/filecopy"
	"github.com/weightools/safetensors/internal/witness"
)

// A twoBuffers is room for parts of two tensors.
type twoBuffers [2][1 << 20]byte

var twoBuffersPool = sync.Pool{New: func() any { return new(twoBuffers) }}

// firstDifference reads two tensors of one size side by side, and returns where they
// differ first, or -1. What it reads of the second goes to sum, if there is one.
func firstDifference(ctx context.Context, a, b *safetensors.Tensor, sum hash.Hash) (int64, error) {
	room := twoBuffersPool.Get().(*twoBuffers)
	defer twoBuffersPool.Put(room)
	size := a.Size()
	if b.Size() != size {
		return min(size, b.Size()), nil
	}
	for off := int64(0); off < size; {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n := min(size-off, int64(len(room[0])))
		x, y := room[0][:n], room[1][:n]
		if err := readAt(a, x, off); err != nil {
			return 0, err
		}
		if err := readAt(b, y, off); err != nil {
			return 0, err
		}
		if !bytes.Equal(x, y) {
			for i := range x {
				if x[i] != y[i] {
					return off + int64(i), nil
				}
			}
		}
		if sum != nil {
			sum.Write(y)
		}
		off += n
	}
	return -1, nil
}

// readAt fills b.
func readAt(t *safetensors.Tensor, b []byte, off int64) error {
	n, err := t.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	return fmt.Errorf("read %d of %d bytes at byte %d of tensor %q: %w", n, len(b), off, t.Name, err)
}

// A rereading compares tensors that were written with what they were, and keeps their
// digests.
type rereading struct {
	mu   sync.Mutex
	sums map[string][sha256.Size]byte // by the names of tensors
	copying
}

// verify is a checkpoint.Writer's Verify.
func (r *rereading) verify(ctx context.Context, was, is *safetensors.Tensor) error {
	sum, err := digestOfSame(ctx, was, is)
	if err != nil {
		return err
	}
	r.reread.Add(was.Size())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sums == nil {
		r.sums = make(map[string][sha256.Size]byte)
	}
	r.sums[was.Name] = sum
	return nil
}

// digestOfSame returns the digest of a tensor that was written, and an error if it
// has other bytes than it had. Of what a witness has seen the digests are compared.
func digestOfSame(ctx context.Context, was, is *safetensors.Tensor) ([sha256.Size]byte, error) {
	sum := sha256.New()
	if w, ok := was.ReaderAt.(*witness.Reader); ok && w.IsOf(was.Size()) {
		_, err := is.WriteTo(filecopy.Watch(ctx, sum, nil))
		if err == nil && !w.Saw(sum.Sum(nil)) {
			err = errors.New("it has other bytes than were read: a disk is broken")
		}
		return [sha256.Size]byte(sum.Sum(nil)), err
	}
	at, err := firstDifference(ctx, was, is, sum)
	if err == nil && at >= 0 {
		err = fmt.Errorf("byte %d is not what it is in the source: that has changed meanwhile, or a disk is broken", at)
	}
	return [sha256.Size]byte(sum.Sum(nil)), err
}

// A copying is how much of some files was written, and of their tensors read again.
type copying struct {
	bytes           int64 // of the files
	written, reread atomic.Int64
}

// wrote is a checkpoint.Writer's Wrote.
func (c *copying) wrote(n int64) { c.written.Add(n) }

// String says how far it is.
func (c *copying) String() string {
	text := fmt.Sprintf("%s of %s written", typeset.Bytes(c.written.Load()), typeset.Bytes(c.bytes))
	if n := c.reread.Load(); n > 0 {
		text += ", " + typeset.Bytes(n) + " read again"
	}
	return text
}
