// The queue of tokens, from which the parser takes the next.

package yaml

// peekToken returns the next token. After an error it is the end of the stream.
func (s *scanner) peekToken() *token {
	if s.ready {
		return &s.tokens[s.head]
	}
	for s.err == nil {
		s.staleKeys()
		pending := s.firstKey < len(s.keys) && s.keys[s.firstKey].number == s.base+s.head
		switch {
		case s.head == len(s.tokens) || pending:
			if s.done {
				return &token{kind: streamEnd}
			}
			s.fetch()
		case s.tokens[s.head].kind == hole:
			s.head++
		default:
			s.ready = true // until it is taken
			return &s.tokens[s.head]
		}
	}
	return &token{kind: streamEnd, at: len(s.text)}
}

// next returns the next token and removes it.
func (s *scanner) next() token {
	t := *s.peekToken()
	s.ready = false
	if s.head < len(s.tokens) {
		s.tokens[s.head] = token{} // its text is no longer needed
		s.head++
	}
	return t
}

// is reports whether the next token is of one of the kinds.
func (s *scanner) is(kinds ...kind) bool {
	next := s.peekToken().kind
	for _, k := range kinds {
		if next == k {
			return true
		}
	}
	return false
}
