// JSON, read in blocks.

package settings

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// JSON passes the values of JSON texts, one after another, to its Walker. Unlike package jsonscan,
// it reads texts of any size, in blocks, and invalid texts as far as they resemble JSON, because
// other readers are lenient, too.
type JSON struct {
	Walker
	Invalid bool // whether the text is not valid JSON
	Values  int  // number of values that are within no other
	TooLong bool // whether a string is longer than MaxString

	off     int64  // offset of the current block
	nesting []byte // brackets that are open
	want    expected
	mode    mode
	buf     []byte // of the current string or word
	begin   int64  // its offset
	digits  int    // pending digits of an escape
	code    rune   // value of its digits
	high    rune   // the first half of a surrogate pair
}

// expected is what the grammar expects next.
type expected uint8

// What may come next.
const (
	wantValue expected = iota
	wantValueOrEnd
	wantKey
	wantKeyOrEnd
	wantColon
	wantComma
)

// A mode says what a byte is a part of.
type mode uint8

// The modes.
const (
	between mode = iota
	inString
	inEscape
	inUnicode
	inWord
)

// Write reads the next block. The first one begins with the text, or with a byte order mark.
func (j *JSON) Write(b []byte) {
	i := 0
	if mark := []byte("\ufeff"); j.off == 0 && bytes.HasPrefix(b, mark) {
		i = len(mark)
	}
	for ; i < len(b); i++ {
		switch c := b[i]; j.mode {
		case inString:
			n := bytes.IndexAny(b[i:], "\"\\")
			if n < 0 {
				n = len(b) - i
			}
			if n > 0 { // the halves of a surrogate pair follow each other
				j.add(b[i : i+n])
			}
			if i += n; i < len(b) {
				j.stringEnd(b[i])
			}
		case inEscape:
			j.escape(c)
		case inUnicode:
			j.digit(c)
		case inWord:
			if isWord(c) {
				j.add(b[i : i+1])
				continue
			}
			j.word()
			j.between(c, j.off+int64(i))
		default:
			j.between(c, j.off+int64(i))
		}
	}
	j.off += int64(len(b))
}

// End ends the text.
func (j *JSON) End() {
	if j.mode == inWord {
		j.word()
	}
	if j.mode != between || len(j.nesting) > 0 || j.want == wantColon {
		j.Invalid = true
	}
	for len(j.nesting) > 0 {
		j.leave()
	}
}

// isWord reports whether c may be in a number or a word such as true.
func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '+' || c == '.' || c == '_'
}

// between reads a byte that is in no string.
func (j *JSON) between(c byte, at int64) {
	j.mode = between
	switch c {
	case ' ', '\t', '\r', '\n':
	case '"':
		j.mode, j.buf, j.begin, j.high = inString, j.buf[:0], at, 0
	case '{', '[':
		j.value()
		j.opened(c, at)
	case '}', ']':
		j.closed(c)
	case ',':
		if j.want != wantComma || len(j.nesting) == 0 {
			j.Invalid = true
		}
		j.want = wantValue
		if j.inObject() {
			j.want = wantKey
		}
	case ':':
		if j.want != wantColon {
			j.Invalid = true
		}
		j.want = wantValue
	default:
		if !isWord(c) {
			j.Invalid = true
			return
		}
		j.mode, j.buf, j.begin = inWord, append(j.buf[:0], c), at
	}
}

// inObject reports whether the innermost open value is an object.
func (j *JSON) inObject() bool { return len(j.nesting) > 0 && j.nesting[len(j.nesting)-1] == '{' }

// value records that a value begins.
func (j *JSON) value() {
	if j.want != wantValue && j.want != wantValueOrEnd && !(j.want == wantComma && len(j.nesting) == 0) {
		j.Invalid = true
	}
	if len(j.nesting) == 0 {
		j.Values++
	}
	j.want = wantComma
}

// opened begins an object or an array.
func (j *JSON) opened(c byte, at int64) {
	j.nesting = append(j.nesting, c)
	if len(j.nesting) <= MaxDepth {
		j.Open(c == '{', at)
	} else {
		j.TooDeep = true
	}
	j.want = wantValueOrEnd
	if c == '{' {
		j.want = wantKeyOrEnd
	}
}

// closed ends an object or an array.
func (j *JSON) closed(c byte) {
	if j.want != wantComma && j.want != wantKeyOrEnd && j.want != wantValueOrEnd {
		j.Invalid = true
	}
	if n := len(j.nesting); n == 0 || j.nesting[n-1] != c-2 {
		j.Invalid = true
		if n == 0 {
			return
		}
	}
	j.leave()
}

// leave leaves the innermost open value.
func (j *JSON) leave() {
	if len(j.nesting) <= MaxDepth {
		j.Close()
	}
	j.nesting = j.nesting[:len(j.nesting)-1]
	j.want = wantComma
}

// add appends bytes to the current string or word.
func (j *JSON) add(b []byte) {
	if len(j.buf)+len(b) > MaxString {
		j.TooLong = true
		b = b[:max(0, MaxString-len(j.buf))]
	}
	if j.mode == inString && !j.Invalid {
		for _, c := range b {
			if c < ' ' {
				j.Invalid = true
			}
		}
	}
	j.buf = append(j.buf, b...)
	j.high = 0
}

// stringEnd reads a quotation mark or a backslash in a string.
func (j *JSON) stringEnd(c byte) {
	if c == '\\' {
		j.mode = inEscape
		return
	}
	j.mode = between
	if j.want == wantKey || j.want == wantKeyOrEnd {
		j.want = wantColon
		j.Key(j.buf, j.begin)
		return
	}
	j.value()
	j.Value(j.buf, true, j.begin)
}

// word reads a number or a word such as true.
func (j *JSON) word() {
	j.mode = between
	switch c := j.buf[0]; string(j.buf) {
	case "true", "false", "null", "NaN", "Infinity", "-Infinity":
	default:
		if c != '-' && (c < '0' || c > '9') || bytes.IndexByte(j.buf, '_') >= 0 {
			j.Invalid = true
		}
	}
	if j.want == wantKey || j.want == wantKeyOrEnd { // of JSON5
		j.Invalid = true
		j.want = wantColon
		j.Key(j.buf, j.begin)
		return
	}
	j.value()
	j.Value(j.buf, false, j.begin)
}

// escape reads the letter of an escape.
func (j *JSON) escape(c byte) {
	j.mode = inString
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		j.mode, j.digits, j.code = inUnicode, 4, 0
		return
	default:
		j.Invalid = true
	}
	j.buf = append(j.buf, jsonscan.Control(c))
	j.high = 0
}

// digit reads a digit of an escape.
func (j *JSON) digit(c byte) {
	switch {
	case '0' <= c && c <= '9':
		j.code = j.code<<4 | rune(c-'0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		j.code = j.code<<4 | rune(c|0x20-'a'+10)
	default:
		j.Invalid = true
	}
	if j.digits--; j.digits > 0 {
		return
	}
	j.mode = inString
	if len(j.buf) >= MaxString {
		j.TooLong = true
		return
	}
	if j.high != 0 && utf16.IsSurrogate(j.code) {
		if r := utf16.DecodeRune(j.high, j.code); r != utf8.RuneError {
			j.buf = utf8.AppendRune(j.buf[:len(j.buf)-len("\ufffd")], r)
			j.high = 0
			return
		}
	}
	j.high = 0
	if utf16.IsSurrogate(j.code) {
		j.high = j.code
	}
	j.buf = utf8.AppendRune(j.buf, j.code)
}
