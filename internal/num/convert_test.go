// Converting: any dtype into any.

package num

import (
	"bytes"
	"math"
	"testing"
)

// one has the pattern of 1 in every dtype, from the formats' definitions: in a
// float, an exponent equal to the bias.
var one = map[string]uint64{
	"BOOL": 1, "U8": 1, "I8": 1, "I16": 1, "U16": 1, "I32": 1, "U32": 1, "I64": 1, "U64": 1,
	"F4": 1 << 1, "F6_E2M3": 1 << 3, "F6_E3M2": 3 << 2,
	"F8_E5M2": 15 << 2, "F8_E4M3": 7 << 3, "F8_E8M0": 127,
	"F8_E4M3FNUZ": 8 << 3, "F8_E5M2FNUZ": 16 << 2,
	"F16": 15 << 10, "BF16": 127 << 7, "F32": 127 << 23, "C64": 127 << 23, "F64": 1023 << 52,
}

func TestOneIsOneInEveryDtype(t *testing.T) {
	const n = 600 // more than two chunks
	for _, from := range codecs {
		src := make([]byte, n*8)
		words := make([]uint64, n)
		for i := range words {
			words[i] = one[from.dtype]
		}
		for at := 0; at < n; at += 200 {
			from.store(src, at, words[at:at+200])
		}
		for _, to := range codecs {
			const first = 5
			dst := make([]byte, n*8)
			if got := Convert(to, dst, from, src, first, n-first, false); got != n-first {
				t.Errorf("%s to %s: %d converted", from.dtype, to.dtype, got)
			}
			got := make([]uint64, 200)
			for at := 0; at < n-first; at += len(got) {
				got = got[:min(200, n-first-at)]
				to.load(got, dst, at)
				for i, w := range got {
					if w != one[to.dtype] {
						t.Fatalf("%s to %s: element %d is %#x, want %#x", from.dtype, to.dtype, at+i, w, one[to.dtype])
					}
				}
			}
		}
	}
}

func TestConvert(t *testing.T) {
	tests := []struct {
		from, to string
		src, dst []byte
		n        int // how many are converted, of as many as src has
		saturate bool
	}{
		// 2^60 + 2^52 is halfway between two BF16; the 1 is lost in a float64.
		{"I64", "BF16", []byte{1, 0, 0, 0, 0, 0, 0x10, 0x10}, []byte{0x81, 0x5d}, 1, false},
		{"U64", "I64", []byte{7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}, []byte{7, 0, 0, 0, 0, 0, 0, 0}, 1, false},
		{"U64", "I64", []byte{0, 0, 0, 0, 0, 0, 0, 0x80}, []byte{255, 255, 255, 255, 255, 255, 255, 127}, 1, true},
		{"I16", "U8", []byte{1, 0, 0xff, 0xff, 2, 0}, []byte{1}, 1, false},
		{"I16", "U8", []byte{1, 0, 0xff, 0xff, 0, 1}, []byte{1, 0, 255}, 3, true},
		// 1 + 2^-11 + 2^-40 as F64: just above halfway between two F16, and halfway as a float32.
		{"F64", "F16", []byte{0, 0x10, 0, 0, 0, 2, 0xf0, 0x3f}, []byte{0x01, 0x3c}, 1, false},
		// NaNs: moved when widened, quiet when rounded.
		{"F16", "F32", []byte{0x01, 0xfc}, []byte{0x00, 0x20, 0x80, 0xff}, 1, false},
		{"BF16", "F64", []byte{0x81, 0x7f}, []byte{0, 0, 0, 0, 0, 0x20, 0xf0, 0x7f}, 1, false},
		{"F32", "BF16", []byte{0xff, 0xff, 0x80, 0xff}, []byte{0xc0, 0xff}, 1, false},
		{"F8_E5M2", "F8_E4M3", []byte{0xfd, 0x7c}, []byte{0xff, 0x7f}, 2, false},
		{"F8_E5M2", "F8_E4M3FNUZ", []byte{0xfd, 0x7c, 0x80}, []byte{0x80, 0x80, 0}, 3, false},
		{"F32", "F4", []byte{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f}, []byte{0x02}, 1, false},
		{"F4", "BOOL", []byte{0x80, 0x21}, []byte{0, 0, 1, 1}, 4, false},
		{"BOOL", "F4", []byte{0, 1, 9, 0}, []byte{0x20, 0x02}, 4, false},
		// One dtype into itself: the bits, whatever they mean.
		{"F32", "F32", []byte{1, 0, 0x80, 0x7f}, []byte{1, 0, 0x80, 0x7f}, 1, true},
		{"BOOL", "BOOL", []byte{0, 2}, []byte{0, 2}, 2, false},
	}
	for _, test := range tests {
		from, to := For(test.from), For(test.to)
		dst := make([]byte, len(test.src)*8)
		n := Convert(to, dst, from, test.src, 0, len(test.src)*8/from.bits, test.saturate)
		if n != test.n {
			t.Errorf("%s % x to %s: %d converted, want %d", test.from, test.src, test.to, n, test.n)
		}
		if got := dst[:len(test.dst)]; !bytes.Equal(got, test.dst) {
			t.Errorf("%s % x to %s: % x, want % x", test.from, test.src, test.to, got, test.dst)
		}
	}
}

func TestConvertOfOneDtypeFromAnyElementOn(t *testing.T) {
	for _, c := range codecs {
		const n = 300
		src := make([]byte, n*8)
		for i := range src {
			src[i] = byte(i * 37)
		}
		for first := range 9 {
			dst := make([]byte, len(src))
			if got := Convert(c, dst, c, src, first, n-first, true); got != n-first {
				t.Fatalf("%s: %d converted", c.dtype, got)
			}
			var want, got [1]uint64
			for i := range n - first {
				c.load(want[:], src, first+i)
				c.load(got[:], dst, i)
				if got != want {
					t.Fatalf("%s: element %d from %d on is %#x, want %#x", c.dtype, i, first, got[0], want[0])
				}
			}
		}
	}
}

func TestConvertSaysWhichElementItCannotConvert(t *testing.T) {
	const n, at = 700, 601
	src, dst := make([]byte, 4*n), make([]byte, n)
	x := make([]float32, n)
	x[at] = float32(math.NaN())
	Encode(For("F32"), src, 0, x, false)
	if got := Convert(For("I8"), dst, For("F32"), src, 0, n, true); got != at {
		t.Errorf("%d converted, want %d", got, at)
	}
	if got := Convert(For("F4"), dst, For("F32"), src, 100, n-100, false); got != at-100 {
		t.Errorf("%d converted from 100 on, want %d", got, at-100)
	}
}
