// Package dequant computes the values of packed weights.
//
// A decoder is a [Fill]: it computes any rows and columns of a matrix, and reads only what it needs for them. Decoders
// are made of others: the packed integers, the scales and the zero points of a weight are three matrices, and an
// [Affine] combines them. All arithmetic is in float32, in the order of the program that defines the scheme, so the results have
// the same bits as that program's in float32.
package dequant

import (
	"encoding/binary"
	"io"
	"math"
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/source"
)

// A Box is a part of a matrix: Rows rows from Row on, and of these Cols columns from Col on.
type Box struct{ Row, Rows, Col, Cols int64 }

// A Fill computes the elements of a box, row by row, into dst, which is as long as the box. It has no state, so several
// goroutines may call it at once.
type Fill func(dst []float32, b Box) error

// A Matrix is the values of a packed weight. A weight with more than two dimensions has a row for all indices but the
// last. Boxes are whole rows, or a part of one.
type Matrix struct {
	Shape      []int64
	Rows, Cols int64
	Fill       Fill
}

// most is how many elements are computed at once. Weights that are packed along their outputs are read in pieces as
// wide as there are rows in a box, so it is larger than a buffer that is only filled.
const most = 1 << 18

var floats = sync.Pool{New: func() any { return new([most]float32) }}

// Reader returns the values as the little-endian bytes of a tensor of dtype F32 with the given name.
func (m *Matrix) Reader(name string) io.ReaderAt { return &reader{m, name} }

type reader struct {
	*Matrix
	name string
}

// ReadAt implements io.ReaderAt.
func (r *reader) ReadAt(b []byte, off int64) (int, error) {
	b, end := bytesio.Clip(b, off, 4*r.Rows*r.Cols)
	if len(b) == 0 {
		return 0, end
	}
	values := floats.Get().(*[most]float32)
	defer floats.Put(values)
	for n := 0; n < len(b); {
		at := off + int64(n)
		box := r.next(at/4, (off+int64(len(b))+3)/4)
		part := values[:box.Rows*box.Cols]
		if err := r.Fill(part, box); err != nil {
			return n, source.Early(r.name, at, err)
		}
		n += put(b[n:], part, int(at%4))
	}
	return len(b), end
}

// next returns the largest box of elements that begins at element i and ends before end: whole rows, or a part of one.
func (r *reader) next(i, end int64) Box {
	row, col := i/r.Cols, i%r.Cols
	n := min(end-i, most)
	if col == 0 && n >= r.Cols {
		return Box{row, n / r.Cols, 0, r.Cols}
	}
	return Box{row, 1, col, min(n, r.Cols-col)}
}

// put writes values to b as far as they fit, without the first bytes of the first value, and returns how many bytes.
func put(b []byte, values []float32, skip int) (n int) {
	if skip > 0 {
		n = putPart(b, values[0], skip)
		values = values[1:]
	}
	whole := min(len(values), (len(b)-n)/4)
	dst := b[n : n+4*whole]
	for i, x := range values[:whole] {
		binary.LittleEndian.PutUint32(dst[4*i:4*i+4], math.Float32bits(x))
	}
	if n += len(dst); n < len(b) && whole < len(values) {
		n += putPart(b[n:], values[whole], 0)
	}
	return n
}

// putPart writes the bytes of a value from skip on, as far as they fit.
func putPart(b []byte, x float32, skip int) int {
	var one [4]byte
	binary.LittleEndian.PutUint32(one[:], math.Float32bits(x))
	return copy(b, one[skip:])
}
