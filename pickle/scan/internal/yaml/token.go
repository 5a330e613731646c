// Tokens, and the queue in which simple keys are recognized later than they begin.

package yaml

import "fmt"

// A kind is the kind of a token.
type kind uint8

// The kinds of tokens. A hole is a place for the tokens that a simple key inserts.
const (
	hole kind = iota
	streamEnd
	yamlDirective
	tagDirective
	otherDirective
	documentStart
	documentEnd
	blockSequence
	blockMapping
	blockEnd
	flowSequence
	flowMapping
	flowSequenceEnd
	flowMappingEnd
	blockEntry
	flowEntry
	keyToken
	valueToken
	aliasToken
	anchorToken
	tagToken
	scalarToken
)

// A token is a token of the text.
type token struct {
	kind   kind
	plain  bool
	at     int
	handle string // of a tag or of a directive; "" for a verbatim tag
	text   []byte // value of a scalar, name of an anchor, rest of a tag or its prefix
}

// A simpleKey is the position of a token that may begin a key without the indicator "?": it
// is one if ":" follows in the same line and within 1024 characters.
type simpleKey struct {
	number   int // of its hole
	level    int // flow level
	required bool
	index    int // in characters
	line     int
	column   int
}

// A scanner splits a text into tokens.
type scanner struct {
	text []byte
	pos  int
	err  *Error
	done bool

	line      int
	lineStart int // offset of the current line
	wide      int // bytes before pos that continue a character
	wideLine  int // those before the line

	level   int // number of open brackets
	indent  int // column of the current block
	indents []int

	tokens   []token
	head     int // index of the next token
	base     int // number of the token at index 0
	allowKey bool
	keys     []simpleKey // by ascending level
	firstKey int         // index of the first key that is still possible
}

// fail ends the text with an error. Everything that reads characters stops at the end.
func (s *scanner) fail(at int, format string, args ...any) {
	if s.err == nil {
		s.err = &Error{int64(at), fmt.Sprintf(format, args...)}
	}
	s.pos = len(s.text)
}

// push appends a token.
func (s *scanner) push(t token) {
	if s.head > 4096 && s.head > len(s.tokens)/2 {
		n := copy(s.tokens, s.tokens[s.head:])
		clear(s.tokens[n:])
		s.tokens, s.base, s.head = s.tokens[:n], s.base+s.head, 0
	}
	s.tokens = append(s.tokens, t)
}

// peekToken returns the next token. After an error it is the end of the stream.
func (s *scanner) peekToken() *token {
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
			return &s.tokens[s.head]
		}
	}
	return &token{kind: streamEnd, at: len(s.text)}
}

// next returns the next token and removes it.
func (s *scanner) next() token {
	t := *s.peekToken()
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
