// The part of a tensor that a slice selects.

package source

import "io"

// An Axis is the indices of one axis that a slice selects: Start, Start+Step, and
// so on, Count of them. Step is 1 if there are fewer than two.
type Axis struct {
	Start, Count, Step int64
	Dropped            bool // from the shape
}

// Slice returns a reader of the elements that axes select of a tensor. There is at
// least one; they take size bytes. The tensor's elements are bits wide, and its
// bytes, of which there are total, are read from r.
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
