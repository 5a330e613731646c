// Gathering elements that are not contiguous in the file.

package torch

import (
	"cmp"
	"io"
	"slices"
	"sync"
)

const (
	// gatherWindow is the number of bytes that are read at once.
	gatherWindow = 256 << 10

	// gatherGap is the largest number of unwanted bytes that are read rather than skipped with another read.
	gatherGap = 4 << 10
)

// A gather reader provides the elements of a view in row-major order and little-endian. It has no state except tiles,
// so reads can be concurrent.
type gather struct {
	r             io.ReaderAt
	base          int64 // offset in r of the element with index 0, 0, …
	width         int64 // element size in bytes
	size          int64 // total size in bytes
	shape, stride []int64
	swap          int // number of bytes to reverse; 0 for none

	tiles *tiles // nil if tiles are not worthwhile
	next  int64  // end of the last read; guarded by tiles.mu
}

// windows are read buffers.
var windows = sync.Pool{New: func() any { return new([gatherWindow]byte) }}

func (g *gather) ReadAt(b []byte, off int64) (int, error) {
	part, end := clip(b, off, g.size)
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
func (g *gather) read(b []byte, off int64) (int, error) {
	var aside [16]byte // an element that b contains only in part
	done := 0
	for done < len(b) {
		rest, at := b[done:], off+int64(done)
		if skip := at % g.width; skip > 0 || int64(len(rest)) < g.width {
			if err := g.elements(aside[:g.width], at/g.width); err != nil {
				return done, err
			}
			done += copy(rest, aside[skip:g.width])
			continue
		}
		whole := rest[:int64(len(rest))/g.width*g.width]
		if err := g.elements(whole, at/g.width); err != nil {
			return done, err
		}
		done += len(whole)
	}
	return done, nil
}

// elements fills dst with the elements from first on.
func (g *gather) elements(dst []byte, first int64) error {
	for at := dst; len(at) > 0; {
		x := g.boxAt(first, int64(len(at))/g.width)
		n := x.count() * g.width
		if err := x.copy(at[:n], g); err != nil {
			return err
		}
		at, first = at[n:], first+n/g.width
	}
	if g.swap > 0 {
		for i := 0; i < len(dst); i += g.swap {
			slices.Reverse(dst[i : i+g.swap])
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
func (g *gather) boxAt(first, n int64) box {
	var x box
	inner, rest := int64(1), first // elements per index of the dimension; remainder of first
	for i := len(g.shape) - 1; i >= 0; i-- {
		index := rest % g.shape[i]
		rest /= g.shape[i]
		x.from += index * g.stride[i]
		if inner > 0 {
			take := min(g.shape[i]-index, n/inner)
			if take > 1 || take == 1 && g.shape[i] > 1 {
				x.dims = append(x.dims, dim{take, g.stride[i], inner})
			}
			if inner *= g.shape[i]; take < g.shape[i] || inner > n {
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
