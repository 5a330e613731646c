// Copying the elements of a box through windows onto the source.

package strided

import (
	"fmt"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A picker copies the elements of a box. A window contains the inner dimensions, from level on.
type picker struct {
	*Reader
	dst  []byte
	dims []dim
	// The dimensions before level are iterated index by index, except for the last of them, which is iterated in steps.
	level  int
	step   int64 // indexes of dimension level-1 per window
	extent int64 // elements of the source that the dimensions from level on span
}

// copy fills dst with the elements of the box.
func (x *box) copy(dst []byte, g *Reader) error {
	p := &picker{Reader: g, dst: dst, dims: x.dims, level: len(x.dims), step: 1, extent: 1}
	const window, gap = BufferSize, largestGap
	for p.level > 0 {
		d := p.dims[p.level-1]
		if (d.src-p.extent)*g.Width > gap {
			break // skip the gaps
		}
		if most := (window/g.Width - p.extent) / max(d.src, 1); most < d.n-1 {
			p.step = max(most, 0) + 1
			break
		}
		p.extent += (d.n - 1) * d.src
		p.level--
	}
	buf := Buffers.Get().(*Buffer)
	defer Buffers.Put(buf)
	return p.walk(x.from, buf)
}

// walk iterates over the dimensions before level.
func (p *picker) walk(from int64, buf *Buffer) error {
	var index [MaxRank]int64
	src, dst := from, int64(0)
	for {
		n := int64(1)
		if p.level > 0 {
			n = min(p.step, p.dims[p.level-1].n-index[p.level-1])
		}
		if err := p.window(src, dst, n, buf); err != nil {
			return err
		}
		k, by := p.level-1, n
		for ; k >= 0; k, by = k-1, 1 {
			d := p.dims[k]
			index[k] += by
			src, dst = src+by*d.src, dst+by*d.dst
			if index[k] < d.n {
				break
			}
			src, dst = src-d.n*d.src, dst-d.n*d.dst
			index[k] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// window reads n indexes of the dimension before level and all dimensions from level on. src and dst are the first
// element in the source and the result.
func (p *picker) window(src, dst, n int64, buf *Buffer) error {
	inner := p.dims[p.level:]
	size := p.extent
	if n > 1 {
		outer := p.dims[p.level-1]
		size += (n - 1) * outer.src
		inner = append([]dim{{n, outer.src, outer.dst}}, inner...)
	}
	w := p.Width
	// Elements that are contiguous in both places are read directly into the result.
	if len(inner) == 0 || len(inner) == 1 && inner[0].src == 1 && inner[0].dst == 1 {
		return p.readFull(p.dst[dst*w:][:size*w], src)
	}
	b := buf[:size*w]
	if err := p.readFull(b, src); err != nil {
		return err
	}
	scatter(p.dst[dst*w:], b, inner, int(w))
	return nil
}

// readFull reads the elements from first on.
func (p *picker) readFull(b []byte, first int64) error {
	if err := bytesio.ReadFull(p.Source, b, p.Base+first*p.Width); err != nil {
		return fmt.Errorf("torch: a storage: %w", err)
	}
	return nil
}

// scatter copies elements of the given width from src, with the strides of the source, to dst.
func scatter(dst, src []byte, dims []dim, width int) {
	var index [MaxRank + 1]int64
	last := len(dims) - 1
	run := dims[last]
	s, d := int64(0), int64(0)
	for {
		copyRun(dst[d*int64(width):], src[s*int64(width):], run, width)
		k := last - 1
		for ; k >= 0; k-- {
			index[k]++
			s, d = s+dims[k].src, d+dims[k].dst
			if index[k] < dims[k].n {
				break
			}
			s, d = s-dims[k].n*dims[k].src, d-dims[k].n*dims[k].dst
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// copyRun copies the elements of one dimension.
func copyRun(dst, src []byte, run dim, width int) {
	if run.src == 1 && run.dst == 1 {
		copy(dst[:run.n*int64(width)], src)
		return
	}
	s, d := 0, 0
	ss, ds := int(run.src)*width, int(run.dst)*width
	switch width {
	case 1:
		for range run.n {
			dst[d] = src[s]
			s, d = s+ss, d+ds
		}
	case 2:
		for range run.n {
			*(*[2]byte)(dst[d:]) = *(*[2]byte)(src[s:])
			s, d = s+ss, d+ds
		}
	case 4:
		for range run.n {
			*(*[4]byte)(dst[d:]) = *(*[4]byte)(src[s:])
			s, d = s+ss, d+ds
		}
	default:
		for range run.n {
			*(*[8]byte)(dst[d:]) = *(*[8]byte)(src[s:])
			s, d = s+ss, d+ds
		}
	}
}
