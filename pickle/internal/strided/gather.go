// Gathering elements that are not contiguous in the file.

// Package strided reads tensors whose elements are not contiguous in their source, and
// gives random access to sequential data.
package strided

import (
	"cmp"
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
)

const (
	// BufferSize is the number of bytes that are read at once.
	BufferSize = 256 << 10

	// largestGap is the largest number of unwanted bytes that are read rather than skipped with another read.
	largestGap = 4 << 10
)

// A Reader provides the elements of a view in row-major order and little-endian. It has no state except tiles,
// so reads can be concurrent.
type Reader struct {
	Source        io.ReaderAt
	Base          int64 // offset in Source of the element with index 0, 0, …
	Width         int64 // element size in bytes, 16 at most
	Size          int64 // total size in bytes
	Shape, Stride []int64
	Swap          int // number of bytes to reverse; 0 for none

	tiles *Tiles // nil if tiles are not worthwhile
	next  int64  // end of the last read; guarded by tiles.mu
}

// MaxRank is the maximum number of dimensions.
const MaxRank = 64

// A Buffer holds one read of a source.
type Buffer [BufferSize]byte

// Buffers are for reads of sources.
var Buffers = sync.Pool{New: func() any { return new(Buffer) }}

// ReadAt implements io.ReaderAt.
func (g *Reader) ReadAt(b []byte, off int64) (int, error) {
	part, end := bytesio.Clip(b, off, g.Size)
	if len(part) == 0 {
		return 0, end
	}
	read := g.read
	if g.tiles != nil {
		read = func(b []byte, off int64) (int, error) { return g.tiles.read(g, b, off) }
	}
	n, err := read(part, off)
	return n, cmp.Or(err, end)
}

// read is ReadAt for a range inside the tensor.
func (g *Reader) read(b []byte, off int64) (int, error) {
	var aside [16]byte // an element that b contains only in part
	done := 0
	for done < len(b) {
		rest, at := b[done:], off+int64(done)
		if skip := at % g.Width; skip > 0 || int64(len(rest)) < g.Width {
			if err := g.elements(aside[:g.Width], at/g.Width); err != nil {
				return done, err
			}
			done += copy(rest, aside[skip:g.Width])
			continue
		}
		whole := rest[:int64(len(rest))/g.Width*g.Width]
		if err := g.elements(whole, at/g.Width); err != nil {
			return done, err
		}
		done += len(whole)
	}
	return done, nil
}

// elements fills dst with the elements from first on.
func (g *Reader) elements(dst []byte, first int64) error {
	for at := dst; len(at) > 0; {
		x := g.boxAt(first, int64(len(at))/g.Width)
		n := x.count() * g.Width
		if err := x.copy(at[:n], g); err != nil {
			return err
		}
		at, first = at[n:], first+n/g.Width
	}
	if g.Swap > 0 {
		for i := 0; i < len(dst); i += g.Swap {
			slices.Reverse(dst[i : i+g.Swap])
		}
	}
	return nil
}

// A box is a part of a view: all indexes in the inner dimensions, a range of indexes in one, and a single index in the
// outer ones.
type box struct {
	from int64 // first element, relative to that of the view
	dims []dim // in the order of the source, largest stride first
}

// A dim is a dimension of a box.
type dim struct {
	n        int64 // number of indexes
	src, dst int64 // stride in elements, in the storage and in the result
}

// boxAt returns the largest box of at most n elements that starts with the element first.
func (g *Reader) boxAt(first, n int64) box {
	var x box
	inner, rest := int64(1), first // elements per index of the dimension; remainder of first
	for i := len(g.Shape) - 1; i >= 0; i-- {
		index := rest % g.Shape[i]
		rest /= g.Shape[i]
		x.from += index * g.Stride[i]
		if inner > 0 {
			take := min(g.Shape[i]-index, n/inner)
			if take > 1 || take == 1 && g.Shape[i] > 1 {
				x.dims = append(x.dims, dim{take, g.Stride[i], inner})
			}
			if inner *= g.Shape[i]; take < g.Shape[i] || inner > n {
				inner = 0 // outer dimensions do not fit
			}
		}
	}
	x.sort()
	return x
}

// sort sorts the dimensions in the order of the source, and joins dimensions that are contiguous in both places.
func (x *box) sort() {
	x.dims = slices.DeleteFunc(x.dims, func(d dim) bool { return d.n == 1 })
	slices.SortStableFunc(x.dims, func(a, b dim) int {
		return cmp.Or(cmp.Compare(b.src, a.src), cmp.Compare(b.dst, a.dst))
	})
	merged := x.dims[:0]
	for _, d := range x.dims {
		if k := len(merged) - 1; k >= 0 && merged[k].src == d.src*d.n && merged[k].dst == d.dst*d.n {
			merged[k] = dim{merged[k].n * d.n, d.src, d.dst}
			continue
		}
		merged = append(merged, d)
	}
	x.dims = merged
}

// count returns the number of elements.
func (x *box) count() int64 {
	n := int64(1)
	for _, d := range x.dims {
		n *= d.n
	}
	return n
}
