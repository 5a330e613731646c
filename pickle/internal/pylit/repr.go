// Values formatted as Python's repr does.

package pylit

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendBytes appends b as repr formats bytes, for example b'\x80\x02.'.
func AppendBytes(out, b []byte) []byte {
	quote := quoteFor(b)
	out = append(out, 'b', quote)
	for _, c := range b {
		out = appendByte(out, c, quote)
	}
	return append(out, quote)
}

// AppendString appends a string as repr formats it. s is UTF-8 with surrogates encoded like other characters; invalid
// bytes are escaped as \xNN.
func AppendString(out, s []byte) []byte {
	quote := quoteFor(s)
	out = append(out, quote)
	for len(s) > 0 {
		if s[0] < utf8.RuneSelf {
			out = appendByte(out, s[0], quote)
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRune(s)
		surrogate := len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] < 0xc0 && s[2]&0xc0 == 0x80
		if r == utf8.RuneError && n == 1 && surrogate {
			r, n = rune(s[0]&0xf)<<12|rune(s[1]&0x3f)<<6|rune(s[2]&0x3f), 3
		}
		switch {
		case r == utf8.RuneError && n == 1:
			out = appendHex(append(out, '\\', 'x'), uint32(s[0]), 2)
		case unicode.IsPrint(r) && n > 1:
			out = append(out, s[:n]...)
		case r < 0x100:
			out = appendHex(append(out, '\\', 'x'), uint32(r), 2)
		case r < 0x10000:
			out = appendHex(append(out, '\\', 'u'), uint32(r), 4)
		default:
			out = appendHex(append(out, '\\', 'U'), uint32(r), 8)
		}
		s = s[n:]
	}
	return append(out, quote)
}

// AppendLatin1 appends the Latin-1 string b as repr formats it.
func AppendLatin1(out, b []byte) []byte {
	s := make([]byte, 0, len(b)+8)
	for _, c := range b {
		s = utf8.AppendRune(s, rune(c))
	}
	return AppendString(out, s)
}

// quoteFor returns the quote character that repr chooses.
func quoteFor(b []byte) byte {
	if strings.Contains(string(b), "'") && !strings.Contains(string(b), `"`) {
		return '"'
	}
	return '\''
}

// appendByte appends a byte of ASCII, or any byte of a bytes literal.
func appendByte(out []byte, c, quote byte) []byte {
	switch {
	case c == quote || c == '\\':
		return append(out, '\\', c)
	case c == '\t':
		return append(out, `\t`...)
	case c == '\n':
		return append(out, `\n`...)
	case c == '\r':
		return append(out, `\r`...)
	case c < ' ' || c > '~':
		return appendHex(append(out, '\\', 'x'), uint32(c), 2)
	}
	return append(out, c)
}

// appendHex appends v in hexadecimal with the given number of digits.
func appendHex(out []byte, v uint32, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		out = append(out, "0123456789abcdef"[v>>(4*i)&0xf])
	}
	return out
}

// AppendFloat appends f as repr formats it: the shortest digits that parse to f, with an exponent below 1e-4 and from
// 1e16.
func AppendFloat(out []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(out, "nan"...)
	case math.IsInf(f, 1):
		return append(out, "inf"...)
	case math.IsInf(f, -1):
		return append(out, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(out, f, 'e', -1, 64)
	}
	start := len(out)
	out = strconv.AppendFloat(out, f, 'f', -1, 64)
	if !strings.Contains(string(out[start:]), ".") {
		out = append(out, ".0"...)
	}
	return out
}
