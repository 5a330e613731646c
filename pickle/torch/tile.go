// Tiles: large parts of views whose elements are far from each other in the source.

package torch

import "sync"

const (
	// tileSize is how many bytes of a tensor are gathered at once, if it is worth it.
	tileSize = 32 << 20

	// tileRead is how many bytes those read at once who read all of a tensor.
	tileRead = 512 << 10

	// leastTileRead is how many bytes a read has at least that is taken for one of those.
	leastTileRead = 64 << 10

	// tileSpan is from how many times its own size on the part of the source, over which
	// a read is spread, makes a tile worth it.
	tileSpan = 4
)

// A tall matrix that is transposed has in each row one element of each of the source's
// rows. Who reads it row by row makes a small read for each element, or reads all of the
// source for a few rows. So of a tensor that is read from front to back a large part is
// gathered at once, in reads as large as that allows, and kept until it has been given.
//
// Tiles are the room for one such part, which all tensors of a checkpoint share. Those
// that do not have it are read without. Who does not go on reading loses it, once others
// have read as many bytes without it: then the part was gathered in vain, at no more than
// the cost of what was read.
type tiles struct {
	most int64 // bytes of a part

	mu     sync.Mutex
	of     *gather // whose part it is; nil if there is none
	begin  int64   // where in the tensor it begins
	b      []byte
	denied int64 // bytes that others have read since
}

// worth says whether reads of the tensor are spread so far that a tile is worth it.
func (t *tiles) worth(g *gather) bool {
	if g.size <= tileRead {
		return false
	}
	x := g.boxAt(0, tileRead/g.width)
	span := int64(1)
	for _, d := range x.dims {
		span += (d.n - 1) * d.src
	}
	return span*g.width > tileSpan*tileRead
}

// read gives the bytes of g at off, which are all there.
func (t *tiles) read(g *gather, b []byte, off int64) (n int, err error) {
	for n < len(b) && err == nil {
		at := off + int64(n)
		m := t.give(g, b[n:], at)
		if m == 0 {
			m, err = g.read(b[n:], at)
		}
		n += m
	}
	return n, err
}

// give gives what the tile has of b, and gathers one if g is to have it. It returns 0 if
// there is no room, or if something is wrong, which a read without it will meet.
func (t *tiles) give(g *gather, b []byte, at int64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	goesOn := at == g.next && len(b) >= leastTileRead
	g.next = at + int64(len(b))
	if t.of == g && at >= t.begin && at < t.begin+int64(len(t.b)) {
		return t.take(b, at)
	}
	if t.of != g && t.of != nil {
		if t.denied += int64(len(b)); t.denied <= int64(len(t.b)) {
			return 0
		}
	}
	if !goesOn {
		return 0
	}
	t.of, t.begin, t.denied = g, at, 0
	part := min(t.most-t.most%g.width, g.size-at)
	if int64(cap(t.b)) < part {
		t.b = make([]byte, part)
	}
	t.b = t.b[:part]
	if _, err := g.read(t.b, at); err != nil {
		t.of, t.b = nil, nil
		return 0
	}
	return t.take(b, at)
}

// take copies what the tile has at a place. With the last of the tensor it is given up.
func (t *tiles) take(b []byte, at int64) int {
	n := copy(b, t.b[at-t.begin:])
	t.of.next = at + int64(n)
	if t.of.next == t.of.size {
		t.of, t.b = nil, nil
	}
	return n
}
