// Strings with escapes, as the C loader of Python parses them.

package pylit

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// String parses the line of a STRING opcode: a quoted literal with C escapes. odd reports whether no pickler writes it
// this way, for example with a byte that repr would escape.
func String(line []byte) (value []byte, odd, ok bool) {
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' {
		return nil, true, false
	}
	quote, s := line[0], line[1:len(line)-1]
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		i++
		if c != '\\' {
			odd = odd || c == quote || c < ' ' || c > '~'
			out = append(out, c)
			continue
		}
		if i == len(s) { // trailing backslash
			return nil, true, false
		}
		n := 0
		out, n, ok = escape(out, s[i:])
		if !ok {
			return nil, true, false
		}
		i += n
	}
	return out, odd, true
}

// simple maps the one-letter escapes.
var simple = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'b': '\b', 'f': '\f', 't': '\t', 'n': '\n', 'r': '\r', 'v': '\v', 'a': '\a',
}

// escape appends the value of the escape at the start of s, after the backslash. It returns the number of bytes used.
func escape(out, s []byte) ([]byte, int, bool) {
	switch c := s[0]; {
	case c == '\n':
		return out, 1, true
	case simple[c] != 0:
		return append(out, simple[c]), 1, true
	case c >= '0' && c <= '7':
		v, n := 0, 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			v, n = v*8+int(s[n]-'0'), n+1
		}
		return append(out, byte(v)), n, true
	case c == 'x':
		if len(s) < 3 {
			return nil, 0, false
		}
		v, err := strconv.ParseUint(string(s[1:3]), 16, 8)
		return append(out, byte(v)), 3, err == nil
	default: // an unknown escape is kept
		return append(out, '\\', c), 1, true
	}
}

// RawUnicode parses the line of a UNICODE opcode in the encoding raw-unicode-escape: Latin-1 with escapes of a
// backslash, u and four hex digits, or U and eight. The value is UTF-8 with surrogates encoded like other characters.
func RawUnicode(line []byte) (value []byte, ok bool) {
	if plainASCII(line) {
		return line, true
	}
	out := make([]byte, 0, len(line)+len(line)/2)
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c != '\\' || i+1 == len(line) {
			out = appendRune(out, rune(c))
			continue
		}
		i++
		n := map[byte]int{'u': 4, 'U': 8}[line[i]]
		if n == 0 {
			out = appendRune(append(out, '\\'), rune(line[i]))
			continue
		}
		if len(line)-i-1 < n {
			return nil, false
		}
		v, err := strconv.ParseUint(string(line[i+1:i+1+n]), 16, 32)
		if err != nil || v > utf8.MaxRune {
			return nil, false
		}
		out = appendRune(out, rune(v))
		i += n
	}
	return out, true
}

// plainASCII reports whether s is ASCII without escapes.
func plainASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// appendRune appends r in UTF-8, even if it is a surrogate.
func appendRune(out []byte, r rune) []byte {
	if r >= 0xd800 && r < 0xe000 {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

// ValidUTF8 reports whether s is valid UTF-8, allowing encoded surrogates as Python's "surrogatepass" does.
func ValidUTF8(s []byte) bool {
	for len(s) > 0 {
		if utf8.Valid(s) {
			return true
		}
		i := bytes.IndexByte(s, 0xed)
		if i < 0 || len(s) < i+3 || s[i+1]&0xc0 != 0x80 || s[i+2]&0xc0 != 0x80 || !utf8.Valid(s[:i]) {
			return false
		}
		s = s[i+3:]
	}
	return true
}
