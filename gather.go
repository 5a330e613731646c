// Gathering: reading what lies scattered, in few reads.

package safetensors

import (
	"io"

	"github.com/weightools/safetensors/internal/num"
)

// A gather reads the units of a grid out of a tensor's bytes.
//
// A run is read at once, straight to where it is wanted. Where the gaps between
// runs are small, a stretch with many runs is read instead, into a window out of
// which they are picked: a read costs as much as copying some thousand bytes
// from a file in memory, and far more if it has to go to a disk or over a
// network. A gather has no state, so that any number of reads can go on.
type gather struct {
	grid
	r      io.ReaderAt
	memory []byte // what r reads from, if it is memory: then that is the window
	tensor string
	width  int   // bits of a unit: of an element, or 8 of a byte
	size   int64 // units

	// across is how many units there are from one gap that is too wide to be
	// read across to the next: those of a run, or a multiple of it.
	across int64
}

// maxGap is the widest gap in bytes that is read across. From a file that is in
// memory, copying so much takes as long as the read that it saves (measured:
// about 0.5 us). From a disk it takes no time, since it is a page.
const maxGap = 4 << 10

// maxCopy is the longest run in bytes that is read by way of a window. Of longer
// ones a window has so few that it costs more to copy them than it saves.
const maxCopy = bufferSize / 4

// newGather returns the gather of g, in units of width bits, out of t.
func newGather(t *Tensor, g grid, width int) *gather {
	a := &gather{grid: g, r: t.ReaderAt, memory: memoryOf(t), tensor: t.Name, width: width, size: g.run, across: g.run}
	for _, l := range g.loops {
		a.size *= l.count
	}
	perByte := int64(8 / width)
	if g.run > maxCopy*perByte {
		return a
	}
	// The gap of a loop is what its places leave between what the loops inside
	// of it span. Gaps of inner loops are narrower, as a rule; where they are
	// not, the outer loop's are not read across either.
	extent := g.run
	for _, l := range g.loops {
		if l.stride-extent > maxGap*perByte {
			break
		}
		extent += (l.count - 1) * l.stride
		a.across *= l.count
	}
	return a
}

// ReadAt reads units, which must be bytes.
func (a *gather) ReadAt(b []byte, off int64) (int, error) {
	b, end := clip(a.tensor, b, off, a.size)
	n, err := a.units(b, off)
	if err == nil {
		err = end
	}
	return n, err
}

// units fills dst with the units from the i-th on, one to a byte, and returns
// how many it read. There must be as many.
func (a *gather) units(dst []byte, i int64) (n int, err error) {
	if len(dst) == 0 {
		return 0, nil
	}
	c := a.seek(i)
	if a.memory != nil {
		return a.pick(dst, window{0, a.end(), a.memory}, &c), nil
	}
	var buf *buffer
	defer func() {
		if buf != nil {
			buffers.Put(buf)
		}
	}()
	for across := a.across; ; {
		at := i + int64(n)
		part := dst[n : n+int(min(int64(len(dst)-n), across-at%across))]
		oneRun := int64(len(part)) <= c.left
		k := 0
		if oneRun && a.width == 8 {
			k, err = a.direct(part, &c)
		} else {
			if buf == nil {
				buf = buffers.Get().(*buffer)
			}
			k, err = a.windowed(buf, part, at, &c)
		}
		if err != nil && !oneRun {
			// Perhaps what failed was not asked for: a gap where a file was cut
			// short, or where elements cannot be converted. Without gaps, then.
			across = a.run
			continue
		}
		if n += k; err != nil || n == len(dst) {
			return n, err
		}
	}
}

// direct reads bytes of one run, from c on.
func (a *gather) direct(dst []byte, c *cursor) (int, error) {
	n, err := a.r.ReadAt(dst, c.pos)
	if n < len(dst) {
		return n, early(a.tensor, c.pos+int64(n), err)
	}
	c.advance(int64(n))
	return n, nil
}

// windowed reads units by way of a window: those from the i-th on, where c is,
// as far as it has them. If they are of several runs, it is all or nothing.
func (a *gather) windowed(buf *buffer, dst []byte, i int64, c *cursor) (int, error) {
	last := a.seek(i + int64(len(dst)) - 1)
	w, err := a.window(buf, c.pos, last.pos+1)
	if err != nil && int64(len(dst)) > c.left {
		return 0, err
	}
	return a.pick(dst, w, c), err
}

// A window is a stretch of a tensor's bytes that is in memory.
type window struct {
	first int64 // the unit that b starts with
	end   int64 // the unit after the last
	b     []byte
}

// window reads the units from first up to end, or as many as the buffer holds.
// With an error, it returns what was read.
func (a *gather) window(buf *buffer, first, end int64) (window, error) {
	p := packingOf(a.width)
	at := p.span(first, end)
	b := buf[:min(at.Len(), bufferSize/p.bytes*p.bytes)]
	n, err := a.r.ReadAt(b, at.Begin)
	if n == len(b) {
		err = nil
	} else {
		err = early(a.tensor, at.Begin+int64(n), err)
	}
	first = at.Begin / p.bytes * p.elems
	return window{first, first + int64(n)/p.bytes*p.elems, b[:n]}, err
}

// pick copies to dst the units from c on that are in w, and returns how many. A
// run may reach past the window's end: the next one begins with its rest.
func (a *gather) pick(dst []byte, w window, c *cursor) int {
	n, p := 0, packingOf(a.width)
	for n < len(dst) && c.pos < w.end {
		at := int(p.span(c.pos-w.first, 0).Begin) // of its group
		if m := a.whole(len(dst)-n, w, c); m > 1 {
			run := int(a.run)
			spread(dst[n:n+m*run], w.b[at:], run, int(a.loops[0].stride))
			n += m * run
			c.skip(int64(m))
			continue
		}
		k := int(min(int64(len(dst)-n), c.left, w.end-c.pos))
		if a.width == 8 {
			copy(dst[n:n+k], w.b[at:])
		} else {
			num.Unpack(dst[n:n+k], w.b[at:], int(c.pos%p.elems), a.width)
		}
		n += k
		c.advance(int64(k))
	}
	return n
}

// whole returns how many runs from c on are whole in w, belong to one round of
// the innermost loop, and fit n bytes. It is 0 for units other than bytes.
func (a *gather) whole(n int, w window, c *cursor) int {
	if a.width != 8 || len(a.loops) == 0 || c.left < a.run || w.end-c.pos < a.run {
		return 0
	}
	inner := a.loops[0]
	return int(min(int64(n)/a.run, inner.count-c.index[0], (w.end-c.pos-a.run)/inner.stride+1))
}

// spread fills dst with runs of src that begin stride bytes apart. Those of the
// size of an element are what a column has, and what takes the time: they are
// moved in one piece, several times as fast as by copy.
func spread(dst, src []byte, run, stride int) {
	n := len(dst) / run
	switch run {
	case 1:
		for i := range dst {
			dst[i] = src[i*stride]
		}
	case 2:
		for i := range n {
			*(*[2]byte)(dst[2*i:]) = *(*[2]byte)(src[i*stride:])
		}
	case 4:
		for i := range n {
			*(*[4]byte)(dst[4*i:]) = *(*[4]byte)(src[i*stride:])
		}
	case 8:
		for i := range n {
			*(*[8]byte)(dst[8*i:]) = *(*[8]byte)(src[i*stride:])
		}
	default:
		for i := range n {
			copy(dst[i*run:(i+1)*run], src[i*stride:])
		}
	}
}
