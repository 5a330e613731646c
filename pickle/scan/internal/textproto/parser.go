// Names and values in texts.

package textproto

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A parser is the state of reading a text.
type parser struct {
	text  []byte
	at    int
	stack []open
}

// fail returns an error at the current place.
func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("at byte %d: %s", p.at, fmt.Sprintf(format, args...))
}

// peek returns the first byte after spaces and comments, or 0 at the end.
func (p *parser) peek() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n', '\v', '\f':
		case '#':
			for p.at+1 < len(p.text) && p.text[p.at+1] != '\n' {
				p.at++
			}
		default:
			return c
		}
	}
	return 0
}

// name reads the name of a field, or of an extension in brackets, and a colon.
func (p *parser) name() error {
	top := p.top()
	f := Field{}
	switch c := p.peek(); {
	case c == '[':
		end := bytes.IndexByte(p.text[p.at:min(len(p.text), p.at+maxName)], ']')
		if end < 0 {
			return p.fail("the name of an extension has no end")
		}
		p.at += end + 1
	default:
		word := p.word()
		if word == "" {
			return p.fail("want the name of a field")
		}
		f = top.Message[word]
	}
	top.field = &f
	if p.peek() == ':' {
		p.at++
	}
	return nil
}

// maxName is the number of bytes in which the name of an extension must end.
const maxName = 1000

// word reads a name or a number.
func (p *parser) word() string {
	begin := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '+' {
			p.at++
			continue
		}
		break
	}
	return string(p.text[begin:p.at])
}

// value reads a number, the name of a value, or strings, which are concatenated.
func (p *parser) value(to *open) error {
	f := to.field
	if c := p.peek(); c == '"' || c == '\'' {
		var s []byte
		for ; c == '"' || c == '\''; c = p.peek() {
			part, err := p.quoted(c)
			if err != nil {
				return err
			}
			s = append(s, part...)
		}
		if f.Num > 0 && !to.skipped {
			to.add(f.Num, s)
		}
		return nil
	}
	word := p.word()
	if word == "-" && p.peek() != 0 {
		word += p.word()
	}
	if word == "" {
		return p.fail("want a value")
	}
	if f.Num == 0 || to.skipped {
		return nil
	}
	v, ok := f.Values[word]
	if !ok {
		if n, err := strconv.ParseInt(word, 0, 64); err == nil {
			v = uint64(n)
		}
	}
	to.bytes = binary.AppendUvarint(to.bytes, uint64(f.Num)<<3)
	to.bytes = binary.AppendUvarint(to.bytes, v)
	return nil
}

// quoted reads a string.
func (p *parser) quoted(quote byte) (s []byte, err error) {
	p.at++
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == quote:
			return s, nil
		case c == '\n':
			return nil, p.fail("a string has no end")
		case c != '\\':
			s = append(s, c)
		case p.at < len(p.text):
			if s, err = p.escape(s); err != nil {
				return nil, err
			}
		}
	}
	return nil, p.fail("a string has no end")
}

// escape appends the character of an escape, whose backslash was read.
func (p *parser) escape(s []byte) ([]byte, error) {
	c := p.text[p.at]
	if c >= '0' && c <= '7' {
		v := p.digits(3, 8)
		return append(s, byte(v)), nil
	}
	p.at++
	if i := strings.IndexByte(`abfnrtv\'"?`, c); i >= 0 {
		return append(s, "\a\b\f\n\r\t\v\\'\"?"[i]), nil
	}
	switch c {
	case 'x', 'X':
		return append(s, byte(p.digits(2, 16))), nil
	case 'u':
		return utf8.AppendRune(s, rune(p.digits(4, 16))), nil
	case 'U':
		return utf8.AppendRune(s, rune(p.digits(8, 16))), nil
	}
	return nil, p.fail("a string has the unknown escape %q", `\`+string(rune(c)))
}

// digits reads a number of at most n digits.
func (p *parser) digits(n, base int) uint64 {
	begin := p.at
	v := uint64(0)
	for p.at < len(p.text) && p.at < begin+n {
		d, err := strconv.ParseUint(string(p.text[p.at:p.at+1]), base, 8)
		if err != nil {
			break
		}
		v = v*uint64(base) + d
		p.at++
	}
	return v
}
