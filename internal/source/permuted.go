// Tensors whose axes are in another order.

package source

import (
	"cmp"
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A permuted reader has the elements of a tensor with its axes in another order.
//
// It reads a box of the tensor into a buffer, in the order of the tensor, and copies the box from there. A box is at
// most as large as boxSize and as what is asked for, so memory does not depend on the tensor. A permuted reader has no
// state, so it may be read by several goroutines at once.
type permuted struct {
	r      io.ReaderAt
	memory []byte
	tensor string
	size   int64

	// Axes that stay next to each other are one axis here. The last axes are part of the unit if they stay the last.
	axes []loop // of the result, the outermost first, with their strides in the bytes of r
	unit int64  // bytes
}

// boxSize is the largest box, in bytes: the longer the runs of the tensor that it has, the fewer reads.
const boxSize = 1 << 20

var boxes = sync.Pool{New: func() any { return new([boxSize]byte) }}

// Permuted returns a reader of a tensor with its axes in another order: axis i of the result is axis order[i] of the
// tensor, which has the given shape, elements of the given bytes, and at least one element, read from r.
func Permuted(tensor string, r io.ReaderAt, bytes int64, shape []int64, order []int) io.ReaderAt {
	strides := make([]int64, len(shape))
	size := bytes
	for i, n := range slices.Backward(shape) {
		strides[i] = size
		size *= n
	}
	p := &permuted{r: r, memory: memoryOf(r, size), tensor: tensor, size: size, unit: bytes}
	for _, i := range order {
		if shape[i] == 1 {
			continue
		}
		if n := len(p.axes) - 1; n >= 0 && p.axes[n].stride == shape[i]*strides[i] {
			p.axes[n] = loop{p.axes[n].count * shape[i], strides[i]}
			continue
		}
		p.axes = append(p.axes, loop{shape[i], strides[i]})
	}
	if n := len(p.axes) - 1; n >= 0 && p.axes[n].stride == bytes {
		p.unit *= p.axes[n].count
		p.axes = p.axes[:n]
	}
	if len(p.axes) == 0 {
		return r // nothing moves
	}
	return p
}

// ReadAt implements io.ReaderAt.
func (p *permuted) ReadAt(b []byte, off int64) (int, error) {
	b, end := bytesio.Clip(b, off, p.size)
	for n := 0; n < len(b); {
		at := off + int64(n)
		i, skip := at/p.unit, at%p.unit
		var k int
		var err error
		if rest := int64(len(b) - n); skip > 0 || rest < p.unit || p.unit > boxSize/16 {
			k, err = p.part(b[n:n+int(min(rest, p.unit-skip))], i, skip)
		} else {
			k, err = p.box(b[n:], i)
		}
		if n += k; err != nil {
			return n, err
		}
	}
	return len(b), end
}

// part reads bytes of unit i from skip on.
func (p *permuted) part(b []byte, i, skip int64) (int, error) {
	at := skip
	for _, a := range slices.Backward(p.axes) {
		at += i % a.count * a.stride
		i /= a.count
	}
	n, err := p.r.ReadAt(b, at)
	if n < len(b) {
		return n, Early(p.tensor, at+int64(n), err)
	}
	return n, nil
}

// box fills the start of b with the units from i on that are a box of the tensor, and returns how many bytes.
func (p *permuted) box(b []byte, i int64) (int, error) {
	most := min(int64(len(b)), boxSize) / p.unit
	box, base := p.boxAt(i, most)

	// The box as it is in the tensor, and how far apart in the buffer the steps of each axis are.
	order := make([]int, len(box))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(box[a].stride, box[b].stride) })
	g := grid{base: base, run: p.unit}
	steps := make([]loop, len(box))
	size := p.unit
	for _, k := range order {
		if box[k].count > 1 {
			g.add(box[k].count, box[k].stride)
		}
		steps[k] = loop{box[k].count, size}
		size *= box[k].count
	}
	buf := boxes.Get().(*[boxSize]byte)
	defer boxes.Put(buf)
	a := newGather(p.tensor, p.r, p.memory, g, 8)
	if n, err := a.ReadAt(buf[:size], 0); int64(n) < size {
		return 0, Early(p.tensor, base, err)
	}
	scatter(b[:size], buf[:size], steps, int(p.unit))
	return int(size), nil
}

// boxAt returns the largest box of at most the given number of units that begins at unit i, and its first byte.
func (p *permuted) boxAt(i, most int64) (box []loop, base int64) {
	box = slices.Clone(p.axes)
	inner := int64(1)
	for _, a := range p.axes {
		inner *= a.count
	}
	open := false // all of the axes inside of the one that was cut
	for k, a := range p.axes {
		inner /= a.count
		at := i / inner % a.count
		switch {
		case open:
		case i%inner == 0 && inner <= most:
			box[k].count, open = min(a.count-at, most/inner), true
			base += at * a.stride
		default:
			box[k].count = 1
			base += at * a.stride
		}
	}
	return box, base
}

// scatter fills dst with the units of src in the order of loops, the outermost first.
func scatter(dst, src []byte, loops []loop, unit int) {
	n := len(loops) - 1
	row := int(loops[n].count) * unit
	index := make([]int64, n)
	at := int64(0)
	for {
		spread(dst[:row], src[at:], unit, int(loops[n].stride))
		if dst = dst[row:]; len(dst) == 0 {
			return
		}
		for k := n - 1; k >= 0; k-- {
			at += loops[k].stride
			if index[k]++; index[k] < loops[k].count {
				break
			}
			at -= loops[k].count * loops[k].stride
			index[k] = 0
		}
	}
}
