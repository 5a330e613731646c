// Decoding: every pattern of every narrow dtype, and the edges of the wide.

package num

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

func TestForKnowsTheDtypesOfTheFormat(t *testing.T) {
	want := "BOOL 8, F4 4, F6_E2M3 6, F6_E3M2 6, U8 8, I8 8, F8_E5M2 8, F8_E4M3 8, F8_E8M0 8, " +
		"F8_E4M3FNUZ 8, F8_E5M2FNUZ 8, I16 16, U16 16, F16 16, BF16 16, I32 32, U32 32, F32 32, " +
		"C64 2x32, F64 64, I64 64, U64 64"
	got := ""
	for i, c := range codecs {
		if For(c.Dtype()) != c {
			t.Errorf("For(%q) is not the codec of that name", c.Dtype())
		}
		if i > 0 {
			got += ", "
		}
		got += c.Dtype() + " "
		if c.Parts() > 1 {
			got += fmt.Sprint(c.Parts(), "x")
		}
		got += fmt.Sprint(c.Bits())
	}
	if got != want {
		t.Errorf("codecs are\n%s, want\n%s", got, want)
	}
	kinds := map[Kind]int{}
	for _, c := range codecs {
		kinds[c.Kind()]++
	}
	if kinds[Bool] != 1 || kinds[Unsigned] != 4 || kinds[Signed] != 4 || kinds[Float] != 13 {
		t.Errorf("of Bool, Unsigned, Signed, Float there are %v", kinds)
	}
	for _, name := range []string{"", "f32", "F128", "F8"} {
		if For(name) != nil {
			t.Errorf("For(%q) is not nil", name)
		}
	}
}

func TestDecodeGivesEveryPatternItsNumber(t *testing.T) {
	for name, want := range goldenValues(t) {
		c := For(name)
		src := everyPattern(c)
		fast := make([]float32, len(want))
		Decode(c, fast, src, 0)
		plain := make([]float32, len(want))
		c.plain32(plain, src, 0)
		wide := make([]float64, len(want))
		Decode(c, wide, src, 0)
		for p, v := range want {
			if got := math.Float32bits(fast[p]); got != v {
				t.Errorf("%s %#x in a block is %#08x, want %#08x", name, p, got, v)
			}
			if got := math.Float32bits(plain[p]); got != v {
				t.Errorf("%s %#x alone is %#08x, want %#08x", name, p, got, v)
			}
			x := float64(math.Float32frombits(v))
			if math.IsNaN(x) {
				// Widened by hand: sign, exponent, payload at the top.
				x = math.Float64frombits(uint64(v>>31)<<63 | 0x7ff<<52 | uint64(v&0x7fffff)<<29)
			}
			if got, want := math.Float64bits(wide[p]), math.Float64bits(x); got != want {
				t.Errorf("%s %#x as a float64 is %#016x, want %#016x", name, p, got, want)
			}
		}
	}
}

func TestDecodeOfIntegersOfOneAndTwoBytes(t *testing.T) {
	numbers := map[string]func(p int) float64{
		"BOOL": func(p int) float64 { return float64(min(p, 1)) },
		"U8":   func(p int) float64 { return float64(p) },
		"U16":  func(p int) float64 { return float64(p) },
		"I8":   func(p int) float64 { return float64((p+128)%256 - 128) },
		"I16":  func(p int) float64 { return float64((p+1<<15)%(1<<16) - 1<<15) },
	}
	for name, number := range numbers {
		c := For(name)
		src := everyPattern(c)
		got32, got64 := make([]float32, 1<<c.bits), make([]float64, 1<<c.bits)
		Decode(c, got32, src, 0)
		Decode(c, got64, src, 0)
		for p := range got32 {
			if want := number(p); float64(got32[p]) != want || got64[p] != want {
				t.Errorf("%s %#x is %v and %v, want %v", name, p, got32[p], got64[p], want)
			}
		}
	}
}

func TestDecodeKnownElements(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		dtype string
		src   []byte // little-endian
		want  []float64
	}{
		{"BF16", []byte{0x80, 0x3f, 0x49, 0x40, 0xc0, 0xbf, 0x48, 0x42}, []float64{1, 3.140625, -1.5, 50}},
		{"F16", []byte{0x48, 0x42, 0x01, 0x00, 0xff, 0x7b, 0x00, 0xfc}, []float64{3.140625, 0x1p-24, 65504, -inf}},
		// The even element is in the low nibble: 1, 6; -0.5, 0.
		{"F4", []byte{0x72, 0x09}, []float64{1, 6, -0.5, 0}},
		// 0x01, 0x1f, 0x20, 0x08 as a bit stream: 0x01 | 0x1f<<6 = 0x7c1, and so on.
		{"F6_E2M3", []byte{0xc1, 0x07, 0x22}, []float64{0.125, 7.5, math.Copysign(0, -1), 1}},
		{"F6_E3M2", []byte{0xc1, 0x07, 0x22}, []float64{0.0625, 28, math.Copysign(0, -1), 0.5}},
		{"F8_E4M3", []byte{0x7e, 0x7f, 0x01, 0xb8}, []float64{448, nan, 0x1p-9, -1}},
		{"F8_E5M2", []byte{0x7b, 0x7c, 0x7d, 0x01}, []float64{57344, inf, nan, 0x1p-16}},
		{"F8_E8M0", []byte{0x00, 0x7f, 0xfe, 0xff}, []float64{0x1p-127, 1, 0x1p127, nan}},
		{"F8_E4M3FNUZ", []byte{0x7f, 0x80, 0x01, 0x00}, []float64{240, nan, 0x1p-10, 0}},
		{"F8_E5M2FNUZ", []byte{0x7f, 0x80, 0x01, 0x00}, []float64{57344, nan, 0x1p-17, 0}},
		{"I32", []byte{0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff}, []float64{-1 << 31, -1}},
		{"U32", []byte{0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff}, []float64{1 << 31, 1<<32 - 1}},
		{"C64", []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, []float64{1, -2}},
		{"I64", []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, []float64{-1 << 63}},
		{"U64", []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, []float64{1 << 63}},
	}
	for _, test := range tests {
		got := make([]float64, len(test.want))
		Decode(For(test.dtype), got, test.src, 0)
		for i, x := range got {
			same := math.Float64bits(x) == math.Float64bits(test.want[i])
			if !same && !(math.IsNaN(x) && math.IsNaN(test.want[i])) {
				t.Errorf("%s % x: element %d is %v, want %v", test.dtype, test.src, i, x, test.want[i])
			}
		}
	}
}

func TestDecodeRoundsOnceToFloat32(t *testing.T) {
	tests := []struct {
		dtype string
		bits  uint64
		want  float32
	}{
		{"F64", math.Float64bits(1 + 0x1p-24), 1}, // a tie, to even
		{"F64", math.Float64bits(1 + 0x1p-24 + 0x1p-52), 1 + 0x1p-23},
		{"F64", math.Float64bits(1e300), float32(math.Inf(1))},
		{"I32", 0x01000001, 1 << 24},              // 2^24 + 1: a tie, to even
		{"I32", 0x01000003, 1<<24 + 4},            // 2^24 + 3
		{"U32", 0xffffff80, 1 << 32},              // a tie
		{"U32", 0xffffff7f, 1<<32 - 1<<8},         // just below it
		{"I64", 1<<60 + 1<<36, 1 << 60},           // a tie, to even
		{"I64", 1<<60 + 1<<36 + 1, 1<<60 + 1<<37}, // above it, by what a float64 cannot hold
		{"U64", 1<<63 + 1<<39 + 1, 1<<63 + 1<<40},
	}
	for _, test := range tests {
		var src [8]byte
		binary.LittleEndian.PutUint64(src[:], test.bits)
		got := make([]float32, 1)
		Decode(For(test.dtype), got, src[:], 0)
		if got[0] != test.want {
			t.Errorf("%s %#x is %v, want %v", test.dtype, test.bits, got[0], test.want)
		}
	}
}

func TestDecodeOfWideNaNs(t *testing.T) {
	src := binary.LittleEndian.AppendUint64(nil, 0xfff0_0000_2000_0001)
	narrow := make([]float32, 1)
	Decode(For("F64"), narrow, src, 0)
	// Rounded: sign, the upper 23 bits of the payload, quiet.
	if got := math.Float32bits(narrow[0]); got != 0xffc00001 {
		t.Errorf("a signaling F64 as a float32 is %#x", got)
	}
	wide := make([]float64, 1)
	Decode(For("F64"), wide, src, 0)
	if got := math.Float64bits(wide[0]); got != 0xfff0_0000_2000_0001 {
		t.Errorf("a signaling F64 as a float64 is %#x", got)
	}
	src = binary.LittleEndian.AppendUint32(nil, 0xff800001)
	Decode(For("F32"), wide, src, 0)
	// Widened: the bits are moved, and it still signals.
	if got := math.Float64bits(wide[0]); got != 0xfff0_0000_2000_0000 {
		t.Errorf("a signaling F32 as a float64 is %#x", got)
	}
}

// Wherever a run of elements begins and ends, blocks and what is left over
// around them give what decoding one by one does.
func TestDecodeFromAnyElementOn(t *testing.T) {
	for _, c := range codecs {
		const n = 70
		buf := make([]byte, 1+n*8)
		for i := range buf {
			buf[i] = byte(i*i*89 + i*31)
		}
		// An odd address: no loop may rely on alignment.
		src := buf[1 : 1+(n*c.bits+7)/8]
		want32, want64 := make([]float32, n), make([]float64, n)
		for i := range n {
			c.plain32(want32[i:i+1], src, i)
			Decode(c, want64[i:i+1], src, i)
		}
		for first := range 20 {
			for length := 0; first+length <= n; length++ {
				got32, got64 := make([]float32, length), make([]float64, length)
				Decode(c, got32, src, first)
				Decode(c, got64, src, first)
				for i := range length {
					if math.Float32bits(got32[i]) != math.Float32bits(want32[first+i]) ||
						math.Float64bits(got64[i]) != math.Float64bits(want64[first+i]) {
						t.Fatalf("%s: element %d of %d from %d on is %v and %v, want %v",
							c.dtype, i, length, first, got32[i], got64[i], want32[first+i])
					}
				}
			}
		}
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	dst32, dst64, src := make([]float32, 1000), make([]float64, 1000), make([]byte, 8000)
	for _, c := range codecs {
		got := testing.AllocsPerRun(10, func() {
			Decode(c, dst32, src, 0)
			Decode(c, dst64, src, 0)
			Encode(c, src, 0, dst32, false)
			Encode(c, src, 0, dst64, false)
			Convert(codecs[0], src, c, src, 0, 500, true)
		})
		if got != 0 {
			t.Errorf("%s: %v allocations", c.dtype, got)
		}
	}
}

func TestShortBytesPanic(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	const n = 64
	for _, c := range codecs {
		x32, x64, v := make([]float32, n), make([]float64, n), make([]int64, n)
		whole := make([]byte, n*c.bits/8)
		short := whole[:len(whole)-1]
		for name, f := range map[string]func(b []byte){
			"Decode to float32":   func(b []byte) { Decode(c, x32, b, 0) },
			"Decode to float64":   func(b []byte) { Decode(c, x64, b, 0) },
			"Encode from float32": func(b []byte) { Encode(c, b, 0, x32, false) },
			"Encode from int64":   func(b []byte) { Encode(c, b, 0, v, false) },
			"Convert from":        func(b []byte) { Convert(For("F64"), make([]byte, n*8), c, b, 0, n, false) },
			"Convert to":          func(b []byte) { Convert(c, b, For("BOOL"), make([]byte, n), 0, n, false) },
			"Convert to itself":   func(b []byte) { Convert(c, make([]byte, n*8), c, b, 0, n, false) },
		} {
			if panics(func() { f(whole) }) {
				t.Errorf("%s %s panics although there are enough bytes", name, c.dtype)
			}
			if !panics(func() { f(short) }) {
				t.Errorf("%s %s does not panic, although a byte is missing", name, c.dtype)
			}
		}
	}
}
