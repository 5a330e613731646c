// Comparing the values of tensors.

package diff

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// Values is the difference between the values of a and b. Counts are numbers of values: elements, or
// twice as many for C64.
//
// NaNs are equal, even with different bits, and so are infinities of the same sign, and zeros. The
// distance between a NaN or infinity and any other value is undefined: such a pair counts in Differ,
// Beyond and Odd, but not in MaxDelta, and no NaN or infinity counts in Sums.
type Values struct {
	Count  int64 // all values
	Differ int64 // values that are not equal
	Beyond int64 // values beyond the tolerance
	Odd    int64 // values that are NaN or infinite on one side only

	MaxDelta    float64 // the largest |a-b|
	MaxRelative float64 // the largest |a-b|/|a|, where a is not zero
	At          int64   // where MaxDelta is: the index of the number, in row-major order; -1 if nowhere

	// MaxInteger is MaxDelta without rounding, if both tensors have the same integer dtype of 64 bits.
	MaxInteger uint64

	Sums Sums // of the values that are finite in both
}

// numbersAtOnce is the number of values that are compared at once: up to 1 MiB. It is a multiple of 8,
// because then elements of 4 and 6 bits fill whole bytes.
const numbersAtOnce = 128 << 10

// values compares the values of a couple with equal shapes, and also reports whether the bytes are the
// same.
func (d *Differ) values(ctx context.Context, c couple) (same bool, v *Values, err error) {
	for _, t := range []*safetensors.Tensor{c.a, c.b} {
		if size, whole := t.Dtype.Size(t.NumElems()); t.Dtype.Bits() == 0 || !whole || size != t.Size() {
			return false, nil, fmt.Errorf("diff: tensor %s is %d bytes of %s %.200s: its values are not known",
				wording.Quote(t.Name), t.Size(), t.Dtype, t.ShapeString())
		}
	}
	a, b := numbersOf(c.a), numbersOf(c.b)
	if a.n != b.n { // one is complex, the other is not
		return false, nil, nil
	}
	v = &Values{Count: a.n, At: -1}
	exact := a.dtype == b.dtype && a.wide
	same = c.a.Dtype == c.b.Dtype
	for at := int64(0); at < a.n; at += numbersAtOnce {
		n := min(numbersAtOnce, a.n-at)
		partA, partB := a.part(n), b.part(n)
		if err := d.both(ctx, c, partA, partB, a.offset(at), b.offset(at)); err != nil {
			return false, nil, err
		}
		if a.dtype == b.dtype && bytes.Equal(partA, partB) {
			err = a.equal(&v.Sums, int(n))
		} else if same = false; exact {
			d.integers(v, partA, partB, a.dtype == safetensors.I64, at)
		} else {
			err = d.floats(v, a, b, int(n), at)
		}
		if err != nil {
			return false, nil, err
		}
	}
	return same, v, nil
}

// A numbers is a tensor as a sequence of values, with buffers for comparing some of them.
type numbers struct {
	dtype safetensors.Dtype // of a number: F32 for the parts of C64
	bits  int64
	wide  bool // integers of 64 bits, which float64 cannot always represent
	n     int64
	buf   []byte
	as    []float64
}

func numbersOf(t *safetensors.Tensor) *numbers {
	x := &numbers{dtype: t.Dtype, n: t.NumElems()}
	if t.Dtype == safetensors.C64 {
		x.dtype, x.n = safetensors.F32, 2*x.n
	}
	x.bits = int64(x.dtype.Bits())
	x.wide = x.dtype == safetensors.I64 || x.dtype == safetensors.U64
	most := min(x.n, numbersAtOnce)
	x.buf, x.as = make([]byte, (most*x.bits+7)/8), make([]float64, most)
	return x
}

// part returns a buffer for the bytes of n values.
func (x *numbers) part(n int64) []byte { return x.buf[:(n*x.bits+7)/8] }

// offset returns the byte offset of value i in the tensor.
func (x *numbers) offset(i int64) int64 { return i * x.bits / 8 }

// floats decodes n values in the buffer.
func (x *numbers) floats(n int) ([]float64, error) {
	part := x.part(int64(n))
	t := &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{
			Dtype: x.dtype, Shape: []int64{int64(n)}, Offsets: safetensors.Span{End: int64(len(part))},
		},
		ReaderAt: bytes.NewReader(part),
	}
	_, err := safetensors.DecodeAt(t, x.as[:n], 0)
	return x.as[:n], err
}

// floats compares n values; the first has index at.
func (d *Differ) floats(v *Values, a, b *numbers, n int, at int64) error {
	as, err := a.floats(n)
	if err != nil {
		return err
	}
	bs, err := b.floats(n)
	if err != nil {
		return err
	}
	var sums Sums // of this part: sums of few numbers are rounded less
	for i, x := range as {
		y, rest := bs[i], a.rest(i)-b.rest(i)
		delta := x - y + rest
		finite := x-x == 0 && y-y == 0
		if finite {
			sums.Delta += delta * delta
			sums.A += x * x
			sums.B += y * y
			sums.Dot += x * y
		}
		if (x != y || rest != 0) && (x == x || y == y) {
			d.note(v, math.Abs(delta), math.Abs(x), finite, at+int64(i))
		}
	}
	v.Sums.Add(sums)
	return nil
}

// equal adds n values in the buffer to sums, which are the same in both tensors.
func (x *numbers) equal(sums *Sums, n int) error {
	list, err := x.floats(n)
	squares := 0.0
	for _, x := range list {
		if x-x == 0 {
			squares += x * x
		}
	}
	sums.Add(Sums{A: squares, B: squares, Dot: squares})
	return err
}

// rest returns the difference between value i and the float64 that represents it. It is 0 except for
// integers of 64 bits, which may be rounded.
func (x *numbers) rest(i int) float64 {
	if !x.wide {
		return 0
	}
	rounded := uint64(int64(x.as[i])) // modulo 2^64, like the following
	switch {
	case x.as[i] == 0x1p64:
		rounded = 0
	case x.as[i] >= 0x1p63:
		rounded = uint64(x.as[i])
	}
	return float64(int64(binary.LittleEndian.Uint64(x.buf[8*i:]) - rounded))
}

// integers compares integers of 64 bits exactly.
func (d *Differ) integers(v *Values, a, b []byte, signed bool, at int64) {
	var sums Sums
	for i := 0; i < len(a); i += 8 {
		x, y := binary.LittleEndian.Uint64(a[i:]), binary.LittleEndian.Uint64(b[i:])
		as, bs, less := float64(x), float64(y), x < y
		if signed {
			as, bs, less = float64(int64(x)), float64(int64(y)), int64(x) < int64(y)
		}
		sums.A += as * as
		sums.B += bs * bs
		sums.Dot += as * bs
		if x == y {
			continue
		}
		delta := x - y // unsigned; also correct for signed numbers
		if less {
			delta = y - x
		}
		sums.Delta += float64(delta) * float64(delta)
		d.note(v, float64(delta), math.Abs(as), true, at+int64(i/8))
		v.MaxInteger = max(v.MaxInteger, delta)
	}
	v.Sums.Add(sums)
}

// note counts two values that are not equal; size is the magnitude of the first.
func (d *Differ) note(v *Values, delta, size float64, finite bool, at int64) {
	v.Differ++
	if !finite {
		v.Odd++
		v.Beyond++
		return
	}
	if delta > d.Absolute+d.Relative*size {
		v.Beyond++
	}
	if delta > v.MaxDelta {
		v.MaxDelta, v.At = delta, at
	}
	if size > 0 {
		v.MaxRelative = max(v.MaxRelative, delta/size)
	}
}
