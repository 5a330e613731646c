// Conversions of arbitrary bytes: nearest numbers, whatever the size of reads.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/weightools/safetensors"
)

// floatDtypes are the dtypes between which FuzzConvert converts.
var floatDtypes = []safetensors.Dtype{safetensors.F64, safetensors.F32, safetensors.F16, safetensors.BF16,
	safetensors.F8_E4M3, safetensors.F8_E5M2, safetensors.F8_E4M3FNUZ}

// doubles returns the numbers of a tensor of bytes.
func doubles(t *testing.T, d safetensors.Dtype, data []byte) (xs []float64) {
	t.Helper()
	n := int64(len(data) * 8 / d.Bits())
	b, err := mustConvert(t, handMade("w", d, data, n), safetensors.F64).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for ; len(b) > 0; b = b[8:] {
		xs = append(xs, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return xs
}

// FuzzConvert checks that each number becomes the nearest one of the other dtype, that widening and back changes
// nothing, and that parts of the converted bytes are the same as all of them.
func FuzzConvert(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf0\x3f\xff\xff\xff\xff\xff\xff\xef\x7f"), uint8(0), uint8(1), uint16(3), false)
	f.Add([]byte("\xff\x7f\x7f\x3f\x01\x00\x80\x00\x00\x00\x00\x80"), uint8(1), uint8(2), uint16(1), true)
	f.Add([]byte("\xff\x7b\x01\x00\x00\x7c"), uint8(2), uint8(4), uint16(0), false)
	f.Fuzz(func(t *testing.T, data []byte, from, to uint8, off uint16, saturate bool) {
		a, b := floatDtypes[int(from)%len(floatDtypes)], floatDtypes[int(to)%len(floatDtypes)]
		data = data[:min(len(data), 400)/(a.Bits()/8)*(a.Bits()/8)]
		n := int64(len(data) * 8 / a.Bits())
		saturate = saturate && a != b // a tensor that has the dtype is not converted
		made, err := (&safetensors.Converter{Saturate: saturate}).Convert(handMade("w", a, data, n), b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := made.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		part := make([]byte, int(off)%(len(got)+1))
		at := len(got) - len(part)
		if _, err := made.ReadAt(part, int64(at)); len(part) > 0 && (err != nil || !bytes.Equal(part, got[at:])) {
			t.Errorf("bytes from %d on: %x, %v, want %x", at, part, err, got[at:])
		}
		xs, ys := doubles(t, a, data), doubles(t, b, got)
		width := b.Bits() / 8
		for i, x := range xs {
			var pattern [8]byte
			copy(pattern[:], got[i*width:(i+1)*width])
			checkNearest(t, b, x, ys[i], binary.LittleEndian.Uint64(pattern[:]), saturate)
		}
		back, err := mustConvert(t, mustConvert(t, handMade("w", a, data, n), safetensors.F64), a).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range xs {
			if w := a.Bits() / 8; !math.IsNaN(x) && !bytes.Equal(back[i*w:(i+1)*w], data[i*w:(i+1)*w]) {
				t.Errorf("%x is %x after widening and back", data[i*w:(i+1)*w], back[i*w:(i+1)*w])
			}
		}
	})
}

// checkNearest checks that y, with its bits, is the number of the dtype that is nearest to x.
func checkNearest(t *testing.T, d safetensors.Dtype, x, y float64, bits uint64, saturate bool) {
	t.Helper()
	if d == safetensors.F32 && !saturate && !math.IsNaN(x) && float64(float32(x)) != y {
		t.Errorf("%v is %v in F32, want %v", x, y, float32(x))
	}
	neighbor := func(bits uint64) float64 {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		return doubles(t, d, b[:d.Bits()/8])[0]
	}
	odd := func(y float64) bool { return math.IsNaN(y) || math.IsInf(y, 0) }
	switch {
	case math.IsNaN(x) || math.IsNaN(y) && math.IsInf(x, 0):
		if !math.IsNaN(y) {
			t.Errorf("NaN is %v in %s", y, d)
		}
	case odd(y) && saturate:
		t.Errorf("%v is %v in %s, saturated", x, y, d)
	case odd(y):
		// The numbers below the end of the range are those before the pattern of infinity or NaN.
		if largest := neighbor(maxPattern(d)); math.Abs(x) <= largest {
			t.Errorf("%v is %v in %s, which has %v", x, y, d, largest)
		}
	case math.IsInf(x, 0):
		if math.Abs(y) != neighbor(maxPattern(d)) {
			t.Errorf("%v is %v in %s", x, y, d)
		}
	case d != safetensors.F64:
		distance := func(y float64) *big.Rat {
			r := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
			return r.Abs(r)
		}
		for _, other := range []uint64{bits - 1, bits + 1} {
			z := neighbor(other & (1<<d.Bits() - 1))
			if odd(z) || math.Signbit(z) != math.Signbit(y) {
				continue
			}
			if c := distance(y).Cmp(distance(z)); c > 0 || c == 0 && bits%2 == 1 {
				t.Errorf("%v is %v in %s, and %v is nearer", x, y, d, z)
			}
		}
	}
}

// maxPattern returns the bits of the largest finite number of a float dtype, by its format.
func maxPattern(d safetensors.Dtype) uint64 {
	return map[safetensors.Dtype]uint64{
		safetensors.F64: 0x7fefffffffffffff, safetensors.F32: 0x7f7fffff, safetensors.F16: 0x7bff, safetensors.BF16: 0x7f7f,
		safetensors.F8_E4M3: 0x7e, safetensors.F8_E5M2: 0x7b, safetensors.F8_E4M3FNUZ: 0x7f,
	}[d]
}
