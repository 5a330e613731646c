// Strings: scanned eight bytes at a time, unescaped in place, and written.

package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A Str is the position of a string in the text, without its quotes.
type Str struct {
	Begin, End int
	Escaped    bool // it contains escapes, see Unescape
}

const (
	lows  = 0x0101010101010101 // 1 in every byte
	highs = 0x8080808080808080 // the high bit of every byte
)

// special returns a word whose lowest set bit is in the lowest special byte of w: a quote, a
// backslash, a control character, or a byte above ASCII. It returns 0 if there is none.
//
// Subtracting sets the high bit of a byte that is less than the subtrahend. A byte that had the
// bit already is above ASCII. A borrow can set the bit of higher bytes by mistake, but not of
// lower ones, and only the lowest one counts.
func special(w uint64) uint64 {
	quote := w ^ lows*'"'
	slash := w ^ lows*'\\'
	return ((quote - lows) | (slash - lows) | (w - lows*0x20) | w) & highs
}

// plain returns the offset of the first special byte from i on. Because it reads eight bytes at
// once, it stops before the last seven bytes of b.
func plain(b []byte, i int) int {
	for i+16 <= len(b) {
		w := b[i : i+16]
		if m := special(binary.LittleEndian.Uint64(w)); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		if m := special(binary.LittleEndian.Uint64(w[8:])); m != 0 {
			return i + 8 + bits.TrailingZeros64(m)/8
		}
		i += 16
	}
	if i+8 <= len(b) {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	return i
}

// Str reads a string and validates its escapes.
func (s *Scanner) Str() (Str, error) {
	if s.pos >= len(s.buf) || s.buf[s.pos] != '"' {
		if s.space(); s.pos >= len(s.buf) || s.buf[s.pos] != '"' {
			return Str{}, s.unexpected("a string")
		}
	}
	str := Str{Begin: s.pos + 1}
	i := s.pos + 1
	for {
		i = plain(s.buf, i)
		if i >= len(s.buf) {
			s.pos = len(s.buf)
			return str, s.errorf("expected '\"' at the end of the string from byte %d, found the end", str.Begin-1)
		}
		switch c := s.buf[i]; {
		case c == '"':
			s.pos = i + 1
			str.End = i
			return str, nil
		case c == '\\':
			n, err := s.escape(i)
			if err != nil {
				return str, err
			}
			str.Escaped = true
			i += n
		case c < 0x20:
			s.pos = i
			return str, s.errorf("a control character %q in a string, where an escape is due", c)
		default:
			s.NonASCII = s.NonASCII || c >= 0x80
			i++
		}
	}
}

// escape validates the escape at offset i and returns its length. A surrogate pair counts as one
// escape.
func (s *Scanner) escape(i int) (int, error) {
	if i+1 < len(s.buf) {
		switch s.buf[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return 2, nil
		case 'u':
			return s.unicodeEscape(i)
		}
	}
	s.pos = min(i+1, len(s.buf))
	return 0, s.unexpected(`one of "\/bfnrtu after a backslash`)
}

func (s *Scanner) unicodeEscape(i int) (int, error) {
	r, ok := hex4(s.buf, i+2)
	if !ok {
		s.pos = i
		return 0, s.errorf("expected four hexadecimal digits after \\u")
	}
	if r < 0xd800 || r > 0xdfff {
		return 6, nil
	}
	if r < 0xdc00 && i+8 <= len(s.buf) && s.buf[i+6] == '\\' && s.buf[i+7] == 'u' {
		if low, ok := hex4(s.buf, i+8); ok && low >= 0xdc00 && low <= 0xdfff {
			return 12, nil
		}
	}
	s.pos = i
	return 0, s.errorf("half of a surrogate pair, \\u%04x, without the other half", r)
}

// hex4 returns the value of the four hexadecimal digits at b[i:].
func hex4(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Unescape replaces the escapes in b, the bytes of a Str, in place. The result is never longer, and
// large strings need no additional memory.
func Unescape(b []byte) []byte {
	w := 0
	for r := 0; r < len(b); {
		c := b[r]
		if c != '\\' {
			b[w] = c
			r, w = r+1, w+1
			continue
		}
		if c = b[r+1]; c == 'u' {
			v, _ := hex4(b, r+2)
			r += 6
			if v >= 0xd800 && v <= 0xdfff {
				low, _ := hex4(b, r+2)
				r += 6
				v = 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
			}
			w += utf8.EncodeRune(b[w:], v)
			continue
		}
		b[w] = Control(c)
		r, w = r+2, w+1
	}
	return b[:w]
}

// Control returns the control character of an escape such as \n by its letter, and c itself for
// escapes that have no such letter.
func Control(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// AppendString appends s as a JSON string to b, with the escapes of the reference implementation.
// encoding/json also escapes <, >, & and U+2028.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	const short = "btn\x00fr" // \b to \r, without \v
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= '\b' && c <= '\r' && c != '\v':
			b = append(b, '\\', short[c-'\b'])
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// InvalidUTF8 returns the offset of the first byte of b that is not valid UTF-8, or the length of
// b.
func InvalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return len(b)
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}
