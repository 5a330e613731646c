// The LZ4 block format: sequences of literals and matches.

package lz4

import "encoding/binary"

// appendBlock appends at most most decompressed bytes to out. Matches can refer to data already in out.
//
// A block is a list of sequences: a token, literals, and a match distance in two bytes. The upper half of the token is
// the number of literals, the lower half the match length minus four; a value of 15 is extended by the bytes that
// follow, up to the first that is not 255. The last sequence has no match.
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

// number returns a length whose half byte is n, extended by bytes from b, and the rest of b.
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
