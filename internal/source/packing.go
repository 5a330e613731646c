// Package source reads the bytes of tensors: a section of a file, memory, elements
// that are scattered over another tensor, and elements that are computed.
package source

import "sync"

// BufferSize is the size of a Buffer: large enough for long reads, and small enough
// to stay in a core's cache.
const BufferSize = 256 << 10

// A Buffer is memory to work in.
type Buffer [BufferSize]byte

// Buffers has buffers for as long as a call takes.
var Buffers = sync.Pool{New: func() any { return new(Buffer) }}

// A Packing is how elements fill bytes. A group is the least number of elements
// that fills whole bytes: one element of 8 bits or more, two of 4, four of 6. A
// tensor always has whole groups, since it fills whole bytes.
type Packing struct{ Elems, Bytes int64 }

// PackingOf returns the packing of elements of the given width in bits.
func PackingOf(bits int) Packing {
	switch bits {
	case 4:
		return Packing{2, 1}
	case 6:
		return Packing{4, 3}
	}
	return Packing{1, int64(bits) / 8}
}

// span returns the bytes of the groups that hold the elements from first up to end,
// counted from the first byte of element 0.
func (p Packing) span(first, end int64) (int64, int64) {
	return first / p.Elems * p.Bytes, (end + p.Elems - 1) / p.Elems * p.Bytes
}

// Most returns how many elements, a multiple of 8, always fit a Buffer, even if the
// first of them is not the first of its group.
func (p Packing) Most() int {
	return int(BufferSize/p.Bytes*p.Elems-p.Elems) &^ 7
}
