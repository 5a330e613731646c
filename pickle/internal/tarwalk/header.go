// Headers of one block, with numbers in octal digits.

package tarwalk

import (
	"bytes"
	"strconv"
)

// A header is a parsed header block.
type header struct {
	name, link string
	kind       byte
	size       int64 // -1 if it is invalid
}

// parse parses a header; ok is false if the checksum is wrong. The checksum is the sum of all bytes, with its own bytes
// counted as spaces. Old writers summed signed bytes.
func parse(b []byte) (*header, bool) {
	const sumBegin, sumEnd = 148, 156
	want := number(b[sumBegin:sumEnd])
	var unsigned, signed int64
	for i, c := range b {
		if i >= sumBegin && i < sumEnd {
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c))
	}
	if want != unsigned && want != signed {
		return nil, false
	}
	h := &header{name: text(b[:100]), size: number(b[124:136]), kind: b[156], link: text(b[157:257])}
	// Only ustar has a prefix. GNU's magic is "ustar ", with other fields at this place.
	if prefix := text(b[345:500]); string(b[257:263]) == "ustar\x00" && prefix != "" {
		h.name = prefix + "/" + h.name
	}
	return h, true
}

// text returns a field up to its first NUL.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// number parses octal digits between spaces and NULs, or GNU's base 256 after a byte of 0x80. It returns -1 for an
// invalid number.
func number(b []byte) int64 {
	if b[0]&0x80 != 0 {
		n := int64(b[0] & 0x7f)
		for _, c := range b[1:] {
			if n > 1<<54 || b[0]&0x40 != 0 { // too large or negative
				return -1
			}
			n = n<<8 | int64(c)
		}
		return n
	}
	digits := bytes.Trim(b, " \x00")
	if len(digits) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(digits), 8, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
