// Scalars: with and without quotes, and as blocks.

package yaml

import (
	"bytes"
	"unicode/utf8"
)

// plainScalar scans a scalar without quotes.
func (s *scanner) plainScalar() {
	t := token{kind: scalarToken, plain: true, at: s.pos}
	indent := s.indent + 1
	var spaces []byte
	for s.peek(0) != '#' {
		n := s.plainLength()
		if n == 0 {
			break
		}
		s.allowKey = false
		t.text = join(t.text, spaces, s.text[s.pos:s.pos+n])
		s.forward(n)
		var more bool
		spaces, more = s.plainSpaces()
		if !more || s.peek(0) == '#' || s.level == 0 && s.column() < indent {
			break
		}
	}
	s.push(t)
}

// join appends spaces and b to a. The first piece is not copied.
func join(a, spaces, b []byte) []byte {
	if a == nil && len(spaces) == 0 {
		return b[:len(b):len(b)]
	}
	return append(append(a, spaces...), b...)
}

// plainLength returns the length of the characters that belong to a scalar without quotes.
func (s *scanner) plainLength() int {
	n := 0
	for {
		c := s.peek(n)
		switch {
		case c == ' ' || c == '\t' || s.endsAt(n):
			return n
		case c == ':' && (s.blankAt(n+1) || s.level != 0 && bracket(s.peek(n+1))):
			return n
		case s.level != 0 && (c == '?' || bracket(c)):
			return n
		}
		n++
	}
}

// bracket reports whether c is a comma or a bracket.
func bracket(c byte) bool { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' }

// plainSpaces skips the spaces within a scalar and returns what they become. It reports
// whether the scalar may go on.
func (s *scanner) plainSpaces() (chunks []byte, more bool) {
	n := 0
	for s.peek(n) == ' ' {
		n++
	}
	spaces := s.text[s.pos : s.pos+n]
	s.forward(n)
	first := s.newLine()
	if first == nil {
		return spaces, n > 0
	}
	s.allowKey = true
	var breaks []byte
	for {
		if s.column() == 0 && s.separator() {
			return nil, false
		}
		s.spaces()
		b := s.newLine()
		if b == nil {
			break
		}
		breaks = append(breaks, b...)
	}
	return folded(first, breaks), true
}

// folded returns what a line break and further ones become.
func folded(first, breaks []byte) []byte {
	switch {
	case string(first) != "\n":
		return append(bytes.Clone(first), breaks...)
	case len(breaks) == 0:
		return []byte(" ")
	}
	return breaks
}

// quoted scans a scalar in quotes.
func (s *scanner) quoted() {
	quote := s.peek(0)
	t := token{kind: scalarToken, at: s.pos, text: []byte{}}
	s.forward(1)
	for first := true; s.err == nil; first = false {
		t.text = s.quotedCharacters(t.text, quote, t.at, first)
		if s.peek(0) == quote || s.err != nil {
			break
		}
		t.text = s.quotedSpaces(t.text, quote, t.at)
	}
	s.forward(1)
	s.push(t)
}

// quotedCharacters appends characters up to a space, a line break or the closing quote.
func (s *scanner) quotedCharacters(b []byte, quote byte, start int, first bool) []byte {
	for s.err == nil {
		n := 0
		for c := s.peek(n); c != '\'' && c != '"' && c != '\\' && !s.blankAt(n); c = s.peek(n) {
			n++
		}
		if first && len(b) == 0 && n > 0 && s.peek(n) == quote && !(quote == '\'' && s.peek(n+1) == quote) {
			b = s.text[s.pos : s.pos+n : s.pos+n] // all of the scalar
		} else {
			b = append(b, s.text[s.pos:s.pos+n]...)
		}
		s.forward(n)
		c := s.peek(0)
		switch {
		case quote == '\'' && c == '\'' && s.peek(1) == '\'':
			b = append(b, c)
			s.forward(2)
		case quote == '"' && c == '\'' || quote == '\'' && (c == '"' || c == '\\'):
			b = append(b, c)
			s.forward(1)
		case quote == '"' && c == '\\':
			b = s.escape(b, start)
		default:
			return b
		}
	}
	return b
}

// escapes are the characters of the escapes of one letter.
var escapes = [256]string{'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f",
	'r': "\r", 'e': "\x1b", ' ': " ", '"': `"`, '\\': `\`, '/': "/", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028",
	'P': "\u2029"}

// escape appends the character of an escape.
func (s *scanner) escape(b []byte, start int) []byte {
	s.forward(1)
	c := s.peek(0)
	if text := escapes[c]; text != "" {
		s.forward(1)
		return append(b, text...)
	}
	digits := 0
	switch c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		if s.newLine() == nil {
			s.fail(start, "a string has the unknown escape %q", rune(c))
			return b
		}
		return append(b, s.quotedBreaks(start)...)
	}
	s.forward(1)
	code := 0
	for i := range digits {
		d := hexDigit(s.peek(i))
		if d < 0 {
			s.fail(start, "a string has an escape with fewer than %d digits", digits)
			return b
		}
		code = code<<4 | d
	}
	s.forward(digits)
	if code > utf8.MaxRune {
		s.fail(start, "a string has an escape of no character")
		return b
	}
	return utf8.AppendRune(b, rune(code))
}

// quotedSpaces appends what spaces and line breaks within quotes become.
func (s *scanner) quotedSpaces(b []byte, quote byte, start int) []byte {
	n := 0
	for s.peek(n) == ' ' || s.peek(n) == '\t' {
		n++
	}
	spaces := s.text[s.pos : s.pos+n]
	s.forward(n)
	if s.peek(0) == 0 {
		s.fail(start, "a string is not closed")
		return b
	}
	first := s.newLine()
	if first == nil {
		return append(b, spaces...)
	}
	return append(b, folded(first, s.quotedBreaks(start))...)
}

// quotedBreaks skips empty lines within quotes and returns what they become.
func (s *scanner) quotedBreaks(start int) (breaks []byte) {
	for s.err == nil {
		if s.separator() {
			s.fail(start, "a string contains the end of the document")
		}
		n := 0
		for s.peek(n) == ' ' || s.peek(n) == '\t' {
			n++
		}
		s.forward(n)
		b := s.newLine()
		if b == nil {
			break
		}
		breaks = append(breaks, b...)
	}
	return breaks
}

// blockScalar scans a scalar that begins with "|" or ">".
func (s *scanner) blockScalar(fold bool) {
	t := token{kind: scalarToken, at: s.pos, text: []byte{}}
	s.forward(1)
	keep, strip, increment := s.blockHeader(t.at)
	s.spaces()
	s.comment()
	if !s.endsAt(0) {
		s.fail(t.at, "the first line of a block has more than its indicator")
		return
	}
	s.newLine()
	indent := max(s.indent+1, 1)
	var breaks, line []byte
	if increment == 0 {
		var deepest int
		breaks, deepest = s.blockIndentation()
		indent = max(indent, deepest)
	} else {
		indent += increment - 1
		breaks = s.blockBreaks(indent)
	}
	for s.column() == indent && s.peek(0) != 0 {
		t.text = append(t.text, breaks...)
		text := s.peek(0) != ' ' && s.peek(0) != '\t'
		n := 0
		for !s.endsAt(n) {
			n++
		}
		t.text = append(t.text, s.text[s.pos:s.pos+n]...)
		s.forward(n)
		line = s.newLine()
		breaks = s.blockBreaks(indent)
		if s.column() != indent || s.peek(0) == 0 {
			break
		}
		switch {
		case !(fold && string(line) == "\n" && text && s.peek(0) != ' ' && s.peek(0) != '\t'):
			t.text = append(t.text, line...)
		case len(breaks) == 0:
			t.text = append(t.text, ' ')
		}
	}
	if !strip {
		t.text = append(t.text, line...)
	}
	if keep {
		t.text = append(t.text, breaks...)
	}
	s.push(t)
}

// blockHeader scans the indicators after "|" or ">".
func (s *scanner) blockHeader(start int) (keep, strip bool, increment int) {
	for range 2 {
		switch c := s.peek(0); {
		case (c == '+' || c == '-') && !keep && !strip:
			keep, strip = c == '+', c == '-'
			s.forward(1)
		case '0' <= c && c <= '9' && increment == 0:
			increment = int(c - '0')
			if s.forward(1); increment == 0 {
				s.fail(start, "a block is indented by 0")
			}
		}
	}
	if !s.spaceAt(0) {
		s.fail(start, "a block has an invalid indicator")
	}
	return keep, strip, increment
}

// blockIndentation skips the empty lines at the start of a block and returns its indentation.
func (s *scanner) blockIndentation() (breaks []byte, deepest int) {
	for {
		s.spaces()
		deepest = max(deepest, s.column())
		b := s.newLine()
		if b == nil {
			return breaks, deepest
		}
		breaks = append(breaks, b...)
	}
}

// blockBreaks skips empty lines within a block.
func (s *scanner) blockBreaks(indent int) (breaks []byte) {
	for {
		for s.column() < indent && s.peek(0) == ' ' {
			s.pos++
		}
		b := s.newLine()
		if b == nil {
			return breaks
		}
		breaks = append(breaks, b...)
	}
}
