// Package compare compares the bytes of two readers.
package compare

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A pair holds a part of each reader.
type pair [2][512 << 10]byte

var pairs = sync.Pool{New: func() any { return new(pair) }}

// First returns the offset of the first of size bytes in which a and b differ, or
// -1 if there is none. It compares bytes, not numbers: NaN equals itself, and 0 does
// not equal -0. If each is not nil, First calls it with the bytes of b, part by part
// and in order, as long as they equal the bytes of a.
//
// A reader that ends early is an error that wraps [io.ErrUnexpectedEOF]. When ctx is
// done, First returns its cause.
func First(ctx context.Context, a, b io.ReaderAt, size int64, each func(part []byte)) (int64, error) {
	buf := pairs.Get().(*pair)
	defer pairs.Put(buf)
	for off := int64(0); off < size; {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n := min(size-off, int64(len(buf[0])))
		x, y := buf[0][:n], buf[1][:n]
		if err := bytesio.ReadFull(a, x, off); err != nil {
			return 0, err
		}
		if err := bytesio.ReadFull(b, y, off); err != nil {
			return 0, err
		}
		if !bytes.Equal(x, y) {
			return off + difference(x, y), nil
		}
		if each != nil {
			each(y)
		}
		off += n
	}
	return -1, nil
}

// difference returns the index of the first byte in which x and y differ.
func difference(x, y []byte) int64 {
	for i := range x {
		if x[i] != y[i] {
			return int64(i)
		}
	}
	return int64(len(x))
}
