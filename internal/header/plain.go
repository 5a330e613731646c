// A fast path for entries in the form that all writers use.

package header

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/weightools/safetensors/internal/num"
)

// plain reads an entry of exactly this form, from the comma before it:
//
//	,"NAME":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}
//
// It returns false, and changes nothing, if the entry has another form or any
// fault; the general path then reads it. Almost all entries have this form, and
// reading them here takes a fifth of the time.
func (p *Parser) plain() bool {
	b, start := p.padded, p.Pos()+len(",")
	if !has(b, start-1, `,"`) {
		return false
	}
	stop := nameEnd(b, start+1)
	if stop+12 > len(b) || string(b[stop:stop+12]) != `":{"dtype":"` {
		return false
	}
	name := view(b[start+1 : stop])
	dtype, width, i := p.prevDtype(b, stop+12)
	if i < 0 || i+10 > len(b) || string(b[i:i+10]) != `,"shape":[` {
		return false
	}
	shape, i := p.plainShape(b, i+10)
	if shape == nil || i+17 > len(b) || string(b[i:i+16]) != `,"data_offsets":` || b[i+16] != '[' {
		return false
	}
	begin, i := p.plainBegin(b, i+17)
	if i < 0 {
		return false
	}
	end, stop := plainUint(b, i)
	if stop < 0 || !has(b, stop, "]}") {
		return false
	}
	size, broken := Bytes(shape.elems, width)
	if broken != None || begin > end || end-begin != size || name == MetadataName || !p.allows(len(shape.dims)) {
		return false
	}

	p.remember(b, i, stop-i)
	p.Seek(stop + len("]}"))
	ti := p.add(name)
	ti.Dtype, ti.Shape = dtype, shape.dims
	ti.Offsets = Span{int64(begin), int64(end)}
	ti.Entry = at(start, stop+len("]}"))
	p.tiled = p.tiled && begin == uint64(p.next)
	p.next = int64(end)
	return true
}

// allows reports whether one more tensor of the given rank is within the
// limits.
func (p *Parser) allows(rank int) bool {
	return (p.MaxRank == 0 || rank <= p.MaxRank) && (p.MaxTensors == 0 || len(p.tensors) < p.MaxTensors)
}

// nameEnd returns the index of the first byte from b[i] on that is a quote, a
// backslash, a control character or above ASCII. It takes sixteen bytes at a
// time.
//
// Subtracting from a byte sets its high bit if the byte was less than the
// subtrahend or had the bit already. This finds bytes up to the quote, which
// include the control characters, and bytes above ASCII; the backslash is found
// by xor. A borrow can set the bit of a higher byte by mistake, but only the
// lowest one is used.
func nameEnd(b []byte, i int) int {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	for i+16 <= len(b) {
		v, w := words(b, i)
		m := ((v - lows*('"'+1)) | ((v ^ lows*'\\') - lows) | v) & highs
		n := ((w - lows*('"'+1)) | ((w ^ lows*'\\') - lows) | w) & highs
		if m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		if n != 0 {
			return i + 8 + bits.TrailingZeros64(n)/8
		}
		i += 16
	}
	return len(b)
}

// plainShape reads the shape at b[i:], after the opening bracket, and returns
// where it ends. It returns nil if the shape is not plain.
//
// Layers repeat their shapes, so the text is looked up first, and tensors of
// one shape share it. A text of 16 bytes or more is always read.
func (p *Parser) plainShape(b []byte, i int) (shape *knownShape, end int) {
	if i+Slack > len(b) {
		return nil, 0
	}
	low, high := words(b, i)
	n := indexBracket(low)
	if n < 8 {
		low, high = low&(1<<(8*n)-1), 0
	} else {
		m := indexBracket(high)
		high &= 1<<(8*m&63) - 1
		if n += m; m == 8 {
			return p.readShape(b, i, &p.unknown)
		}
	}
	// Multiplying carries every byte into the upper bits.
	const odd = 0x9e3779b97f4a7c15
	at := ((low ^ high) * odd) >> (64 - knownBits)
	shape = &p.known[at]
	if shape.is(low, high, n) {
		return shape, i + n + 1
	}
	// A shape may be in either of two places: otherwise two shapes with the same hash
	// that alternate would evict each other.
	other := &p.known[at^1]
	if other.is(low, high, n) {
		return other, i + n + 1
	}
	if shape.dims != nil {
		*other = *shape
	}
	shape.low, shape.high, shape.size = low, high, n
	return p.readShape(b, i, shape)
}

// indexBracket returns the index of the first ']' in the bytes of w, or 8.
func indexBracket(w uint64) int {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	w ^= lows * ']'
	return bits.TrailingZeros64((w-lows)&^w&highs) / 8
}

// readShape reads the shape at b[i:] into shape.
func (p *Parser) readShape(b []byte, i int, shape *knownShape) (*knownShape, int) {
	const most = 8 // dimensions; the general path reads shapes with more
	dims, rank := p.room(most), 0
	shape.dims, shape.elems = nil, 1
	for i < len(b) && b[i] != ']' {
		if rank > 0 {
			if b[i] != ',' {
				return nil, 0
			}
			i++
		}
		d, next := plainUint(b, i)
		hi, lo := bits.Mul64(shape.elems, d)
		if next < 0 || hi != 0 || rank == most {
			return nil, 0
		}
		dims[rank], shape.elems = int64(d), lo
		rank++
		i = next
	}
	shape.dims = p.take(rank)
	return shape, i + 1
}

// plainBegin reads the BEGIN at b[i:] and the comma after it, as plainUint
// does. BEGIN usually has the same digits as the previous END, whose value is
// known.
func (p *Parser) plainBegin(b []byte, i int) (v uint64, end int) {
	if i+Slack > len(b) {
		return 0, -1
	}
	// Compare the digits with the previous END as two masked words.
	n := p.endSize
	low, high := words(b, i)
	if n > 0 && (low^p.endText[0])&p.endMask[0]|(high^p.endText[1])&p.endMask[1] == 0 && b[i+n] == ',' {
		return uint64(p.next), i + n + 1
	}
	v, end = plainUint(b, i)
	if end < 0 || !has(b, end, ",") {
		return 0, -1
	}
	return v, end + 1
}

// remember keeps the n digits of an END at b[i:] for the next BEGIN.
func (p *Parser) remember(b []byte, i, n int) {
	p.endSize = n
	p.endText[0], p.endText[1] = words(b, i)
	p.endMask = [2]uint64{1<<(8*n) - 1, 1<<(8*(max(n, 8)-8)) - 1}
}

// words returns the sixteen bytes at b[i:], little-endian.
func words(b []byte, i int) (low, high uint64) {
	w := b[i : i+Slack]
	return binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[8:])
}

// has reports whether b has s at index i. Up to eight bytes the compiler makes
// one comparison of it.
func has(b []byte, i int, s string) bool {
	return i+len(s) <= len(b) && string(b[i:i+len(s)]) == s
}

// prevDtype returns the dtype at b[i:], its width in bits, and the end of the
// closing quote. The end is -1 if the dtype is unknown. It is usually the dtype
// of the previous entry, which takes one comparison.
func (p *Parser) prevDtype(b []byte, i int) (d string, width, end int) {
	if i+8 > len(b) {
		return "", 0, -1
	}
	word := binary.LittleEndian.Uint64(b[i:])
	if p.prevMask != 0 && word&p.prevMask == p.prevWord {
		return p.prev, p.width, i + len(p.prev) + 1
	}
	return p.otherDtype(b, i, word)
}

// otherDtype reads the dtype at b[i:], whose first eight bytes are word, and
// keeps it for the next entry.
func (p *Parser) otherDtype(b []byte, i int, word uint64) (d string, width, end int) {
	const longest = len("F8_E4M3FNUZ")
	n := bytes.IndexByte(b[i:min(i+longest+1, len(b))], '"')
	if n < 0 {
		return "", 0, -1
	}
	c := num.For(string(b[i : i+n]))
	if c == nil {
		return "", 0, -1
	}
	n++
	p.prev, p.width = c.Dtype(), c.Bits()*c.Parts()
	p.prevMask, p.prevWord = 0, 0
	if n <= 8 {
		p.prevMask = ^uint64(0) >> (64 - 8*n)
		p.prevWord = word & p.prevMask
	}
	return p.prev, p.width, i + n
}

// plainUint returns the integer at b[i:] and where it ends. The end is -1 if
// there is none, if it has a leading zero, or if it has more than 15 digits.
func plainUint(b []byte, i int) (v uint64, end int) {
	if i+Slack > len(b) {
		return 0, -1
	}
	low, high := words(b, i)
	v, n := digits8(low)
	if n == 8 {
		rest, m := digits8(high)
		if m == 8 {
			return 0, -1
		}
		if m > 0 {
			v = v*pow10[m] + rest
			n += m
		}
	}
	if n == 0 || byte(low) == '0' && n > 1 {
		return 0, -1
	}
	return v, i + n
}

var pow10 = [8]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

// digits8 returns the value and the number of the digits at the start of the
// eight bytes of w, little-endian. Without digits the value is undefined.
//
// Each step adds neighbors, the lower byte being the higher digit: digits to
// pairs, pairs to fours, fours to all eight.
func digits8(w uint64) (v uint64, n int) {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	w ^= lows * '0' // digits are now 0 to 9
	// A byte of 10 or more has its high bit set, or gets it by the sum. A carry
	// affects only higher bytes, and only the lowest one is used.
	n = bits.TrailingZeros64((w+lows*(0x80-10)|w)&highs) / 8
	w <<= (64 - 8*uint(n)) & 63 // zeros before the digits, and nothing after
	w = (w & (lows * 0x0f) * (10<<8 + 1)) >> 8
	w = (w & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
	w = (w & 0x0000ffff0000ffff) * (10_000<<32 + 1) >> 32
	return w, n
}
