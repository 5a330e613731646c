// Encodings: Python also reads JSON in UTF-16 and UTF-32.

package config

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// An encoding is a Unicode encoding with its byte order.
type encoding struct {
	mark  string // the byte order mark, or ""
	width int    // size of a code unit in bytes
	order binary.ByteOrder
}

// encodingOf detects the encoding of a text as json.loads does: by its byte order mark, or by
// the zeros among its first four bytes, since JSON begins with two ASCII characters.
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

// UTF8 converts a text to UTF-8 from the encoding it detects. Invalid characters become
// U+FFFD, and an incomplete code unit at the end is dropped.
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
