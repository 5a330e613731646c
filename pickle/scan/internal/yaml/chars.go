// Characters: line breaks, columns and positions.

package yaml

// peek returns the byte n bytes ahead, 0 at the end.
func (s *scanner) peek(n int) byte {
	if s.pos+n < len(s.text) {
		return s.text[s.pos+n]
	}
	return 0
}

// index returns the position in characters.
func (s *scanner) index() int { return s.pos - s.wide }

// column returns the position in the line in characters.
func (s *scanner) column() int { return s.pos - s.lineStart - (s.wide - s.wideLine) }

// breakAt returns the length of the line break n bytes ahead, 0 if there is none.
func (s *scanner) breakAt(n int) int {
	switch s.peek(n) {
	case '\r':
		if s.peek(n+1) == '\n' {
			return 2
		}
		return 1
	case '\n':
		return 1
	case 0xc2:
		if s.peek(n+1) == 0x85 {
			return 2
		}
	case 0xe2:
		if s.peek(n+1) == 0x80 && (s.peek(n+2) == 0xa8 || s.peek(n+2) == 0xa9) {
			return 3
		}
	}
	return 0
}

// endsAt reports whether the text or the line ends n bytes ahead.
func (s *scanner) endsAt(n int) bool { return s.peek(n) == 0 || s.breakAt(n) > 0 }

// blankAt reports whether a space, a tab, a line break or the end is n bytes ahead.
func (s *scanner) blankAt(n int) bool {
	c := s.peek(n)
	return c == ' ' || c == '\t' || s.endsAt(n)
}

// spaceAt reports whether a space, a line break or the end is n bytes ahead.
func (s *scanner) spaceAt(n int) bool { return s.peek(n) == ' ' || s.endsAt(n) }

// forward moves n bytes ahead, within a line.
func (s *scanner) forward(n int) {
	n = min(n, len(s.text)-s.pos)
	for _, c := range s.text[s.pos : s.pos+n] {
		if c&0xc0 == 0x80 {
			s.wide++
		}
	}
	s.pos += n
}

// newLine skips a line break and returns what it becomes, or nil if there is none.
func (s *scanner) newLine() []byte {
	n := s.breakAt(0)
	if n == 0 {
		return nil
	}
	b := []byte("\n")
	if n == 3 {
		b = s.text[s.pos : s.pos+n]
	}
	s.forward(n)
	s.line++
	s.lineStart, s.wideLine = s.pos, s.wide
	return b
}

// spaces skips spaces.
func (s *scanner) spaces() {
	for s.peek(0) == ' ' {
		s.pos++
	}
}

// comment skips a comment.
func (s *scanner) comment() {
	if s.peek(0) != '#' {
		return
	}
	n := 0
	for !s.endsAt(n) {
		n++
	}
	s.forward(n)
}

// separator reports whether a line with "---" or "..." begins here.
func (s *scanner) separator() bool {
	c := s.peek(0)
	return (c == '-' || c == '.') && s.peek(1) == c && s.peek(2) == c && s.blankAt(3)
}

// word returns the length of the letters, digits, hyphens and underscores n bytes ahead.
func (s *scanner) word(n int) int {
	from := n
	for c := s.peek(n); isWord(c); c = s.peek(n) {
		n++
	}
	return n - from
}

// isWord reports whether c may be in the name of an anchor.
func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '-' || c == '_'
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
