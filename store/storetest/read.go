// Checks of reading: the contract of io.ReaderAt, and contexts.

//lint:file-ignore ST1005 the errors begin with the method that they are about

package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sync"

	"github.com/weightools/safetensors/store"
)

// with opens the named object and calls f with it and a reader.
func with(ctx context.Context, s store.Store, name string, f func(o store.Object, r io.ReaderAt) error) error {
	o, err := s.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("Open(%q): %w", name, err)
	}
	if err := f(o, o.ReaderAt(ctx)); err != nil {
		o.Close()
		return fmt.Errorf("object %q: %w", name, err)
	}
	if err := o.Close(); err != nil {
		return fmt.Errorf("object %q: Close: %w", name, err)
	}
	return nil
}

// checkRead reads n bytes at off of an object that should hold content.
func checkRead(r io.ReaderAt, content []byte, off int64, n int) error {
	want := content[min(off, int64(len(content))):]
	want = want[:min(n, len(want))]
	got := make([]byte, n)
	read, err := r.ReadAt(got, off)
	switch {
	case read != len(want):
		return fmt.Errorf("ReadAt(%d bytes, %d) = %d, %v; want %d bytes", n, off, read, err, len(want))
	case !bytes.Equal(got[:read], want):
		return fmt.Errorf("ReadAt(%d bytes, %d) returned wrong bytes", n, off)
	// io.SectionReader and others compare with ==.
	case read < n && err != io.EOF:
		return fmt.Errorf("ReadAt(%d bytes, %d) = %d, %v; want io.EOF itself", n, off, read, err)
	// io.ReaderAt allows io.EOF at the very end, but not before it.
	case read == n && err != nil && (err != io.EOF || off+int64(n) < int64(len(content))):
		return fmt.Errorf("ReadAt(%d bytes, %d) = %d, %v; want no error", n, off, read, err)
	}
	return nil
}

func sizes(ctx context.Context, s store.Store, files map[string][]byte) error {
	for _, name := range names(files) {
		err := with(ctx, s, name, func(o store.Object, _ io.ReaderAt) error {
			if got, want := o.Size(), int64(len(files[name])); got != want {
				return fmt.Errorf("Size() = %d; want %d", got, want)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// everyObject reads every object completely.
func everyObject(ctx context.Context, s store.Store, files map[string][]byte) error {
	for _, name := range names(files) {
		err := with(ctx, s, name, func(_ store.Object, r io.ReaderAt) error {
			return checkRead(r, files[name], 0, len(files[name]))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func everyRange(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[small]
	return with(ctx, s, small, func(_ store.Object, r io.ReaderAt) error {
		for off := range len(content) + 2 {
			for n := 1; off+n <= len(content)+2; n++ {
				if err := checkRead(r, content, int64(off), n); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// edges returns offsets in a large object: near its ends, and near multiples of common block
// sizes.
func edges(size int64) []int64 {
	offs := []int64{0, 1, size / 2, size - 1, size}
	for _, block := range []int64{4 << 10, 64 << 10, 1 << 20, 4 << 20, 8 << 20} {
		offs = append(offs, block-1, block, block+1)
	}
	return offs
}

func largeObject(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[big]
	size := int64(len(content))
	return with(ctx, s, big, func(_ store.Object, r io.ReaderAt) error {
		for _, off := range edges(size) {
			for _, n := range []int{1, 2, 4096, 1<<20 + 1} {
				if err := checkRead(r, content, off, n); err != nil {
					return err
				}
			}
		}
		if err := checkRead(r, content, 0, len(content)); err != nil {
			return err
		}
		return checkRead(r, content, 3, len(content)) // 3 bytes beyond the end
	})
}

func emptyObject(ctx context.Context, s store.Store, files map[string][]byte) error {
	return with(ctx, s, empty, func(_ store.Object, r io.ReaderAt) error {
		if err := checkRead(r, nil, 0, 1); err != nil {
			return err
		}
		return checkRead(r, nil, 0, 0)
	})
}

func pastEnd(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[small]
	size := int64(len(content))
	return with(ctx, s, small, func(_ store.Object, r io.ReaderAt) error {
		// At the last two, off+len(p) overflows.
		for _, off := range []int64{size, size + 1, 1 << 31, 1 << 40, math.MaxInt64 - 1, math.MaxInt64} {
			if err := checkRead(r, content, off, 8); err != nil {
				return err
			}
		}
		return nil
	})
}

func negativeOffset(ctx context.Context, s store.Store, files map[string][]byte) error {
	return with(ctx, s, small, func(_ store.Object, r io.ReaderAt) error {
		for _, off := range []int64{-1, math.MinInt64} {
			// io.EOF would mean a regular end.
			if n, err := r.ReadAt(make([]byte, 4), off); n != 0 || err == nil || err == io.EOF {
				return fmt.Errorf("ReadAt(4 bytes, %d) = %d, %v; want an error", off, n, err)
			}
		}
		return nil
	})
}

func readNothing(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[small]
	return with(ctx, s, small, func(_ store.Object, r io.ReaderAt) error {
		for off := range len(content) {
			if err := checkRead(r, content, int64(off), 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// together runs f several times concurrently and returns one of the errors.
func together(f func(i int) error) error {
	const times = 8
	errs := make([]error, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// concurrentReads reads one object through one reader at many offsets concurrently.
func concurrentReads(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[big]
	return with(ctx, s, big, func(_ store.Object, r io.ReaderAt) error {
		return together(func(i int) error {
			offs := edges(int64(len(content)))
			for j := range offs {
				off := offs[(i*5+j)%len(offs)] // in a different order in each goroutine
				if err := checkRead(r, content, off, 100_000+i); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// cancelledReads reads one object for two tasks and cancels one of them.
func cancelledReads(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[small]
	return with(ctx, s, small, func(o store.Object, other io.ReaderAt) error {
		reason := errors.New("the reason for the cancellation")
		task, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		r := o.ReaderAt(task)
		// The store may have cached these bytes, and must not return them after the end.
		if err := checkRead(r, content, 0, len(content)); err != nil {
			return err
		}
		cancel(reason)
		for _, off := range []int64{0, 5, int64(len(content)) - 1} {
			n, err := r.ReadAt(make([]byte, 1), off)
			if n != 0 || !errors.Is(err, reason) {
				return fmt.Errorf("cancelled ReadAt(1 byte, %d) = %d, %v; want the context's cause", off, n, err)
			}
		}
		return checkRead(other, content, 0, len(content))
	})
}

func closeTwice(ctx context.Context, s store.Store, files map[string][]byte) error {
	return with(ctx, s, small, func(o store.Object, _ io.ReaderAt) error {
		if err := o.Close(); err != nil {
			return fmt.Errorf("Close: %w", err)
		}
		return nil // with closes it again
	})
}

// closeEndsReads closes one of two objects of the same name.
func closeEndsReads(ctx context.Context, s store.Store, files map[string][]byte) error {
	content := files[small]
	return with(ctx, s, small, func(_ store.Object, other io.ReaderAt) error {
		var closed io.ReaderAt
		err := with(ctx, s, small, func(_ store.Object, r io.ReaderAt) error {
			closed = r
			return checkRead(r, content, 0, len(content))
		})
		if err != nil {
			return err
		}
		if n, err := closed.ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, fs.ErrClosed) {
			return fmt.Errorf("ReadAt after Close = %d, %v; want fs.ErrClosed", n, err)
		}
		return checkRead(other, content, 0, len(content))
	})
}
