// Package witness computes the digest of data while it is read for another purpose.
package witness

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
)

// A Reader computes the SHA-256 of the bytes that it returns, as long as they are read
// from front to back, as an Encoder reads tensors. Only one goroutine may use it.
//
// Writers use it for remote sources, which they would otherwise download a second time
// to verify the output. Local sources are compared byte by byte, so the system can copy
// them.
type Reader struct {
	io.ReaderAt
	digest hash.Hash
	next   int64 // how many bytes it has the digest of
}

// Of returns a Reader of the bytes of r.
func Of(r io.ReaderAt) *Reader { return &Reader{ReaderAt: r, digest: sha256.New()} }

// ReadAt reads from the underlying reader.
func (w *Reader) ReadAt(b []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(b, off)
	if off == w.next {
		w.digest.Write(b[:n])
		w.next += int64(n)
	}
	return n, err
}

// IsOf reports whether w has seen all bytes of a source of this size. A nil Reader has
// seen none.
func (w *Reader) IsOf(size int64) bool { return w != nil && w.next == size }

// Saw reports whether the bytes that it has seen have the digest.
func (w *Reader) Saw(digest []byte) bool { return bytes.Equal(w.digest.Sum(nil), digest) }
