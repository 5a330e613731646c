// Simple keys: they are recognized later than they begin.

package yaml

// staleKeys removes keys that are no longer possible.
func (s *scanner) staleKeys() {
	const most = 1024 // characters
	for ; s.firstKey < len(s.keys); s.firstKey++ {
		key := &s.keys[s.firstKey]
		if key.line == s.line && s.index()-key.index <= most {
			return
		}
		if key.required {
			s.fail(s.pos, "a key without a colon")
		}
	}
	s.keys, s.firstKey = s.keys[:0], 0
}

// saveKey records that a key may begin here.
func (s *scanner) saveKey() {
	required := s.level == 0 && s.indent == s.column()
	if !s.allowKey {
		return
	}
	s.dropKey()
	s.keys = append(s.keys, simpleKey{s.base + len(s.tokens), s.level, required, s.index(), s.line, s.column()})
	s.push(token{at: s.pos})
	s.push(token{at: s.pos})
}

// dropKey removes the possible key of the current level.
func (s *scanner) dropKey() {
	if n := len(s.keys); n > s.firstKey && s.keys[n-1].level == s.level {
		if s.keys[n-1].required {
			s.fail(s.pos, "a key without a colon")
		}
		s.keys = s.keys[:n-1]
	}
}
