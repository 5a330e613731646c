// Directives, tags and anchors.

package yaml

import (
	"strings"
	"unicode/utf8"
)

// directive scans a line that begins with "%".
func (s *scanner) directive() {
	t := token{kind: otherDirective, at: s.pos}
	s.forward(1)
	n := s.word(0)
	name := string(s.text[s.pos : s.pos+n])
	s.forward(n)
	if n == 0 || !s.spaceAt(0) {
		s.fail(t.at, "a directive has an invalid name")
		return
	}
	switch name {
	case "YAML":
		t.kind = yamlDirective
		s.spaces()
		t.text = s.digits(t.at)
		if s.peek(0) != '.' {
			s.fail(t.at, "the version of YAML is invalid")
		}
		s.forward(1)
		if s.digits(t.at); !s.spaceAt(0) {
			s.fail(t.at, "the version of YAML is invalid")
		}
	case "TAG":
		t.kind = tagDirective
		s.spaces()
		if t.handle = s.handle(t.at); s.peek(0) != ' ' {
			s.fail(t.at, "a tag directive has no prefix")
		}
		s.spaces()
		if t.text = []byte(s.uri(t.at)); !s.spaceAt(0) {
			s.fail(t.at, "a tag directive has an invalid prefix")
		}
	default:
		for !s.endsAt(0) {
			s.forward(1)
		}
	}
	s.spaces()
	s.comment()
	if !s.endsAt(0) {
		s.fail(t.at, "a directive is followed by text")
	}
	s.newLine()
	s.push(t)
}

// digits scans a number.
func (s *scanner) digits(start int) []byte {
	n := 0
	for '0' <= s.peek(n) && s.peek(n) <= '9' {
		n++
	}
	if n == 0 {
		s.fail(start, "the version of YAML is invalid")
	}
	b := s.text[s.pos : s.pos+n]
	s.forward(n)
	return b
}

// anchor scans an anchor or an alias.
func (s *scanner) anchor() {
	t := token{kind: either(s.peek(0) == '*', aliasToken, anchorToken), at: s.pos}
	s.forward(1)
	n := s.word(0)
	t.text = s.text[s.pos : s.pos+n]
	s.forward(n)
	if n == 0 || !s.blankAt(0) && strings.IndexByte("?:,]}%@`", s.peek(0)) < 0 {
		s.fail(t.at, "an anchor or alias has an invalid name")
		return
	}
	s.push(t)
}

// tag scans a tag.
func (s *scanner) tag() {
	t := token{kind: tagToken, at: s.pos}
	switch {
	case s.peek(1) == '<':
		s.forward(2)
		t.text = []byte(s.uri(t.at))
		if s.peek(0) != '>' {
			s.fail(t.at, "a tag is not closed")
		}
		s.forward(1)
	case s.blankAt(1):
		t.text = []byte("!")
		s.forward(1)
	default:
		n := 1
		for s.peek(n) != '!' && !s.spaceAt(n) {
			n++
		}
		if t.handle = "!"; s.peek(n) == '!' {
			t.handle = s.handle(t.at)
		} else {
			s.forward(1)
		}
		t.text = []byte(s.uri(t.at))
	}
	if !s.spaceAt(0) {
		s.fail(t.at, "a tag has an invalid character")
		return
	}
	s.push(t)
}

// handle scans the handle of a tag: "!", "!!" or "!name!".
func (s *scanner) handle(start int) string {
	if s.peek(0) != '!' {
		s.fail(start, "a tag has no handle")
		return ""
	}
	n := 1
	if s.peek(n) != ' ' {
		if n += s.word(n); s.peek(n) != '!' {
			s.fail(start, "the handle of a tag is not closed")
			return ""
		}
		n++
	}
	h := string(s.text[s.pos : s.pos+n])
	s.forward(n)
	return h
}

// uri scans the rest of a tag and decodes its percent escapes.
func (s *scanner) uri(start int) string {
	var b strings.Builder
	for s.err == nil {
		c := s.peek(0)
		switch {
		case c == '%':
			from := b.Len()
			for s.peek(0) == '%' {
				hi, lo := hexDigit(s.peek(1)), hexDigit(s.peek(2))
				if hi < 0 || lo < 0 {
					s.fail(start, "a tag has an invalid escape")
					break
				}
				b.WriteByte(byte(hi<<4 | lo))
				s.forward(3)
			}
			if !utf8.ValidString(b.String()[from:]) {
				s.fail(start, "an escape of a tag is not UTF-8")
			}
		case isWord(c) || c != 0 && strings.IndexByte(";/?:@&=+$,.!~*'()[]", c) >= 0:
			b.WriteByte(c)
			s.pos++
		default:
			if b.Len() == 0 {
				s.fail(start, "a tag has no name")
			}
			return b.String()
		}
	}
	return b.String()
}

// Unescape decodes the percent escapes of a tag.
func Unescape(tag string) string {
	if !strings.Contains(tag, "%") {
		return tag
	}
	b := make([]byte, 0, len(tag))
	for i := 0; i < len(tag); i++ {
		if tag[i] == '%' && i+2 < len(tag) && hexDigit(tag[i+1]) >= 0 && hexDigit(tag[i+2]) >= 0 {
			b = append(b, byte(hexDigit(tag[i+1])<<4|hexDigit(tag[i+2])))
			i += 2
			continue
		}
		b = append(b, tag[i])
	}
	return string(b)
}
