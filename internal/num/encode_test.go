// Encoding floats: rounding, overflow, NaN, and back again.

package num

import (
	"math"
	"strings"
	"testing"
)

// encodeOne returns the pattern of x, and whether c can hold it.
func encodeOne[T Number](c *Codec, x T, saturate bool) (uint64, bool) {
	var dst [8]byte
	n := Encode(c, dst[:], 0, []T{x}, saturate)
	var word [1]uint64
	c.load(word[:], dst[:], 0)
	return word[0], n == 1
}

// encodeEight is encodeOne for the last of eight, which may go by a block.
func encodeEight(c *Codec, x float32, saturate bool) (uint64, bool) {
	dst := make([]byte, 64)
	n := Encode(c, dst, 0, []float32{x, x, x, x, x, x, x, x}, saturate)
	var word [1]uint64
	c.load(word[:], dst, 7)
	return word[0], n == 8
}

func TestEncodeFindsTheNearest(t *testing.T) {
	lines := goldenLines(t, "encode.txt.gz")
	head := lines[0]
	for _, line := range lines[1:] {
		x := math.Float64frombits(parseHex(t, line[0]))
		y := narrow(x)
		isFloat32 := math.Float64bits(widen(y)) == math.Float64bits(x)
		for i, name := range head[1:] {
			c := For(name)
			plain, saturated, differ := strings.Cut(line[i+1], "/")
			if !differ {
				saturated = plain
			}
			for k, want := range []string{plain, saturated} {
				saturate := k == 1
				got, ok := encodeOne(c, x, saturate)
				if ok != (want != "-") || ok && got != parseHex(t, want) {
					t.Errorf("%v (%s) as %s, saturate %t: %#x %t, want %s", x, line[0], name, saturate, got, ok, want)
				}
				if !isFloat32 {
					continue
				}
				if again, okAgain := encodeOne(c, y, saturate); again != got || okAgain != ok {
					t.Errorf("%v as %s: %#x from a float32, %#x from a float64", x, name, again, got)
				}
				if again, okAgain := encodeEight(c, y, saturate); again != got || okAgain != ok {
					t.Errorf("%v as %s: %#x in a block, %#x alone", x, name, again, got)
				}
			}
		}
	}
}

// Between any two neighbours, what is on this side of the middle goes here,
// what is on that side there, and the middle itself to the even pattern. The
// numbers come from the tables; middles of narrow floats are float64s.
func TestEncodeBetweenAllNeighbours(t *testing.T) {
	for name, values := range goldenValues(t) {
		c := For(name)
		f := c.format
		for p := range uint64(f.max) {
			low := float64(math.Float32frombits(values[p]))
			high := float64(math.Float32frombits(values[p+1]))
			middle := (low + high) / 2
			even := p + p%2
			if name == "F8_E8M0" {
				even = p + 1
			}
			below, above := math.Nextafter(middle, low), math.Nextafter(middle, high)
			for x, want := range map[float64]uint64{low: p, below: p, middle: even, above: p + 1, high: p + 1} {
				if got, _ := encodeOne(c, x, false); got != want {
					t.Errorf("%s: %v becomes %#x, want %#x", name, x, got, want)
				}
				if name == "F8_E8M0" || want == 0 && f.fnuz() {
					continue
				}
				if got, _ := encodeOne(c, -x, false); got != want|uint64(f.sign) {
					t.Errorf("%s: %v becomes %#x, want %#x", name, -x, got, want|uint64(f.sign))
				}
			}
		}
	}
}

// Every pattern is the pattern of the number that it stands for; of a NaN, with
// the quiet bit set.
func TestEveryPatternComesBack(t *testing.T) {
	for _, c := range codecs {
		if c.bits > 16 {
			continue
		}
		n := 1 << c.bits
		src := everyPattern(c)
		x32, x64 := make([]float32, n), make([]float64, n)
		Decode(c, x32, src, 0)
		Decode(c, x64, src, 0)
		from32, from64 := make([]byte, len(src)), make([]byte, len(src))
		if k := Encode(c, from32, 0, x32, false); k != n {
			t.Fatalf("%s: only %d of %d were encoded", c.dtype, k, n)
		}
		Encode(c, from64, 0, x64, false)
		var got [2]uint64
		for p := range uint64(n) {
			c.load(got[:1], from32, int(p))
			c.load(got[1:], from64, int(p))
			want := p
			if c.kind == Bool {
				want = min(p, 1)
			}
			if c.format != nil && c.format.isNaN(uint16(p)) {
				want |= uint64(c.format.nan)
			}
			if got[0] != want || got[1] != want {
				t.Errorf("%s %#x came back as %#x and %#x, want %#x", c.dtype, p, got[0], got[1], want)
			}
		}
	}
}

// The fast loops round as the plain way does. The stride is a prime, so that
// all exponents and many low bits are met.
func TestEncodeBlocksRoundAsThePlainWayDoes(t *testing.T) {
	const stride = 20011
	src, dst := make([]float32, 8), make([]byte, 16)
	wide := make([]float64, 8)
	got, want := make([]uint64, 8), make([]uint64, 8)
	for _, c := range codecs {
		if c.format == nil || c.bits < 8 {
			continue
		}
		for b := uint64(0); b < 1<<32; b += 8 * stride {
			for i := range src {
				src[i] = math.Float32frombits(uint32(b) + uint32(i)*stride)
				wide[i] = widen(src[i])
			}
			c.format.round(want, wide, false)
			Encode(c, dst, 0, src, false)
			c.load(got, dst, 0)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s: %x becomes %#x, want %#x", c.dtype, math.Float32bits(src[i]), got[i], want[i])
				}
			}
		}
	}
}

// A float32 that is as wide as its target, or narrower, is not rounded: NaNs
// keep all their bits.
func TestEncodeMovesNaNsThatFit(t *testing.T) {
	signaling := math.Float32frombits(0xff800001)
	for _, n := range []int{1, 8} { // alone, and in a block
		src, dst := make([]float32, n), make([]byte, 8*n)
		for i := range src {
			src[i] = signaling
		}
		var got [1]uint64
		Encode(For("F32"), dst, 0, src, true)
		if For("F32").load(got[:], dst, n-1); got[0] != 0xff800001 {
			t.Errorf("%d as F32: %#x", n, got[0])
		}
		Encode(For("F64"), dst, 0, src, true)
		if For("F64").load(got[:], dst, n-1); got[0] != 0xfff0_0000_2000_0000 {
			t.Errorf("%d as F64: %#x", n, got[0])
		}
	}
}

func TestSaturatingLeavesNoInfinity(t *testing.T) {
	want := map[string]float64{
		"F4": 6, "F6_E2M3": 7.5, "F6_E3M2": 28, "F8_E5M2": 57344, "F8_E4M3": 448,
		"F8_E4M3FNUZ": 240, "F8_E5M2FNUZ": 57344, "F16": 65504, "BF16": 0x1.fep127,
		"F32": math.MaxFloat32, "C64": math.MaxFloat32, "F64": math.MaxFloat64,
	}
	for _, c := range codecs {
		largest, ok := want[c.dtype]
		if !ok {
			continue
		}
		// Twenty, so that some are in blocks.
		src, dst, got := make([]float32, 20), make([]byte, 160), make([]float64, 20)
		for i := range src {
			src[i] = float32(math.Inf(1 - i%2*2))
		}
		Encode(c, dst, 0, src, true)
		Decode(c, got, dst, 0)
		for i, x := range got {
			if x != math.Copysign(largest, float64(src[i])) {
				t.Errorf("%s: %v saturates to %v", c.dtype, src[i], x)
			}
		}
	}
}

func TestEncodeSaysWhichNumberItCannotHold(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		dtype    string
		x        float64
		plain    bool // held without saturation
		saturate bool // held with it
	}{
		{"F4", nan, false, false}, {"F6_E2M3", nan, false, false}, {"F6_E3M2", nan, false, false},
		{"F4", inf, true, true}, {"F8_E4M3", nan, true, true}, {"F8_E8M0", -1, true, true},
		{"BOOL", nan, true, true},
		{"U8", nan, false, false}, {"U8", 256, false, true}, {"U8", -1, false, true}, {"U8", -inf, false, true},
		{"U8", 255.5, false, true}, {"U8", 255.25, true, true}, {"U8", -0.5, true, true},
		{"I64", 0x1p63, false, true}, {"I64", -0x1p63, true, true}, {"U64", 0x1p64, false, true},
	}
	const at = 300 // in the second chunk
	for _, test := range tests {
		c := For(test.dtype)
		for _, saturate := range []bool{false, true} {
			held := test.plain
			if saturate {
				held = test.saturate
			}
			want := 310
			if !held {
				want = at
			}
			src, dst := make([]float64, 310), make([]byte, 310*8)
			src[at] = test.x
			if got := Encode(c, dst, 0, src, saturate); got != want {
				t.Errorf("%s, %v at %d, saturate %t: %d encoded, want %d", test.dtype, test.x, at, saturate, got, want)
			}
		}
	}
}

func TestEncodeLeavesOtherElementsAlone(t *testing.T) {
	for _, c := range codecs {
		for first := range 9 {
			for length := range 20 {
				dst := make([]byte, 32*8)
				for i := range dst {
					dst[i] = 0x55
				}
				ones := make([]float32, length)
				for i := range ones {
					ones[i] = 1
				}
				Encode(c, dst, first, ones, false)
				words := make([]uint64, 32)
				c.load(words, dst, 0)
				one, _ := encodeOne(c, float32(1), false)
				for i, got := range words {
					want := uint64(0x5555_5555_5555_5555) & (math.MaxUint64 >> (64 - c.bits))
					if c.bits == 6 { // the stream 01 01 01 ... by sixes
						want = 0x15
					}
					if first <= i && i < first+length {
						want = one
					}
					if got != want {
						t.Fatalf("%s: element %d of %d written from %d on is %#x, want %#x", c.dtype, i, length, first, got, want)
					}
				}
			}
		}
	}
}
