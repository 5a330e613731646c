// Tensors and their bytes.

package safetensors

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/internal/source"
)

// A Tensor is a TensorInfo and the bytes that it describes.
//
// It is immutable and usually lazy: methods that return a Tensor read nothing,
// and the result reads from the original. It may be used by several goroutines
// at once if its ReaderAt may. Every ReaderAt of this package may.
type Tensor struct {
	TensorInfo

	// ReaderAt returns the tensor's bytes from offset 0 on. Use Open for an
	// io.Reader.
	io.ReaderAt
}

// Bytes returns the tensor's bytes, which must not be changed: for a mapped
// file they are the mapping itself. It is an error if the source has fewer
// bytes than the tensor.
func (t *Tensor) Bytes() ([]byte, error) {
	if s, ok := t.ReaderAt.(*source.Section); ok && s.Bytes != nil {
		return s.Bytes()
	}
	size := t.Size()
	if size > maxAlloc {
		return nil, fmt.Errorf("safetensors: tensor %s has %d bytes, too many for the memory of this machine: "+
			"read it in parts",
			quote(t.Name), size)
	}
	b := alloc[byte](t, size)
	if n, err := t.ReadAt(b, 0); n < len(b) {
		return nil, source.Early(t.Name, int64(n), err)
	}
	return b, nil
}

// Open returns a new reader of the tensor's bytes.
func (t *Tensor) Open() *io.SectionReader { return io.NewSectionReader(t, 0, t.Size()) }

// WriteTo writes the tensor's bytes to w and returns their number. It
// implements io.WriterTo.
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

// Rename returns t with another name.
func (t *Tensor) Rename(name string) *Tensor {
	renamed := *t
	renamed.Name = name
	return &renamed
}

// elements returns a reader of t's elements by their index.
func (t *Tensor) elements() source.Elements {
	return source.ElementsOf(t.Name, t.ReaderAt, t.Size(), t.Dtype.Bits())
}
