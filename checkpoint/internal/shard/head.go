// Prefetching headers.

package shard

import (
	"encoding/binary"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// LengthSize is the size in bytes of the number with which a safetensors file begins.
const LengthSize = 8

// prefetchHeader tells the store of r where the header ends, to get the rest of it with one
// request. The length is what the file claims, and only a hint.
func prefetchHeader(r io.ReaderAt, size int64) error {
	ahead, ok := r.(store.Prefetcher)
	if !ok || size < LengthSize {
		return nil
	}
	var length [LengthSize]byte
	if n, err := r.ReadAt(length[:], 0); n < LengthSize {
		return err
	}
	if n := binary.LittleEndian.Uint64(length[:]); n <= safetensors.MaxHeaderSize && int64(n) <= size-LengthSize {
		ahead.Prefetch(LengthSize, int64(n))
	}
	return nil
}
