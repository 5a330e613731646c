// Conversion to another dtype.

package safetensors

import (
	"fmt"
	"strconv"

	"github.com/weightools/safetensors/internal/num"
	"github.com/weightools/safetensors/internal/source"
)

// A Converter converts tensors with options. The zero Converter converts as
// Tensor.Convert does.
type Converter struct {
	// Saturate replaces numbers that are out of range, including infinities, by
	// the nearest number of the dtype. Otherwise they become an infinity, or
	// NaN in a dtype without infinities, or are an error in a dtype with
	// neither; but F4 and F6 always saturate. NaN is not out of range.
	Saturate bool
}

// Convert returns t with its elements converted to dtype d. They are converted
// when they are read.
//
// Numbers are rounded once to the nearest, ties to even. A float that is too
// large becomes an infinity in F64, F32, F16, BF16 and F8_E5M2, NaN in the
// other F8 dtypes, and the largest number in F4 and F6. It is an error of the
// read if d cannot represent an element otherwise: an integer, or a float
// converted to an integer, that is out of range; or NaN converted to an
// integer, F4 or F6. A BOOL is true if the number is not 0. See [Converter] for
// saturation.
//
// It is an error if d or t's dtype is C64, or if the elements would not fill
// whole bytes. If d is t's dtype, Convert returns t.
func (t *Tensor) Convert(d Dtype) (*Tensor, error) { return new(Converter).Convert(t, d) }

// Convert converts as [Tensor.Convert] does, with the options of c.
func (c *Converter) Convert(t *Tensor, d Dtype) (*Tensor, error) {
	if d == t.Dtype {
		return t, nil
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	switch {
	case d.Bits() == 0:
		return nil, fmt.Errorf("safetensors: tensor %s: cannot convert to the unknown dtype %s",
			quote(t.Name), quote(string(d)))
	case d == C64 || t.Dtype == C64:
		return nil, fmt.Errorf("safetensors: tensor %s: cannot convert %s to %s: C64 elements are pairs of numbers",
			quote(t.Name), t.Dtype, d)
	}
	n := t.NumElems()
	size, ok := d.Size(n)
	if !ok {
		return nil, fmt.Errorf("safetensors: tensor %s: its %d elements do not fill whole bytes in %s, of %d bits",
			quote(t.Name), n, d, d.Bits())
	}
	v := &conversion{
		Converter: *c, original: t, elements: t.elements(),
		to: num.For(string(d)), from: num.For(string(t.Dtype)),
	}
	p := source.PackingOf(d.Bits())
	v.Computed = source.NewComputed(p, t.Name, size, min(p.Most(), v.elements.Most()), v.fill)
	made := &Tensor{TensorInfo: TensorInfo{Name: t.Name, Dtype: d, Shape: t.Shape, Offsets: Span{0, size}}, ReaderAt: v}
	return made, nil
}

// A conversion is the bytes of a tensor that is converted when it is read.
type conversion struct {
	*source.Computed
	Converter
	original *Tensor
	elements source.Elements // of original
	to, from *num.Codec
}

// made reports whether t is what v converts to, with the same dtype and size.
func (v *conversion) made(t *Tensor) bool {
	return t.Dtype == Dtype(v.to.Dtype()) && t.Size() == v.Size
}

// originalOf returns the tensor that v converts to t, with t's name and shape.
func (v *conversion) originalOf(t *Tensor) *Tensor {
	o := *v.original
	o.Name, o.Shape = t.Name, t.Shape
	return &o
}

// fill computes elements; see source.Fill.
func (v *conversion) fill(dst []byte, first int64, n int) (int, error) {
	buf := source.Buffers.Get().(*source.Buffer)
	defer source.Buffers.Put(buf)
	b, skip, got, err := v.elements.Load(buf, first, n)
	done := num.Convert(v.to, dst, v.from, b, skip, got, v.Saturate)
	if done < got {
		return done, &source.Unfit{Tensor: v.Tensor, Element: first + int64(done), Value: number(v.from, b, skip+done),
			Dtype: v.to.Dtype()}
	}
	return done, err
}

// number returns the i-th element of b as text.
func number(c *num.Codec, b []byte, i int) string {
	switch c.Kind() {
	case num.Float:
		var x [1]float64
		num.Decode(c, x[:], b, i)
		return strconv.FormatFloat(x[0], 'g', -1, 64)
	case num.Unsigned:
		var v [1]uint64
		num.Ints(c, v[:], b, i)
		return strconv.FormatUint(v[0], 10)
	}
	var v [1]int64
	num.Ints(c, v[:], b, i)
	return strconv.FormatInt(v[0], 10)
}
