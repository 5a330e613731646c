// Tensors in the program's own memory, and its byte order.

package safetensors

import (
	"encoding/binary"
	"io"
	"slices"
)

// littleEndian says whether numbers lie in memory as they do in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// A memory is bytes that do not change, and of which reading cannot fail. It is
// read by way of a section, which is what keeps to its ends.
type memory []byte

func (m memory) ReadAt(b []byte, off int64) (int, error) { return copy(b, m[off:]), nil }

// held returns a reader of b, which is not copied.
func held(name string, b []byte) *section {
	return &section{memory(b), Span{0, int64(len(b))}, name, func() ([]byte, error) { return b, nil }}
}

// memoryOf returns the bytes of t if they are in the program's own memory, and
// nil if they are not. Those of a mapped file are not: it must be read with care.
func memoryOf(t *Tensor) []byte {
	s, ok := t.ReaderAt.(*section)
	if !ok || s.at.Len() < t.Size() {
		return nil
	}
	m, ok := s.r.(memory)
	if !ok {
		return nil
	}
	return m[s.at.Begin:s.at.End]
}

// reversed returns a reader of numbers of the given size, in bytes, whose byte
// order in memory is not the format's. They are changed as they are read, since
// the memory is the caller's.
func reversed(name string, b []byte, size int) io.ReaderAt {
	p := packing{1, int64(size)}
	return &computed{p, name, int64(len(b)), p.most(), func(dst []byte, first int64, n int) (int, error) {
		copy(dst, b[int(first)*size:])
		reverse(dst, size)
		return n, nil
	}}
}

// reverse changes the byte order of numbers of the given size.
func reverse(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// partSize returns the bytes of a number of dtype d, of which a C64 has two.
func partSize(d Dtype) int {
	if d == C64 {
		return 4
	}
	return d.Bits() / 8
}
