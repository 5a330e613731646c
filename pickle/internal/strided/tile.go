// Tiles: large parts of views that are gathered in advance.

package strided

import "sync"

const (
	// TileSize is the maximum size of a tile in bytes.
	TileSize = 32 << 20

	// tileRead is the number of bytes per read of a program that reads a whole tensor.
	tileRead = 512 << 10

	// leastTileRead is the minimum size of a read that counts as part of such a sequence.
	leastTileRead = 64 << 10

	// tileSpan is the minimum ratio between the part of the source that a read covers and the size of the read for
	// which a tile is worthwhile.
	tileSpan = 4
)

// In a transposed tall matrix, each row has one element of every row of the source. Reading it row by row needs a small
// read for each element, or the whole source for a few rows. Therefore a large part of a tensor that is read
// sequentially is gathered at once, with large reads, and kept until it has been returned.
//
// Tiles is the memory for one such part, which all tensors of a checkpoint share. Other tensors are read without it. If
// the owner stops reading, it loses the memory after others have read the same amount without it. The reads
// therefore bound the cost of wasted tiles.
type Tiles struct {
	Most int64 // maximum size of a part in bytes

	mu     sync.Mutex
	of     *Reader // the owner, nil if there is none
	begin  int64   // offset of the part in the tensor
	b      []byte
	denied int64 // bytes that others have read since
}

// Use makes g use the tiles if its reads are spread so far that a tile is worthwhile.
func (t *Tiles) Use(g *Reader) {
	if t.worth(g) {
		g.tiles = t
	}
}

// worth reports whether the reads of a tensor are spread so far that a tile is worthwhile.
func (t *Tiles) worth(g *Reader) bool {
	if g.Size <= tileRead {
		return false
	}
	x := g.boxAt(0, tileRead/g.Width)
	span := int64(1)
	for _, d := range x.dims {
		span += (d.n - 1) * d.src
	}
	return span*g.Width > tileSpan*tileRead
}

// read reads b from g at off, inside the tensor.
func (t *Tiles) read(g *Reader, b []byte, off int64) (n int, err error) {
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

// give copies the part of b that is in the tile, and gathers a tile if g may have one. It returns 0 if there is no
// memory, or on an error, which a read without a tile will return.
func (t *Tiles) give(g *Reader, b []byte, at int64) int {
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
	part := min(t.Most-t.Most%g.Width, g.Size-at)
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

// take copies data from the tile. It releases the tile at the end of the tensor.
func (t *Tiles) take(b []byte, at int64) int {
	n := copy(b, t.b[at-t.begin:])
	t.of.next = at + int64(n)
	if t.of.next == t.of.Size {
		t.of, t.b = nil, nil
	}
	return n
}
