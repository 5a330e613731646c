// Headers: one block each, in which numbers are octal digits.

package tarwalk

import (
	"bytes"
	"strconv"
)

// A header is what a block says of the content behind it.
type header struct {
	name, link string
	kind       byte
	size       int64 // -1 if it is no number
}

// parse reads a header. It returns false if the block is none: by its checksum, the
// sum of its bytes in which those of the checksum count as spaces. Old writers took
// bytes for signed.
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
	// Only ustar has a prefix; GNU's own magic is "ustar " and has other fields there.
	if prefix := text(b[345:500]); string(b[257:263]) == "ustar\x00" && prefix != "" {
		h.name = prefix + "/" + h.name
	}
	return h, true
}

// text returns a field up to its first zero byte.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// number returns a number in octal digits between spaces and zero bytes, or by GNU
// in base 256 after a byte of 0x80. It returns -1 if there is none.
func number(b []byte) int64 {
	if b[0]&0x80 != 0 {
		n := int64(b[0] & 0x7f)
		for _, c := range b[1:] {
			if n > 1<<54 || b[0]&0x40 != 0 { // too large, or negative
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
