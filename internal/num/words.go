// Loading and storing bit patterns in chunks.

package num

import "encoding/binary"

// chunk is the number of patterns in buffers between bytes and numbers, which stay on the stack and in
// the first-level cache.
const chunk = 256

// clip returns b without capacity beyond its length: its slices cannot extend beyond it.
func clip(b []byte) []byte { return b[:len(b):len(b)] }

// load fills dst with the patterns of elements of src, beginning with element first, at most chunk.
func (c *Codec) load(dst []uint64, src []byte, first int) {
	if c.bits < 8 {
		// This takes two passes; the fast loops handle common cases.
		var b [chunk]byte
		Unpack(b[:len(dst)], src, first, c.bits)
		for i := range dst {
			dst[i] = uint64(b[i])
		}
		return
	}
	size := c.bits / 8
	src = clip(src)[first*size:][:len(dst)*size]
	le := binary.LittleEndian
	switch size {
	case 1:
		for i := range dst {
			dst[i] = uint64(src[i])
		}
	case 2:
		for i := range dst {
			dst[i] = uint64(le.Uint16(src[2*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = uint64(le.Uint32(src[4*i:]))
		}
	case 8:
		for i := range dst {
			dst[i] = le.Uint64(src[8*i:])
		}
	}
}

// store writes the patterns in src, at most chunk, to elements of dst, beginning with element first.
// Bits above the width of an element are ignored.
func (c *Codec) store(dst []byte, first int, src []uint64) {
	if c.bits < 8 {
		var b [chunk]byte
		for i, w := range src {
			b[i] = byte(w)
		}
		Pack(dst, first, b[:len(src)], c.bits)
		return
	}
	size := c.bits / 8
	dst = clip(dst)[first*size:][:len(src)*size]
	le := binary.LittleEndian
	switch size {
	case 1:
		for i, w := range src {
			dst[i] = byte(w)
		}
	case 2:
		for i, w := range src {
			le.PutUint16(dst[2*i:], uint16(w))
		}
	case 4:
		for i, w := range src {
			le.PutUint32(dst[4*i:], uint32(w))
		}
	case 8:
		for i, w := range src {
			le.PutUint64(dst[8*i:], w)
		}
	}
}
