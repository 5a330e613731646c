// Tensors that are stored in pieces, each somewhere else.

// Package chunked reads tensors that are stored as boxes, such as the parts that the processes of a training have.
package chunked

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A Piece is a box of a tensor.
type Piece struct {
	At, Shape []int64 // where the box begins, and its extent

	// Source returns a reader of the elements of the box in their order. It is called for each read.
	Source func() (io.ReaderAt, error)
}

// A Tensor reads the elements of a tensor in their order. It is safe for concurrent use if its sources are.
type Tensor struct {
	dims   []int64 // the last ones that no piece divides are one, together with the bytes of an element
	size   int64   // bytes
	pieces []piece // in the order of their first bytes
	ends   []int64 // where the last of the pieces up to each one ends
}

// A piece is a Piece in which adjacent dimensions are joined.
type piece struct {
	at, shape  []int64
	first, end int64 // the bytes of the tensor from the first to behind the last of the piece
	run        int64 // how many bytes are adjacent in both
	source     func() (io.ReaderAt, error)
}

// New returns a tensor of the shape whose elements have so many bytes. The error is a *[Fault] if the pieces do not
// cover the tensor exactly once, and another if they cannot be pieces of it. Pieces without elements are ignored.
func New(shape []int64, item int64, pieces []Piece) (*Tensor, error) {
	t := &Tensor{dims: append(slices.Clone(shape), item), size: item}
	for _, n := range shape {
		if n < 0 || n > 0 && t.size > maxSize/n {
			return nil, fmt.Errorf("the shape %v has too many elements", shape)
		}
		t.size *= n
	}
	for i := range pieces {
		p := &pieces[i]
		if err := p.within(shape); err != nil {
			return nil, err
		}
		if slices.Contains(p.Shape, 0) {
			continue
		}
		t.pieces = append(t.pieces, piece{at: append(slices.Clone(p.At), 0), shape: append(slices.Clone(p.Shape), item),
			source: p.Source})
	}
	if err := covered(shape, t.pieces); err != nil {
		return nil, err
	}
	t.join()
	t.order()
	return t, nil
}

// maxSize bounds tensors, so that no sum of two numbers of bytes overflows.
const maxSize = 1 << 60

// within returns an error if a piece is not a box in the shape.
func (p *Piece) within(shape []int64) error {
	ok := len(p.At) == len(shape) && len(p.Shape) == len(shape)
	for i := 0; ok && i < len(shape); i++ {
		ok = p.At[i] >= 0 && p.Shape[i] >= 0 && p.At[i] <= shape[i] && p.Shape[i] <= shape[i]-p.At[i]
	}
	if !ok {
		return fmt.Errorf("a part of shape %v at %v is not within the shape %v", p.Shape, p.At, shape)
	}
	return nil
}

// join makes one dimension of two if no piece divides the second.
func (t *Tensor) join() {
	for d := len(t.dims) - 1; d > 0; d-- {
		n := t.dims[d]
		if slices.ContainsFunc(t.pieces, func(p piece) bool { return p.shape[d] != n }) {
			continue
		}
		t.dims = slices.Delete(t.dims, d, d+1)
		t.dims[d-1] *= n
		for i := range t.pieces {
			p := &t.pieces[i]
			p.at, p.shape = slices.Delete(p.at, d, d+1), slices.Delete(p.shape, d, d+1)
			p.at[d-1] *= n
			p.shape[d-1] *= n
		}
	}
}

// order sorts the pieces, and finds out where they begin and end.
func (t *Tensor) order() {
	for i := range t.pieces {
		p := &t.pieces[i]
		p.run = 1
		whole := true
		last := int64(0)
		for d, n := range t.dims {
			p.first = p.first*n + p.at[d]
			last = last*n + p.at[d] + p.shape[d] - 1
		}
		p.end = last + 1
		for d := len(t.dims) - 1; d >= 0 && whole; d-- {
			p.run *= p.shape[d]
			whole = p.shape[d] == t.dims[d]
		}
	}
	slices.SortFunc(t.pieces, func(a, b piece) int { return cmp.Compare(a.first, b.first) })
	t.ends = make([]int64, len(t.pieces))
	end := int64(0)
	for i := range t.pieces {
		end = max(end, t.pieces[i].end)
		t.ends[i] = end
	}
}

// Size returns the number of bytes of the tensor.
func (t *Tensor) Size() int64 { return t.size }

// ReadAt implements [io.ReaderAt].
func (t *Tensor) ReadAt(b []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, fmt.Errorf("chunked: read at the negative offset %d", off)
	case off >= t.size:
		return 0, io.EOF
	}
	part := b[:min(int64(len(b)), t.size-off)]
	end := off + int64(len(part))
	for i := sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > off }); i < len(t.pieces); i++ {
		p := &t.pieces[i]
		if p.first >= end {
			break
		}
		if from, to := p.before(t.dims, off), p.before(t.dims, end); from < to {
			if err := p.read(t.dims, part, off, from, to); err != nil {
				return 0, err // what is read is not the beginning of part
			}
		}
	}
	if len(part) < len(b) {
		return len(part), io.EOF
	}
	return len(part), nil
}

// before returns how many bytes of the piece are before a byte of the tensor.
func (p *piece) before(dims []int64, off int64) int64 {
	switch {
	case off <= p.first:
		return 0
	case off >= p.end:
		return product(p.shape)
	}
	volume, rest := product(dims), product(p.shape)
	n := int64(0)
	for d := range dims {
		volume, rest = volume/dims[d], rest/p.shape[d]
		x := off/volume - p.at[d]
		off %= volume
		switch {
		case x < 0:
			return n
		case x >= p.shape[d]:
			return n + p.shape[d]*rest
		}
		n += x * rest
	}
	return n
}

// place returns where in the tensor a byte of the piece is.
func (p *piece) place(dims []int64, n int64) (off int64) {
	volume := int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		off += (p.at[d] + n%p.shape[d]) * volume
		n, volume = n/p.shape[d], volume*dims[d]
	}
	return off
}

// buffers are for bytes of a piece that are not adjacent in the tensor.
var buffers = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// read copies the bytes [from, to) of the piece to b, which begins at a byte of the tensor.
func (p *piece) read(dims []int64, b []byte, off, from, to int64) error {
	source, err := p.source()
	if err != nil {
		return err
	}
	if from/p.run == (to-1)/p.run {
		at := p.place(dims, from) - off
		return bytesio.ReadFull(source, b[at:at+to-from], from)
	}
	buf := buffers.Get().(*[256 << 10]byte)
	defer buffers.Put(buf)
	for from < to {
		part := buf[:min(int64(len(buf)), to-from)]
		if err := bytesio.ReadFull(source, part, from); err != nil {
			return err
		}
		for len(part) > 0 {
			n := min(p.run-from%p.run, int64(len(part)))
			copy(b[p.place(dims, from)-off:], part[:n])
			part, from = part[n:], from+n
		}
	}
	return nil
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, dim := range shape {
		n *= dim
	}
	return n
}
