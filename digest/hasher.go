// A Hasher: digests of tensors, side by side.

package digest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// A Hasher makes digests in a way of one's choice. The zero Hasher makes those of
// SHA-256. It is not changed by its methods, and is for any number of goroutines at
// once.
type Hasher struct {
	// New returns the algorithm. nil means SHA-256.
	New func() hash.Hash

	// Parallel is how many tensors, or files, are read and hashed at once. 0 means
	// as many as there are processors.
	Parallel int

	// Progress is told of bytes as they are read, by any goroutine; nil means that
	// nobody is.
	Progress func(bytes int64)
}

// chunk is how much is read at once, in bytes.
const chunk = 1 << 20

// new returns a new hash.
func (h *Hasher) new() hash.Hash {
	if h.New == nil {
		return sha256.New()
	}
	return h.New()
}

func (h *Hasher) parallel() int {
	if h.Parallel > 0 {
		return h.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// told counts bytes that were read.
func (h *Hasher) told(n int) {
	if h.Progress != nil {
		h.Progress(int64(n))
	}
}

// Tensors returns the digest of each tensor's bytes, in the order of the list. Several
// are read at once, the largest first, so that the last to end is not the largest. It
// ends with the first error, that of the first tensor that has one if there are
// several, or when ctx is done. Of each tensor it holds a MiB.
func (h *Hasher) Tensors(ctx context.Context, list []*safetensors.Tensor) ([][]byte, error) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].Size(), list[a].Size()) })
	sums := make([][]byte, len(list))
	err := h.each(ctx, len(list), func(ctx context.Context, i int, buf []byte) (err error) {
		sums[order[i]], err = h.tensor(ctx, list[order[i]], buf)
		return err
	})
	return sums, err
}

// tensor returns the digest of one tensor, which it reads through buf.
func (h *Hasher) tensor(ctx context.Context, t *safetensors.Tensor, buf []byte) ([]byte, error) {
	sum := h.new()
	for off, size := int64(0), t.Size(); off < size; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part := buf[:min(size-off, int64(len(buf)))]
		if err := readFull(t, part, off); err != nil {
			return nil, fmt.Errorf("digest: tensor %s: %w", wording.Quote(t.Name), err)
		}
		sum.Write(part)
		h.told(len(part))
		off += int64(len(part))
	}
	return sum.Sum(nil), nil
}

// readFull reads len(b) bytes at off. That there are fewer is an error, never zeros.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return fmt.Errorf("read %d bytes, and then it ended before its size: %w", off+int64(n), io.ErrUnexpectedEOF)
	}
	return err
}

// errOther is why work stops after other work has failed. Nobody gets to see it.
var errOther = errors.New("digest: other work has failed")

// each calls do for each index below n, from several goroutines, each with a buffer of
// its own. It returns the error of the first index that has one of its own.
func (h *Hasher) each(ctx context.Context, n int, do func(ctx context.Context, i int, buf []byte) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(h.parallel(), n) {
		workers.Go(func() {
			buf := make([]byte, chunk)
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := do(ctx, int(i), buf); err != nil {
					if !errors.Is(err, errOther) {
						errs[i] = err
						stop(errOther)
					}
					return
				}
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
