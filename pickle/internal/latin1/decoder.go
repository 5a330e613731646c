// Encodings of bytes as characters.

package latin1

import "strconv"

// A decoder returns the byte that the first character of a text that is not empty encodes, and the length of the
// character. The length is 0 if the character may go on behind the text, and -1 if it encodes no byte.
type decoder func(text []byte) (b byte, width int)

// utf8Char decodes UTF-8.
func utf8Char(text []byte) (byte, int) {
	switch {
	case text[0] < 0x80:
		return text[0], 1
	case text[0]&^1 != 0xc2:
		return 0, -1
	case len(text) == 1:
		return 0, 0
	case text[1]&0xc0 != 0x80:
		return 0, -1
	}
	return text[0]<<6 | text[1]&0x3f, 2
}

// rawChar decodes Latin-1 with escapes of a backslash, u and four digits, which picklers write for a backslash, too.
func rawChar(text []byte) (byte, int) {
	if text[0] != '\\' {
		return text[0], 1
	}
	return hex(text, "\\u00")
}

// quotedChar decodes the escapes that repr writes in Python 2.
func quotedChar(text []byte) (byte, int) {
	if text[0] != '\\' {
		return text[0], 1
	}
	if len(text) == 1 {
		return 0, 0
	}
	switch text[1] {
	case '\\', '\'', '"':
		return text[1], 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	}
	return hex(text, "\\x")
}

// hex decodes an escape with the given prefix and two hexadecimal digits.
func hex(text []byte, prefix string) (byte, int) {
	n := len(prefix) + 2
	if len(text) < n {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(text[len(prefix):n]), 16, 8)
	if err != nil || string(text[:len(prefix)]) != prefix {
		return 0, -1
	}
	return byte(v), n
}
