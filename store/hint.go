// Hints: what will be read next, for stores to which each request costs.

package store

import (
	"context"
	"io"
)

// OpenHead opens an object as s.Open does, and tells s that the first n bytes will
// be read next, as far as there are so many: a store over a network has them come
// with the answer that says how large the object is. With n as 0 it is up to the
// store. A Store that can use the hint has this as a method, which is optional.
func OpenHead(ctx context.Context, s Store, name string, n int64) (Object, error) {
	if h, ok := s.(interface {
		OpenHead(context.Context, string, int64) (Object, error)
	}); ok {
		return h.OpenHead(ctx, name, n)
	}
	return s.Open(ctx, name)
}

// A Prefetcher is the reader of an object that can be told what will be read next.
// Those that [Object.ReaderAt] returns may be; of a file on this machine none is.
type Prefetcher interface {
	io.ReaderAt

	// Prefetch says that n bytes at off will be read, in however many pieces, so
	// that they can be had at once. It tells of no error, since reading them does.
	Prefetch(off, n int64)
}
