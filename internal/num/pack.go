// Elements narrower than a byte: out of the bit stream and into it.

package num

import "encoding/binary"

// Unpack fills dst with the patterns of consecutive elements of the given
// width, one to a byte: those of src from element first on. The width is from
// 1 to 8 bits.
//
// The elements form a bit stream, the least significant bit of each byte first.
// Unpack panics if src ends before the last of them.
func Unpack(dst, src []byte, first, width int) {
	src = src[first/8*width:]
	mask := uint64(1)<<width - 1
	// pos is where the next element starts, in bits. It stays below 64, and
	// src moves on instead, since a count of bits may overflow an int.
	pos := first % 8 * width
	for len(dst) > 0 {
		src, pos = src[pos/8:], pos%8
		// Eight elements take a whole number of bytes, wherever they start,
		// and with the bits before them they fit 64: pos is 0 if width is 8.
		if len(dst) >= 8 && len(src) >= 8 {
			w := binary.LittleEndian.Uint64(src) >> pos
			for k := range dst[:8] {
				dst[k] = byte(w & mask)
				w >>= width
			}
			dst, src = dst[8:], src[width:]
			continue
		}
		// One alone is in one byte or in two; the second must not be touched
		// if it is in one, since src may end there.
		w := uint64(src[0])
		if pos+width > 8 {
			w |= uint64(src[1]) << 8
		}
		dst[0] = byte(w >> pos & mask)
		dst, pos = dst[1:], pos+width
	}
}

// Pack is the reverse of Unpack: it writes the elements whose patterns are in
// src, one to a byte, to dst from element first on. Bits of dst that belong to
// other elements are left as they are, and bits of src above the width are
// ignored. It panics if dst ends before the last element.
func Pack(dst []byte, first int, src []byte, width int) {
	dst = clip(dst)[first/8*width:]
	mask := byte(1<<width - 1)
	pos := first % 8 * width
	for len(src) > 0 {
		dst, pos = dst[pos/8:], pos%8
		if pos == 0 && len(src) >= 8 {
			packEight(dst[:width], src, mask)
			dst, src = dst[width:], src[8:]
			continue
		}
		// One alone has a part in dst[0], and may have another in dst[1].
		p := src[0] & mask
		src = src[1:]
		dst[0] = dst[0]&^(mask<<pos) | p<<pos
		if pos+width > 8 {
			low := 8 - pos // bits that went into dst[0]
			dst[1] = dst[1]&^(mask>>low) | p>>low
		}
		pos += width
	}
}

// packEight writes eight elements to the bytes of dst, of which there are as
// many as an element has bits.
func packEight(dst, src []byte, mask byte) {
	var w uint64
	for k := 7; k >= 0; k-- {
		w = w<<(len(dst)&63) | uint64(src[k]&mask)
	}
	for k := range dst {
		dst[k] = byte(w)
		w >>= 8
	}
}
