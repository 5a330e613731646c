// Digests of tensors, in parallel.

package digest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
)

// A Hasher computes digests with options. The zero Hasher uses SHA-256. A Hasher is safe for concurrent
// use.
type Hasher struct {
	// New returns a new hash. nil means SHA-256.
	New func() hash.Hash

	// Parallel is the number of tensors or files that are hashed concurrently. 0 means
	// GOMAXPROCS.
	Parallel int

	// Progress is called with numbers of bytes that were read, from any goroutine. nil means
	// that it is not called.
	Progress func(bytes int64)
}

// chunk is the number of bytes that are read at once.
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

// told reports bytes that were read.
func (h *Hasher) told(n int) {
	if h.Progress != nil {
		h.Progress(int64(n))
	}
}

// Tensors returns the digests of the tensors' bytes, in the order of the list. It reads several tensors
// concurrently, largest first. It stops at the first error or when ctx is done. If several tensors
// fail, it returns the error of the first one in the list. Memory is one MiB for each tensor in
// progress.
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

// tensor returns the digest of one tensor. It reads through buf.
func (h *Hasher) tensor(ctx context.Context, t *safetensors.Tensor, buf []byte) ([]byte, error) {
	sum := h.new()
	for off, size := int64(0), t.Size(); off < size; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part := buf[:min(size-off, int64(len(buf)))]
		if err := bytesio.ReadFull(t, part, off); err != nil {
			return nil, fmt.Errorf("digest: tensor %s: %w", wording.Quote(t.Name), err)
		}
		sum.Write(part)
		h.told(len(part))
		off += int64(len(part))
	}
	return sum.Sum(nil), nil
}

// errOther is the cause of stopping after another error. It is never returned.
var errOther = errors.New("digest: other work has failed")

// each calls do for each index below n from several goroutines, each with a separate buffer. It returns
// the error with the lowest index.
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
