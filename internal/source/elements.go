// Elements by their index.

package source

import "io"

// Elements reads the elements of a tensor by their index.
type Elements struct {
	Packing
	r      io.ReaderAt
	memory []byte // the bytes of r, if they are a Memory
	tensor string
}

// ElementsOf returns the elements of a tensor of the given size in bytes, which are
// bits wide.
func ElementsOf(tensor string, r io.ReaderAt, size int64, bits int) Elements {
	return Elements{PackingOf(bits), r, memoryOf(r, size), tensor}
}

// Load returns bytes that hold the n elements from first on, where n is at most
// Most. Element first is number skip of the elements in the bytes. Load reads them
// into buf unless they are in memory. With an error, it returns how many it got.
func (e *Elements) Load(buf *Buffer, first int64, n int) (b []byte, skip, got int, err error) {
	begin, end := e.span(first, first+int64(n))
	skip = int(first % e.Elems)
	if e.memory != nil {
		return e.memory[begin:end], skip, n, nil
	}
	b = buf[:end-begin]
	k, err := e.r.ReadAt(b, begin)
	if k == len(b) {
		return b, skip, n, nil
	}
	whole := int(int64(k) / e.Bytes * e.Elems)
	return b[:k], skip, max(0, whole-skip), Early(e.tensor, begin+int64(k), err)
}
