// Witnesses: what was read of a source that is far away, remembered by its digest.

package edit

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"

	"github.com/weightools/safetensors"
)

// A witness is the reader of a tensor that takes the digest of what it gives, as long
// as that is read from front to back. An Encoder reads so. It is for one goroutine.
//
// What is on this machine is compared byte by byte, which needs no witness and lets
// the system copy it. But to read a source again that is elsewhere is to fetch it
// again.
type witness struct {
	io.ReaderAt
	digest hash.Hash
	next   int64 // how many bytes it has the digest of
}

func (w *witness) ReadAt(b []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(b, off)
	if off == w.next {
		w.digest.Write(b[:n])
		w.next += int64(n)
	}
	return n, err
}

// witnessed returns tensors that are read as those of the list are, but by witnesses,
// which it adds to seen by the tensors of the list.
func witnessed(list []*safetensors.Tensor, seen map[*safetensors.Tensor]*witness) []*safetensors.Tensor {
	made := make([]*safetensors.Tensor, len(list))
	for i, t := range list {
		w := &witness{ReaderAt: t.ReaderAt, digest: sha256.New()}
		seen[t] = w
		made[i] = &safetensors.Tensor{TensorInfo: t.TensorInfo, ReaderAt: w}
	}
	return made
}

// isOf says whether the witness has seen all of a tensor of this size, so that it need
// not be read again.
func (w *witness) isOf(size int64) bool { return w != nil && w.next == size }

// saw says whether what it saw has the digest.
func (w *witness) saw(digest []byte) bool { return bytes.Equal(w.digest.Sum(nil), digest) }
