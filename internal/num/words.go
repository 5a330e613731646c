// Bytes to bit patterns and back, a chunk at a time.

package num

import "encoding/binary"

// chunk is how many numbers are worked on between bytes and numbers, in
// buffers that stay on the stack and in the first-level cache.
const chunk = 256

// clip returns b without capacity beyond its length. A slice of it then cannot
// reach past its end, as one of b might, into bytes that are none of ours.
func clip(b []byte) []byte { return b[:len(b):len(b)] }

// load fills dst with the patterns of the elements of src from first on. There
// are at most chunk of them.
func (c *Codec) load(dst []uint64, src []byte, first int) {
	if c.bits < 8 {
		// Twice through the elements; what must be fast goes by blocks.
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

// store writes the patterns in src, at most chunk of them, to the elements of
// dst from first on. Bits above an element's width are ignored.
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
