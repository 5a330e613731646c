// Comparing the values of tensors.

package diff

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
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

// decodedAtOnce is the number of values that are decoded at once. If few values differ, most parts are equal, and cost
// less. It is a multiple of 8, too.
const decodedAtOnce = 1 << 10

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
		for from := int64(0); from < n; from += decodedAtOnce {
			few := min(decodedAtOnce, n-from)
			partA, partB = a.some(from, few), b.some(from, few)
			if a.dtype == b.dtype && bytes.Equal(partA, partB) {
				a.equal(partA, &v.Sums, int(few))
			} else if same = false; exact {
				d.integers(v, partA, partB, a.dtype == safetensors.I64, at+from)
			} else {
				d.floats(v, a, b, partA, partB, int(few), at+from)
			}
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
	codec *num.Codec
	as    []float64
	brief []float32 // nil if a float32 cannot represent all values
}

func numbersOf(t *safetensors.Tensor) *numbers {
	x := &numbers{dtype: t.Dtype, n: t.NumElems()}
	if t.Dtype == safetensors.C64 {
		x.dtype, x.n = safetensors.F32, 2*x.n
	}
	x.bits = int64(x.dtype.Bits())
	x.wide = x.dtype == safetensors.I64 || x.dtype == safetensors.U64
	most := min(x.n, numbersAtOnce)
	x.buf, x.as = make([]byte, (most*x.bits+7)/8), make([]float64, decodedAtOnce)
	if x.codec = num.For(string(x.dtype)); x.bits <= 16 || x.dtype == safetensors.F32 {
		x.brief = make([]float32, decodedAtOnce)
	}
	return x
}

// part returns a buffer for the bytes of n values.
func (x *numbers) part(n int64) []byte { return x.buf[:(n*x.bits+7)/8] }

// some returns the bytes of n values in the buffer, from value i on.
func (x *numbers) some(i, n int64) []byte { return x.buf[i*x.bits/8 : (i*x.bits+n*x.bits+7)/8] }

// offset returns the byte offset of value i in the tensor.
func (x *numbers) offset(i int64) int64 { return i * x.bits / 8 }

// floats compares n values; the first has index at.
func (d *Differ) floats(v *Values, a, b *numbers, partA, partB []byte, n int, at int64) {
	exact := d.Absolute == 0 && d.Relative == 0 && !a.wide && !b.wide
	if exact && a.brief != nil && b.brief != nil { // takes less time than by float64
		num.Decode(a.codec, a.brief[:n], partA, 0)
		num.Decode(b.codec, b.brief[:n], partB, 0)
		quick(d, v, a.brief[:n], b.brief[:n], at)
		return
	}
	as, bs := a.as[:n], b.as[:n]
	num.Decode(a.codec, as, partA, 0)
	num.Decode(b.codec, bs, partB, 0)
	if exact {
		quick(d, v, as, bs, at)
		return
	}
	var sums Sums // of this part: sums of few numbers are rounded less
	for i, x := range as {
		y, rest := bs[i], a.rest(partA, i)-b.rest(partB, i)
		delta := x - y + rest
		finite := x-x == 0 && y-y == 0
		if finite {
			sums.add(delta, x, y)
		}
		if (x != y || rest != 0) && (x == x || y == y) {
			d.note(v, math.Abs(delta), math.Abs(x), finite, at+int64(i))
		}
	}
	v.Sums.Add(sums)
}

// quick compares values without a tolerance; the first has index at. It has no branch that depends on the values, except
// some that are rarely taken, and adds to two sums by turns, because each addition waits for the one before.
func quick[T float32 | float64](d *Differ, v *Values, as, bs []T, at int64) {
	bs = bs[:len(as)]
	const below = 1 - 0x1p-40 // no quotient is missed because it was rounded
	largest, ratio := v.MaxDelta, v.MaxRelative*below
	var sums [2]Sums
	differ := uint64(0)
	for i := range as {
		x, y := float64(as[i]), float64(bs[i])
		delta, size := math.Abs(x-y), math.Abs(x)
		if !(delta <= math.MaxFloat64) || !(size <= math.MaxFloat64) { // or the difference overflows
			finite := x-x == 0 && y-y == 0
			if finite {
				sums[0].add(delta, x, y)
			}
			if x != y && (x == x || y == y) {
				d.note(v, delta, size, finite, at+int64(i))
				largest, ratio = max(largest, v.MaxDelta), v.MaxRelative*below
			}
			continue
		}
		sums[i&1].add(delta, x, y)
		differ += -math.Float64bits(delta) >> 63
		if delta > largest {
			largest, v.MaxDelta, v.At = delta, delta, at+int64(i)
		}
		if delta > ratio*size && size > 0 {
			v.MaxRelative = max(v.MaxRelative, delta/size)
			ratio = v.MaxRelative * below
		}
	}
	v.Differ += int64(differ)
	v.Beyond += int64(differ)
	sums[0].Add(sums[1])
	v.Sums.Add(sums[0])
}

// add adds a pair of values. The conversions prevent fused multiply-add, which would give other bits on some machines.
func (s *Sums) add(delta, x, y float64) {
	s.Delta += float64(delta * delta)
	s.A += float64(x * x)
	s.B += float64(y * y)
	s.Dot += float64(x * y)
}

// equal adds n values to sums, which are the same in both tensors.
func (x *numbers) equal(part []byte, sums *Sums, n int) {
	both := 0.0
	if x.brief != nil {
		num.Decode(x.codec, x.brief[:n], part, 0)
		both = squares(x.brief[:n])
	} else {
		num.Decode(x.codec, x.as[:n], part, 0)
		both = squares(x.as[:n])
	}
	sums.Add(Sums{A: both, B: both, Dot: both})
}

// squares returns the sum of the squares of the finite values.
func squares[T float32 | float64](list []T) float64 {
	var sums [4]float64 // by turns, because each addition waits for the one before
	for i, x := range list {
		if x-x == 0 {
			sums[i&3] += float64(float64(x) * float64(x))
		}
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// rest returns the difference between value i and the float64 that represents it. It is 0 except for
// integers of 64 bits, which may be rounded.
func (x *numbers) rest(part []byte, i int) float64 {
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
	return float64(int64(binary.LittleEndian.Uint64(part[8*i:]) - rounded))
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
