// Reading the scattered elements of a slice in few reads.

package source

import (
	"cmp"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/num"
)

// A gather reads the units of a grid out of a tensor's bytes.
//
// A run is read with one call, directly into the caller's buffer. If the gaps between
// runs are small, a window with many runs is read instead, and the runs are copied
// out of it: a read costs as much as copying some thousand bytes of a file in memory,
// and far more if it goes to a disk or over a network. A gather has no state, so it
// may be read by several goroutines at once.
type gather struct {
	grid
	r      io.ReaderAt
	memory []byte // the bytes of r if they are a Memory, which is then the window
	tensor string
	width  int   // bits of a unit: of an element, or 8
	size   int64 // in units

	// across is how many units are between two gaps that are too wide to be read:
	// those of a run, or a multiple of it.
	across int64
}

// maxGap is the widest gap in bytes that is read rather than skipped. If the file is
// in memory, copying so much takes as long as the read that it saves (measured: about
// 0.5 us). From a disk it takes no time, since it is a page.
const maxGap = 4 << 10

// maxCopy is the longest run in bytes that is read through a window. A window holds
// so few longer runs that copying them costs more than it saves.
const maxCopy = BufferSize / 4

// newGather returns the gather of g, in units of width bits, out of a tensor's bytes.
func newGather(tensor string, r io.ReaderAt, memory []byte, g grid, width int) *gather {
	a := &gather{grid: g, r: r, memory: memory, tensor: tensor, width: width, size: g.run, across: g.run}
	for _, l := range g.loops {
		a.size *= l.count
	}
	perByte := int64(8 / width)
	if g.run > maxCopy*perByte {
		return a
	}
	// The gap of a loop is between the extents of the loops inside of it. Inner loops
	// usually have narrower gaps; if not, the gaps of the outer loop are not read
	// either.
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

// ReadAt implements io.ReaderAt. The units must be bytes.
func (a *gather) ReadAt(b []byte, off int64) (int, error) {
	b, end := bytesio.Clip(b, off, a.size)
	n, err := a.units(b, off)
	return n, cmp.Or(err, end)
}

// units fills dst with the units from the i-th on, one for each byte, and returns how
// many it read. The grid must have as many.
func (a *gather) units(dst []byte, i int64) (n int, err error) {
	if len(dst) == 0 {
		return 0, nil
	}
	c := a.seek(i)
	if a.memory != nil {
		return a.pick(dst, window{0, a.end(), a.memory}, &c), nil
	}
	var buf *Buffer
	defer func() {
		if buf != nil {
			Buffers.Put(buf)
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
				buf = Buffers.Get().(*Buffer)
			}
			k, err = a.windowed(buf, part, at, &c)
		}
		if err != nil && !oneRun {
			// The error may come from a gap: a file may be truncated there, or have
			// elements that cannot be converted. So read without gaps.
			across = a.run
			continue
		}
		if n += k; err != nil || n == len(dst) {
			return n, err
		}
	}
}

// direct reads bytes of the run at c into dst.
func (a *gather) direct(dst []byte, c *cursor) (int, error) {
	n, err := a.r.ReadAt(dst, c.pos)
	if n < len(dst) {
		return n, Early(a.tensor, c.pos+int64(n), err)
	}
	c.advance(int64(n))
	return n, nil
}

// windowed reads the units from the i-th on, where c is, through a window, as far as
// that reaches. If they are of several runs, an error means that none were read.
func (a *gather) windowed(buf *Buffer, dst []byte, i int64, c *cursor) (int, error) {
	last := a.seek(i + int64(len(dst)) - 1)
	w, err := a.window(buf, c.pos, last.pos+1)
	if err != nil && int64(len(dst)) > c.left {
		return 0, err
	}
	return a.pick(dst, w, c), err
}

// A window is consecutive bytes of a tensor, in memory.
type window struct {
	first int64 // the first unit in b
	end   int64 // the unit after the last one
	b     []byte
}

// window reads the units from first up to end, or as many as fit the buffer. With an
// error, it returns what was read.
func (a *gather) window(buf *Buffer, first, end int64) (window, error) {
	p := PackingOf(a.width)
	begin, stop := p.span(first, end)
	b := buf[:min(stop-begin, BufferSize/p.Bytes*p.Bytes)]
	n, err := a.r.ReadAt(b, begin)
	if n == len(b) {
		err = nil
	} else {
		err = Early(a.tensor, begin+int64(n), err)
	}
	first = begin / p.Bytes * p.Elems
	return window{first, first + int64(n)/p.Bytes*p.Elems, b[:n]}, err
}

// pick copies the units from c on that are in w to dst, and returns how many. A run
// may reach past the end of w; the next window then begins with the rest of it.
func (a *gather) pick(dst []byte, w window, c *cursor) int {
	n, p := 0, PackingOf(a.width)
	for n < len(dst) && c.pos < w.end {
		at := int((c.pos - w.first) / p.Elems * p.Bytes) // of its group
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
			num.Unpack(dst[n:n+k], w.b[at:], int(c.pos%p.Elems), a.width)
		}
		n += k
		c.advance(int64(k))
	}
	return n
}

// whole returns how many runs from c on are complete in w, belong to one round of the
// innermost loop, and fit n bytes. It is 0 for units other than bytes.
func (a *gather) whole(n int, w window, c *cursor) int {
	if a.width != 8 || len(a.loops) == 0 || c.left < a.run || w.end-c.pos < a.run {
		return 0
	}
	inner := a.loops[0]
	return int(min(int64(n)/a.run, inner.count-c.index[0], (w.end-c.pos-a.run)/inner.stride+1))
}

// spread fills dst with runs of src that begin stride bytes apart. A column has runs
// of the size of an element, which spread copies several times as fast as copy would.
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
