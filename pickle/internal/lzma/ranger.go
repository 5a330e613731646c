// The range decoder: it decodes bits by their probabilities.

package lzma

import "io"

// A prob is the probability of a 0 bit in units of 1/2048.
type prob uint16

// half is the initial probability of every bit.
const half prob = 1 << 10

// A ranger decodes bits from a byte stream. After the first error all bits are 0.
type ranger struct {
	in          io.ByteReader
	width, code uint32
	err         error
}

// start reads the first five bytes. The first must be 0.
func (r *ranger) start(in io.ByteReader) error {
	*r = ranger{in: in, width: 1<<32 - 1}
	first := r.next()
	for range 4 {
		r.code = r.code<<8 | uint32(r.next())
	}
	if r.err == nil && first != 0 {
		r.err = errData
	}
	return r.err
}

// next reads a byte.
func (r *ranger) next() byte {
	if r.err != nil {
		return 0
	}
	c, err := r.in.ReadByte()
	if err != nil {
		r.err = short(err)
	}
	return c
}

// normalize keeps the range at 2^24 or more.
func (r *ranger) normalize() {
	if r.width < 1<<24 {
		r.width <<= 8
		r.code = r.code<<8 | uint32(r.next())
	}
}

// bit decodes one bit with probability p and updates p.
func (r *ranger) bit(p *prob) uint32 {
	bound := r.width >> 11 * uint32(*p)
	if r.code < bound {
		r.width = bound
		*p += (2*half - *p) >> 5
		r.normalize()
		return 0
	}
	r.width -= bound
	r.code -= bound
	*p -= *p >> 5
	r.normalize()
	return 1
}

// direct decodes n bits that have no probabilities.
func (r *ranger) direct(n int) uint32 {
	v := uint32(0)
	for range n {
		r.width >>= 1
		v <<= 1
		if r.code >= r.width {
			r.code -= r.width
			v |= 1
		}
		r.normalize()
	}
	return v
}

// tree decodes an n-bit number, highest bit first. The probability of each bit depends on the bits before it.
func (r *ranger) tree(probs []prob, n int) uint32 {
	at := uint32(1)
	for range n {
		at = at<<1 | r.bit(&probs[at])
	}
	return at - 1<<n
}

// reverse decodes an n-bit number in the same way, lowest bit first.
func (r *ranger) reverse(probs []prob, n int) uint32 {
	at, v := uint32(1), uint32(0)
	for i := range n {
		bit := r.bit(&probs[at])
		at = at<<1 | bit
		v |= bit << i
	}
	return v
}

// short converts io.EOF to io.ErrUnexpectedEOF.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
