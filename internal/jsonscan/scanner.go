// The scanner: one pass over the text, with a method for each part of the grammar.

// Package jsonscan parses JSON strictly, one token at a time, from a byte slice.
//
// It builds no tree and uses no reflection. The caller asks for the token it expects next, and
// gets its position. The grammar is exactly that of RFC 8259, except that the caller has to
// validate UTF-8 (see [Scanner.NonASCII]), because that is faster for the whole text than for
// each token.
//
// Nesting is limited by [MaxDepth] and handled without recursion. Only errors are allocated. A
// Scanner must be used by one goroutine.
package jsonscan

import "fmt"

// MaxDepth is the maximum nesting of objects and arrays. The JSON parser of the reference
// implementation has the same limit: it rejects depth 128.
const MaxDepth = 127

// A SyntaxError is the position and description of invalid JSON.
type SyntaxError struct {
	Offset int    // of the invalid byte, or the length of the text if it is truncated
	Msg    string // what was expected and what was found
}

// Error returns the offset and the message as one line.
func (e *SyntaxError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.Msg) }

// A Kind is the kind of a JSON value.
type Kind byte

// The kinds of values, each identified by a first byte.
const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n'
)

var kindNames = map[Kind]string{
	Object: "an object", Array: "an array", String: "a string", Number: "a number",
	True: "true", False: "false", Null: "null",
}

// String returns the name of k with an article, as in "expected a string, found an array".
func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return "nothing"
}

// A Scanner is a position in a JSON text.
type Scanner struct {
	// NonASCII is set when a string contains a byte of 0x80 or above. Outside of strings
	// such a byte is a syntax error. So if NonASCII is false after scanning the whole text,
	// the text is valid UTF-8.
	NonASCII bool

	buf   []byte
	pos   int
	depth int
}

// New returns a Scanner at the start of text. It does not write to text; [Unescape] does.
func New(text []byte) Scanner { return Scanner{buf: text} }

// Pos returns the offset of the next byte.
func (s *Scanner) Pos() int { return s.pos }

// Text returns the bytes from begin to end, which is exclusive.
func (s *Scanner) Text(begin, end int) []byte { return s.buf[begin:end] }

// Seek moves to an offset that Pos returned at the same nesting depth.
func (s *Scanner) Seek(pos int) { s.pos = pos }

// space skips white space.
func (s *Scanner) space() {
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// Next skips white space and returns the kind of the next value, which it determines by the first
// byte. It returns 0 if the byte cannot begin a value.
func (s *Scanner) Next() Kind {
	s.space()
	if s.pos >= len(s.buf) {
		return 0
	}
	switch c := s.buf[s.pos]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return Kind(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return 0
}

// Open enters an object or array. Call More before each member.
func (s *Scanner) Open(k Kind) error {
	s.space()
	if s.pos >= len(s.buf) || s.buf[s.pos] != byte(k) {
		return s.unexpected(k.String())
	}
	if s.depth >= MaxDepth {
		return s.errorf("nesting deeper than %d", MaxDepth)
	}
	s.depth++
	s.pos++
	return nil
}

// More moves to the next member of the innermost object or array, which has kind k, and skips the
// comma before it unless it is the first. At the end it leaves the object or array and returns
// false.
func (s *Scanner) More(k Kind, first bool) (bool, error) {
	if !first && s.pos+1 < len(s.buf) && s.buf[s.pos] == ',' && s.buf[s.pos+1] == '"' {
		s.pos++ // the usual case: members of objects without white space
		return true, nil
	}
	return s.more(k, first)
}

func (s *Scanner) more(k Kind, first bool) (bool, error) {
	closing := byte(k) + 2 // '}' follows '{' at a distance of 2, and ']' follows '['
	s.space()
	if s.pos < len(s.buf) {
		switch c := s.buf[s.pos]; {
		case c == closing:
			s.pos++
			s.depth--
			return false, nil
		case first:
			return true, nil
		case c == ',':
			s.pos++
			s.space()
			if s.pos < len(s.buf) && s.buf[s.pos] == closing {
				return false, s.errorf("a comma before %q", closing)
			}
			return true, nil
		}
	}
	if first {
		return false, s.unexpected(fmt.Sprintf("a member or %q", closing))
	}
	return false, s.unexpected(fmt.Sprintf("',' or %q", closing))
}

// Key reads the name of a member and the colon after it.
func (s *Scanner) Key() (Str, error) {
	str, err := s.Str()
	if err != nil {
		return str, err
	}
	if s.pos < len(s.buf) && s.buf[s.pos] == ':' {
		s.pos++
		return str, nil
	}
	s.space()
	if s.pos >= len(s.buf) || s.buf[s.pos] != ':' {
		return str, s.unexpected("':' after a name")
	}
	s.pos++
	return str, nil
}

// Members reads an object. It calls member after the name of each member, which begins at begin, to
// read the value, and returns the first error.
func (s *Scanner) Members(member func(key Str, begin int) error) error {
	if err := s.Open(Object); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.More(Object, first)
		if !more || err != nil {
			return err
		}
		begin := s.pos
		key, err := s.Key()
		if err != nil {
			return err
		}
		if err := member(key, begin); err != nil {
			return err
		}
	}
}

// End returns an error unless only white space is left.
func (s *Scanner) End() error {
	s.space()
	if s.pos < len(s.buf) {
		return s.unexpected("nothing but white space after the value")
	}
	return nil
}

// Skip reads a value of any kind. It returns the offset of its first byte and its kind. The value
// ends at Pos.
func (s *Scanner) Skip() (begin int, k Kind, err error) {
	k = s.Next()
	begin = s.pos
	var open [MaxDepth + 1]Kind // the open object or array at each depth
	for base, first := s.depth, false; ; {
		switch next := s.Next(); next {
		case Object, Array:
			err = s.Open(next)
			open[s.depth], first = next, true
		default:
			err, first = s.scalar(next), false
		}
		// Leave objects and arrays that end here, and move to the next member.
		for more := false; !more; first = false {
			if err != nil || s.depth == base {
				return begin, k, err
			}
			more, err = s.More(open[s.depth], first)
		}
		if err == nil && open[s.depth] == Object {
			_, err = s.Key()
		}
		if err != nil {
			return begin, k, err
		}
	}
}

// scalar reads a value that is neither an object nor an array.
func (s *Scanner) scalar(k Kind) error {
	switch k {
	case String:
		_, err := s.Str()
		return err
	case Number:
		_, err := s.Num()
		return err
	case True:
		return s.literal("true")
	case False:
		return s.literal("false")
	case Null:
		return s.literal("null")
	}
	return s.unexpected("a value")
}

func (s *Scanner) literal(word string) error {
	for i := range len(word) {
		if s.pos >= len(s.buf) || s.buf[s.pos] != word[i] {
			return s.unexpected(word)
		}
		s.pos++
	}
	return nil
}

// unexpected returns the error for finding something other than want.
func (s *Scanner) unexpected(want string) error {
	if s.pos >= len(s.buf) {
		return s.errorf("expected %s, found the end", want)
	}
	return s.errorf("expected %s, found %q", want, s.buf[s.pos])
}

func (s *Scanner) errorf(format string, args ...any) error {
	return &SyntaxError{s.pos, fmt.Sprintf(format, args...)}
}
