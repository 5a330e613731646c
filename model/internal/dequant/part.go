// Stored tensors as matrices.

package dequant

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/source"
	"github.com/weightools/safetensors/internal/wording"
)

// A Part is a stored tensor as a matrix. It cannot be changed.
type Part struct {
	Rows, Cols int64
	t          *safetensors.Tensor // of these rows and columns
}

// NewPart returns a tensor as a matrix with so many columns.
func NewPart(t *safetensors.Tensor, cols int64) (Part, error) { return newPart(t, t.Dtype, cols) }

// NewBytes returns the bytes of a tensor as a matrix with so many rows.
func NewBytes(t *safetensors.Tensor, rows int64) (Part, error) {
	if rows <= 0 {
		return newPart(t, safetensors.U8, 0)
	}
	return newPart(t, safetensors.U8, t.Size()/rows)
}

// As returns a tensor whose bytes are elements of another dtype, as a matrix with so many columns.
func As(t *safetensors.Tensor, d safetensors.Dtype, cols int64) (Part, error) {
	return newPart(t, d, cols)
}

func newPart(t *safetensors.Tensor, d safetensors.Dtype, cols int64) (Part, error) {
	row, ok := d.Size(cols)
	if !ok || row <= 0 || t.Size()%row != 0 {
		return Part{}, fmt.Errorf("tensor %s: %d bytes do not fit a matrix with %d columns of %s",
			wording.Quote(t.Name), t.Size(), cols, d)
	}
	rows := t.Size() / row
	of, err := safetensors.TensorAt(t.Name, d, []int64{rows, cols}, t.ReaderAt)
	return Part{rows, cols, of}, err
}

// Transposed returns a part with its rows as columns. It keeps what it has read last in memory.
func (p Part) Transposed() (Part, error) {
	size, ok := p.t.Dtype.Size(1)
	if !ok {
		return Part{}, fmt.Errorf("tensor %s: elements of %s do not fill whole bytes, so it cannot be transposed",
			wording.Quote(p.t.Name), p.t.Dtype)
	}
	r := p.t.ReaderAt
	if p.Rows > 0 && p.Cols > 0 {
		r = &cached{source.Permuted(p.t.Name, r, size, p.t.Shape, []int{1, 0}), p.t.Size()}
	}
	of, err := safetensors.TensorAt(p.t.Name, p.t.Dtype, []int64{p.Cols, p.Rows}, r)
	return Part{p.Cols, p.Rows, of}, err
}

// box returns a part of a part.
func (p Part) box(b Box) (*safetensors.Tensor, error) {
	return p.t.Slice(safetensors.Between(b.Row, b.Row+b.Rows), safetensors.Between(b.Col, b.Col+b.Cols))
}

// Fill computes the elements as floats.
func (p Part) Fill(dst []float32, b Box) error {
	t, err := p.box(b)
	if err != nil {
		return err
	}
	_, err = safetensors.DecodeAt(t, dst, 0)
	return err
}

// bytes returns the bytes of a box.
func (p Part) bytes(b Box) ([]byte, error) {
	t, err := p.box(b)
	if err != nil {
		return nil, err
	}
	return t.Bytes()
}
