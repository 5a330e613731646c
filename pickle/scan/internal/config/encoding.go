// Encodings: texts in UTF-16 and UTF-32, which Python reads as it does UTF-8.

package config

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// An encoding is how the characters of a text are written.
type encoding struct {
	mark  string // before the text, or ""
	width int    // bytes of a unit
	order binary.ByteOrder
}

// encodingOf tells the encoding of a text as json.loads does: by its mark, or by where the
// zeros are among its first four bytes, since JSON begins with two characters of ASCII.
func encodingOf(b []byte) encoding {
	for _, e := range [...]encoding{
		{"\xff\xfe\x00\x00", 4, binary.LittleEndian}, {"\x00\x00\xfe\xff", 4, binary.BigEndian},
		{"\xff\xfe", 2, binary.LittleEndian}, {"\xfe\xff", 2, binary.BigEndian}, {"\xef\xbb\xbf", 1, nil},
	} {
		if bytes.HasPrefix(b, []byte(e.mark)) {
			return e
		}
	}
	switch {
	case len(b) < 2 || b[0] != 0 && b[1] != 0:
	case len(b) < 4 || b[0] == 0 && b[1] != 0:
		if b[0] == 0 {
			return encoding{"", 2, binary.BigEndian}
		}
		return encoding{"", 2, binary.LittleEndian}
	case b[0] == 0:
		return encoding{"", 4, binary.BigEndian}
	case b[2] != 0 || b[3] != 0:
		return encoding{"", 2, binary.LittleEndian}
	default:
		return encoding{"", 4, binary.LittleEndian}
	}
	return encoding{"", 1, nil}
}

// UTF8 returns a text in UTF-8, whatever its encoding. What is no character becomes
// U+FFFD, and half a unit at the end is left out.
func UTF8(b []byte) []byte {
	e := encodingOf(b)
	b = b[len(e.mark):]
	if e.width == 1 {
		return b
	}
	text := make([]byte, 0, len(b)/e.width+len(b)/8)
	for ; len(b) >= e.width; b = b[e.width:] {
		if e.width == 4 {
			text = utf8.AppendRune(text, rune(min(e.order.Uint32(b), utf8.MaxRune+1)))
			continue
		}
		r := rune(e.order.Uint16(b))
		if utf16.IsSurrogate(r) && len(b) >= 4 {
			if pair := utf16.DecodeRune(r, rune(e.order.Uint16(b[2:]))); pair != utf8.RuneError {
				r, b = pair, b[2:]
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return text
}
