// Packing: how elements lie in bytes, and how they are found there by number.

package safetensors

import (
	"io"
	"sync"
)

// bufferSize is how many bytes are worked on at once: enough that reads are
// long, and few enough that they are in a core's cache when they are used.
const bufferSize = 256 << 10

type buffer [bufferSize]byte

// buffers keeps buffers from one call to the next. A call that needs one has it
// for as long as it runs, so that calls do not wait for each other.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// A packing is how elements fill bytes: a group, the least number of elements
// that does, takes so many bytes. For a byte or more that is one element. Every
// tensor has whole groups alone, since it must fill bytes: so many of its bits
// are a multiple of 8 exactly if so many of its elements are one of a group.
type packing struct{ elems, bytes int64 }

// packingOf returns the packing of elements of so many bits.
func packingOf(bits int) packing {
	switch bits {
	case 4:
		return packing{2, 1}
	case 6:
		return packing{4, 3}
	}
	return packing{1, int64(bits) / 8}
}

// span returns the bytes of the groups that hold the elements from first up to
// end, counted from that of element 0.
func (p packing) span(first, end int64) Span {
	return Span{first / p.elems * p.bytes, (end + p.elems - 1) / p.elems * p.bytes}
}

// most returns how many elements, a multiple of 8, surely fit a buffer, even if
// the first is not the first of its group, and costs one group more.
func (p packing) most() int {
	return int(bufferSize/p.bytes*p.elems-p.elems) &^ 7
}

// An elements gives elements of a tensor by number, in their bytes.
type elements struct {
	packing
	r      io.ReaderAt
	memory []byte // what r reads from, if it is memory
	tensor string
}

func elementsOf(t *Tensor) elements {
	return elements{packingOf(t.Dtype.Bits()), t.ReaderAt, memoryOf(t), t.Name}
}

// load returns bytes that hold the n elements from first on, n being at most
// most. First is the skip-th element in them. They are read into buf, unless
// they are in memory already. With an error, load returns how many it got.
func (e *elements) load(buf *buffer, first int64, n int) (b []byte, skip, got int, err error) {
	at, skip := e.span(first, first+int64(n)), int(first%e.elems)
	if e.memory != nil {
		return e.memory[at.Begin:at.End], skip, n, nil
	}
	b = buf[:at.Len()]
	k, err := e.r.ReadAt(b, at.Begin)
	if k == len(b) {
		return b, skip, n, nil
	}
	whole := int(int64(k) / e.bytes * e.elems)
	return b[:k], skip, max(0, whole-skip), early(e.tensor, at.Begin+int64(k), err)
}
