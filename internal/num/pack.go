// Packing and unpacking of elements narrower than a byte.

package num

import "encoding/binary"

// Unpack fills dst with the patterns of elements of src, beginning with element first, one in each
// byte. The width of elements is 1 to 8 bits.
//
// The elements are a bit stream, least significant bit of each byte first. Unpack panics if src is too
// short.
func Unpack(dst, src []byte, first, width int) {
	src = src[first/8*width:]
	mask := uint64(1)<<width - 1
	// pos is the start of the next element, in bits. It stays below 64 because src advances; a
	// total number of bits could overflow an int.
	pos := first % 8 * width
	for len(dst) > 0 {
		src, pos = src[pos/8:], pos%8
		// Eight elements take as many bytes as an element has bits. With the bits before
		// them they fit into 64 bits, because pos is 0 if width is 8.
		if len(dst) >= 8 && len(src) >= 8 {
			w := binary.LittleEndian.Uint64(src) >> pos
			for k := range dst[:8] {
				dst[k] = byte(w & mask)
				w >>= width
			}
			dst, src = dst[8:], src[width:]
			continue
		}
		// A single element is in one or two bytes. If it is in one, src may end there.
		w := uint64(src[0])
		if pos+width > 8 {
			w |= uint64(src[1]) << 8
		}
		dst[0] = byte(w >> pos & mask)
		dst, pos = dst[1:], pos+width
	}
}

// Pack is the inverse of Unpack: it writes the patterns in src to elements of dst, beginning with
// element first. Bits of dst that belong to other elements do not change, and bits of src above the
// width are ignored. Pack panics if dst is too short.
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
		// A single element is in dst[0] and possibly dst[1].
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

// packEight writes eight elements to dst, whose length is the number of bits of an element.
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
