// The part of a tensor that a slice selects.

package source

import (
	"io"

	"github.com/weightools/safetensors/internal/num"
)

// Slice returns a reader of the elements that axes select of a tensor. There is at
// least one; they take size bytes. The tensor's elements are bits wide, and it
// has total bytes, which are read from r.
//
// The result is one of three kinds: a section of the same file, runs of bytes, or
// elements that are packed again.
func Slice(tensor string, r io.ReaderAt, total int64, bits int, shape []int64, axes []Axis, size int64) io.ReaderAt {
	g := gridOf(shape, axes)
	memory := memoryOf(r, total)
	if !g.toBytes(PackingOf(bits)) {
		return repack(newGather(tensor, r, memory, g, bits), size)
	}
	if s, ok := r.(*Section); ok && len(g.loops) == 0 && g.base+g.run <= s.Size {
		return s.Part(g.base, g.base+g.run)
	}
	return newGather(tensor, r, memory, g, 8)
}

// repack returns the bytes of elements narrower than a byte, some of which do not
// begin or end on a byte in their source. They are unpacked to one element for each
// byte, and packed again.
func repack(a *gather, size int64) io.ReaderAt {
	fill := func(dst []byte, first int64, n int) (int, error) {
		patterns := Buffers.Get().(*Buffer)
		defer Buffers.Put(patterns)
		got, err := a.units(patterns[:n], first)
		num.Pack(dst, 0, patterns[:got], a.width)
		return got, err
	}
	return NewComputed(PackingOf(a.width), a.tensor, size, BufferSize, fill)
}
