// Gathering: the elements of a view that do not stand in the file as they are to be.

package torch

import (
	"cmp"
	"io"
	"slices"
	"sync"
)

const (
	// gatherWindow is how many bytes are read at once to pick elements from.
	gatherWindow = 256 << 10

	// gatherGap is how many bytes that are not wanted are read across rather than
	// skipped by another read.
	gatherGap = 4 << 10
)

// A gather reader gives the elements of a view in row-major order, in little-endian
// bytes. But for tiles it has no state, so that any number of reads can go on.
type gather struct {
	r             io.ReaderAt
	base          int64 // where in r the element of index 0, 0, … is
	width         int64 // of an element, in bytes
	size          int64 // of all, in bytes
	shape, stride []int64
	swap          int // how many bytes are put in reverse each; 0 if none

	tiles *tiles // nil if none is worth it
	next  int64  // where the last read ended; tiles.mu guards it
}

// windows are buffers for what is read to pick from.
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

// read is ReadAt for bytes that are all there.
func (g *gather) read(b []byte, off int64) (int, error) {
	var aside [16]byte // an element of which b has a part
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

// elements fills dst with the elements from number first on.
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

// A box is a part of a view that is a view itself: of some dimensions all indices, of one
// a range, and of those before it one index.
type box struct {
	from int64 // its first element, counted from that of the view
	dims []dim // in the order of the source: that of the greatest stride first
}

// A dim is a dimension of a box.
type dim struct {
	n        int64 // how many indices
	src, dst int64 // how many elements lie between two of them, in the storage and in the result
}

// boxAt returns the largest box that begins with the element of number first, and has n at
// most.
func (g *gather) boxAt(first, n int64) box {
	var x box
	inner, rest := int64(1), first // elements within one index of the dimension; what is left of first
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
				inner = 0 // no dimension further out has room
			}
		}
	}
	x.sort()
	return x
}

// sort puts the dimensions into the order of the source, and makes one of those that
// are one in both places.
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
