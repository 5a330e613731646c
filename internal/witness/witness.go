// Witnesses: what was read, by its digest, so that it need not be read again.

// Package witness takes the digest of what is read on its way somewhere else.
package witness

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
)

// A Reader takes the SHA-256 of what it gives, as long as that is read from front to
// back. An Encoder reads tensors so. It is for one goroutine.
//
// What is on this machine is compared byte by byte, which needs no witness and lets
// the system copy it. But to read a source again that is elsewhere is to fetch it
// again.
type Reader struct {
	io.ReaderAt
	digest hash.Hash
	next   int64 // how many bytes it has the digest of
}

// Of returns a Reader of what r reads.
func Of(r io.ReaderAt) *Reader { return &Reader{ReaderAt: r, digest: sha256.New()} }

// ReadAt reads from what the Reader is of.
func (w *Reader) ReadAt(b []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(b, off)
	if off == w.next {
		w.digest.Write(b[:n])
		w.next += int64(n)
	}
	return n, err
}

// IsOf says whether w has seen all of something of this size, so that it need not be
// read again. A nil Reader has seen nothing.
func (w *Reader) IsOf(size int64) bool { return w != nil && w.next == size }

// Saw says whether what it saw has the digest.
func (w *Reader) Saw(digest []byte) bool { return bytes.Equal(w.digest.Sum(nil), digest) }
