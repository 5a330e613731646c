// Packing, against a reader that takes one bit at a time.

package num

import (
	"bytes"
	"testing"
)

// bit returns bit i of a stream whose bytes begin with their lowest bit.
func bit(b []byte, i int) byte { return b[i/8] >> (i % 8) & 1 }

func TestUnpackKnownBytes(t *testing.T) {
	tests := []struct {
		width, first int
		src, want    []byte
	}{
		{4, 0, []byte{0x21, 0x43}, []byte{1, 2, 3, 4}}, // low nibble first
		{4, 3, []byte{0x21, 0x43}, []byte{4}},
		// 1 | 2<<6 | 3<<12 | 63<<18 = 0xfc3081, lowest byte first.
		{6, 0, []byte{0x81, 0x30, 0xfc}, []byte{1, 2, 3, 63}},
		{6, 2, []byte{0x81, 0x30, 0xfc}, []byte{3, 63}},
		{8, 1, []byte{1, 2, 3}, []byte{2, 3}},
		{1, 6, []byte{0x80, 0x01}, []byte{0, 1, 1, 0}},
		{4, 2, []byte{0x21}, nil},
	}
	for _, test := range tests {
		got := make([]byte, len(test.want))
		Unpack(got, test.src, test.first, test.width)
		if !bytes.Equal(got, test.want) {
			t.Errorf("% x by %d bits from %d on is %v, want %v", test.src, test.width, test.first, got, test.want)
		}
	}
}

// An element's place in bits may exceed an int where that is 32 bits wide, and
// its place in bytes may not: the count must not pass through bits.
func TestPackFarFromTheStart(t *testing.T) {
	const first = 1 << 26 // of 6 bits each: 48 MiB
	dst := make([]byte, first/4*3+3)
	Pack(dst, first+1, []byte{63, 21}, 6)
	got := make([]byte, 4)
	Unpack(got, dst, first, 6)
	if want := []byte{0, 63, 21, 0}; !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte{0x81, 0x30, 0xfc}, uint8(6), uint16(0), uint16(4))
	f.Add([]byte{0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 0x11}, uint8(4), uint16(1), uint16(17))
	f.Add(bytes.Repeat([]byte{0xb5, 0x6c, 0x0f}, 20), uint8(6), uint16(3), uint16(77))
	f.Add(bytes.Repeat([]byte{0xb5, 0x6c, 0x0f}, 20), uint8(7), uint16(9), uint16(50))
	f.Fuzz(func(t *testing.T, src []byte, width8 uint8, first16, n16 uint16) {
		width := int(width8%8) + 1
		total := len(src) * 8 / width
		first := int(first16) % (total + 1)
		n := int(n16) % (total - first + 1)

		got := make([]byte, n)
		Unpack(got, src, first, width)
		for i, p := range got {
			var want byte
			for k := range width {
				want |= bit(src, (first+i)*width+k) << k
			}
			if p != want {
				t.Fatalf("width %d: element %d of % x is %#x, want %#x", width, first+i, src, p, want)
			}
		}

		// Packed over other bits, they are where they were, and those bits too.
		over := bytes.Repeat([]byte{0xa5}, len(src))
		high := make([]byte, n) // what is above the width does not matter
		for i, p := range got {
			high[i] = p | 0xff<<width
		}
		Pack(over, first, high, width)
		for i := range len(src) * 8 {
			want := byte(0xa5) >> (i % 8) & 1
			if i >= first*width && i < (first+n)*width {
				want = bit(src, i)
			}
			if bit(over, i) != want {
				t.Fatalf("width %d: bit %d of % x is wrong after packing %d from %d on", width, i, over, n, first)
			}
		}
	})
}
