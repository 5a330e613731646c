// Tensors: an entry, and the bytes that it describes.

package safetensors

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/internal/source"
)

// A Tensor is a TensorInfo and the bytes that it describes.
//
// It is immutable, and as a rule it is lazy: its methods that return a Tensor
// read nothing, and the result reads from the original. It is for any number of
// goroutines at once if its ReaderAt is, and those of this package are.
type Tensor struct {
	TensorInfo

	// ReaderAt gives the tensor's bytes, of which the first is at 0.
	// It is embedded alone, and not as a SectionReader, so that a Tensor has
	// no position for its users to share. Use Open for a Reader.
	io.ReaderAt
}

// Bytes returns the tensor's bytes, which must not be changed: they may be
// those of a mapped file, and are then not copied. It is an error if the source
// has fewer than the tensor's size.
func (t *Tensor) Bytes() ([]byte, error) {
	if s, ok := t.ReaderAt.(*source.Section); ok && s.Bytes != nil {
		return s.Bytes()
	}
	size := t.Size()
	if size > maxAlloc {
		return nil, fmt.Errorf("safetensors: tensor %s has %d bytes, more than this machine can hold: read it in parts", quote(t.Name), size)
	}
	b := room[byte](t, size)
	if n, err := t.ReadAt(b, 0); n < len(b) {
		return nil, source.Early(t.Name, int64(n), err)
	}
	return b, nil
}

// Open returns a new reader of the tensor's bytes.
func (t *Tensor) Open() *io.SectionReader { return io.NewSectionReader(t, 0, t.Size()) }

// WriteTo writes the tensor's bytes to w, and returns how many. It implements
// io.WriterTo.
func (t *Tensor) WriteTo(w io.Writer) (int64, error) {
	const chunk = 1 << 20 // bytes: large enough for disks, small enough for caches
	size := t.Size()
	buf := make([]byte, min(size, chunk))
	for off := int64(0); off < size; {
		part := buf[:min(size-off, int64(len(buf)))]
		if n, err := t.ReadAt(part, off); n < len(part) {
			return off, source.Early(t.Name, off+int64(n), err)
		}
		n, err := w.Write(part)
		off += int64(n)
		if err != nil {
			return off, err
		}
		if n < len(part) {
			return off, io.ErrShortWrite
		}
	}
	return size, nil
}

// Rename returns t under another name.
func (t *Tensor) Rename(name string) *Tensor {
	renamed := *t
	renamed.Name = name
	return &renamed
}

// elements returns a reader of t's elements by their index.
func (t *Tensor) elements() source.Elements {
	return source.ElementsOf(t.Name, t.ReaderAt, t.Size(), t.Dtype.Bits())
}
