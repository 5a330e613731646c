// The block: literals, and matches with what was before.

package lz4

import "encoding/binary"

// appendBlock appends what a block unpacks to, at most most bytes. Matches may refer
// to what is in out already.
//
// A block is sequences: a token, of which the upper half is the number of literals
// and the lower that of bytes to repeat, less four; 15 goes on in bytes that are
// added, up to one that is not 255. Then the literals, and in two bytes how far back
// the match is. The last sequence ends with its literals.
func appendBlock(out, packed []byte, most int) ([]byte, error) {
	limit := len(out) + most
	for len(packed) > 0 {
		token := packed[0]
		n, rest, ok := number(int(token>>4), packed[1:])
		if !ok || n > len(rest) || len(out)+n > limit {
			return out, errData
		}
		out, packed = append(out, rest[:n]...), rest[n:]
		if len(packed) == 0 {
			return out, nil
		}
		if len(packed) < 2 {
			return out, errData
		}
		distance := int(binary.LittleEndian.Uint16(packed))
		n, packed, ok = number(int(token&15), packed[2:])
		n += 4
		if !ok || distance == 0 || distance > len(out) || len(out)+n > limit {
			return out, errData
		}
		for from := len(out) - distance; n > 0; from, n = from+1, n-1 {
			out = append(out, out[from])
		}
	}
	return out, nil
}

// number returns a number of which n is the half byte, and what follows it.
func number(n int, b []byte) (int, []byte, bool) {
	if n < 15 {
		return n, b, true
	}
	for i, c := range b {
		if n += int(c); c != 255 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}
