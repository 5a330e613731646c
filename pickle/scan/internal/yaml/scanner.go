// The tokens, and the state of the scanner that finds them.

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
	head     int  // index of the next token
	base     int  // number of the token at index 0
	ready    bool // the token at head is complete
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

// An Error says where a text is not YAML.
type Error struct {
	At   int64 // offset in bytes
	What string
}

// Error returns the error as a text.
func (e *Error) Error() string { return e.What }

// either returns one of two kinds.
func either(first bool, a, b kind) kind {
	if first {
		return a
	}
	return b
}
