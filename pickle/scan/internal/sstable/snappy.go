// Snappy, with which older versions of TensorFlow compress blocks.

package sstable

import "encoding/binary"

// unpack decompresses a block of Snappy (format_description.txt): a length, and elements that are
// bytes or copies of earlier ones. It returns false if the block is damaged or too large.
func unpack(b []byte) ([]byte, bool) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > mostBlock {
		return nil, false
	}
	b = b[n:]
	out := make([]byte, 0, size)
	for len(b) > 0 {
		tag := b[0]
		length, head := int(tag>>2), 1
		if tag&3 == 0 {
			if more := length - 59; more > 0 { // the length is in the next bytes
				head += more
				if head > len(b) {
					return nil, false
				}
				length = int(little(b[1:head]))
			}
			length++
			if length > len(b)-head || length > int(size)-len(out) {
				return nil, false
			}
			out = append(out, b[head:head+length]...)
			b = b[head+length:]
			continue
		}
		back := 0
		switch tag & 3 {
		case 1:
			length, head = 4+length&7, 2
			back = int(tag>>5) << 8
		case 2:
			length, head = length+1, 3
		case 3:
			length, head = length+1, 5
		}
		if head > len(b) {
			return nil, false
		}
		back |= int(little(b[1:head]))
		if back <= 0 || back > len(out) || length > int(size)-len(out) {
			return nil, false
		}
		for range length {
			out = append(out, out[len(out)-back])
		}
		b = b[head:]
	}
	return out, len(out) == int(size)
}

// little returns a number of up to four bytes.
func little(b []byte) (v uint32) {
	for i, c := range b {
		v |= uint32(c) << (8 * i)
	}
	return v
}
