// Digests of what is read.

package compare

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
)

// A Witness computes the SHA-256 of what is read through it, if that is read from
// start to end, as an Encoder does. It is not for concurrent use.
//
// The output of a local source is verified by comparing bytes, which needs no Witness
// and lets the kernel copy. A remote source would have to be downloaded again.
type Witness struct {
	io.ReaderAt
	digest hash.Hash
	next   int64 // the number of bytes in the digest
}

// NewWitness returns a Witness of what r reads.
func NewWitness(r io.ReaderAt) *Witness { return &Witness{ReaderAt: r, digest: sha256.New()} }

// ReadAt implements io.ReaderAt.
func (w *Witness) ReadAt(b []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(b, off)
	if off == w.next {
		w.digest.Write(b[:n])
		w.next += int64(n)
	}
	return n, err
}

// IsOf reports whether w has read all of the given size. A nil Witness has read
// nothing.
func (w *Witness) IsOf(size int64) bool { return w != nil && w.next == size }

// Saw reports whether what was read has the digest.
func (w *Witness) Saw(digest []byte) bool { return bytes.Equal(w.digest.Sum(nil), digest) }
