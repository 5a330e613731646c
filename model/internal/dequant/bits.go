// Integers of a few bits.

package dequant

// Bits returns integers of the given number of bits, which fill each row of p without gaps, lowest bits first. The
// bytes of p are little-endian words. The value of less is subtracted from each integer.
func Bits(p Part, bits int64, less float32) Fill {
	return func(dst []float32, b Box) error {
		first := b.Col * bits
		begin, end := first/8, ((b.Col+b.Cols)*bits+7)/8
		src, err := p.bytes(Box{b.Row, b.Rows, begin, end - begin})
		if err != nil {
			return err
		}
		for row := range b.Rows {
			line := dst[row*b.Cols:][:b.Cols]
			unpack(line, src[row*(end-begin):][:end-begin], int(first%8), int(bits))
			if less != 0 {
				for i := range line {
					line[i] -= less
				}
			}
		}
		return nil
	}
}

// Words returns integers that are packed into 32-bit words, as many as fit into each word, lowest bits first.
func Words(p Part, bits int64, less float32) Fill {
	per := 32 / bits
	return func(dst []float32, b Box) error {
		begin, end := b.Col/per, (b.Col+b.Cols+per-1)/per
		src, err := p.bytes(Box{b.Row, b.Rows, 4 * begin, 4 * (end - begin)})
		if err != nil {
			return err
		}
		mask := uint32(1)<<bits - 1
		for row := range b.Rows {
			line, words := dst[row*b.Cols:][:b.Cols], src[row*4*(end-begin):]
			for i := range line {
				c := b.Col + int64(i)
				line[i] = float32(word(words, c/per-begin)>>(c%per*bits)&mask) - less
			}
		}
		return nil
	}
}

// word returns a little-endian word.
func word(b []byte, i int64) uint32 {
	b = b[4*i:][:4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// unpack fills dst with integers of so many bits, at most 8, from a bit of the first byte of src on.
func unpack(dst []float32, src []byte, first, bits int) {
	switch {
	case bits == 8:
		for i := range dst {
			dst[i] = float32(src[i])
		}
		return
	case bits == 4 && first == 0:
		n := len(dst) / 2
		for i, x := range src[:n] {
			dst[2*i], dst[2*i+1] = float32(x&15), float32(x>>4)
		}
		if len(dst)%2 > 0 {
			dst[2*n] = float32(src[n] & 15)
		}
		return
	}
	mask := uint64(1)<<bits - 1
	var have uint64 // the next bits, so many
	n := 0
	if len(src) > 0 {
		have, n, src = uint64(src[0])>>first, 8-first, src[1:]
	}
	for i := range dst {
		for n < bits {
			have, n, src = have|uint64(src[0])<<n, n+8, src[1:]
		}
		dst[i] = float32(have & mask)
		have, n = have>>bits, n-bits
	}
}

// Lookup returns the values of a table for the integers of a fill, which are below its length.
func Lookup(of Fill, table []float32) Fill {
	return func(dst []float32, b Box) error {
		if err := of(dst, b); err != nil {
			return err
		}
		for i, x := range dst {
			dst[i] = table[int(x)]
		}
		return nil
	}
}

// High returns integers of 4 bits in each row of p, two to a byte, the first in the high half.
func High(p Part) Fill {
	return func(dst []float32, b Box) error {
		begin, end := b.Col/2, (b.Col+b.Cols+1)/2
		src, err := p.bytes(Box{b.Row, b.Rows, begin, end - begin})
		if err != nil {
			return err
		}
		for row := range b.Rows {
			line, packed := dst[row*b.Cols:][:b.Cols], src[row*(end-begin):]
			for i := range line {
				c := int(b.Col%2) + i
				line[i] = float32(packed[c/2] >> (4 * (1 - c%2)) & 15)
			}
		}
		return nil
	}
}

// Planes returns a row of integers that are not next to each other: the bytes or words of p, in a single row, hold one
// integer of each of several planes, which follow each other. Shifts has the lowest bit of each plane.
func Planes(p Part, bits int, shifts []int) Fill {
	mask, width := uint32(1)<<bits-1, p.t.Dtype.Bits()/8
	return func(dst []float32, b Box) error {
		for n := int64(0); n < b.Cols; {
			plane, at := (b.Col+n)/p.Cols, (b.Col+n)%p.Cols
			k := min(b.Cols-n, p.Cols-at)
			src, err := p.bytes(Box{0, 1, at, k})
			if err != nil {
				return err
			}
			shift := shifts[plane]
			for i := range k {
				x := uint32(src[i*int64(width)])
				if width == 4 {
					x = word(src, i)
				}
				dst[n+i] = float32(x >> shift & mask)
			}
			n += k
		}
		return nil
	}
}
