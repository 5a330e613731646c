// The scanner: one pass over the bytes, one method for each piece of the grammar.

// Package jsonscan reads JSON strictly, a token at a time, from bytes that are
// all there.
//
// It builds no tree and reflects on nothing: its caller asks for what it expects
// next, and is told where in the text every token stands. The grammar is that of
// RFC 8259 without any leniency, except that UTF-8 is left for the caller to
// judge (see [Scanner.NonASCII]), since whole texts are judged faster than tokens.
//
// Nesting is bounded by [MaxDepth] and handled without recursion; nothing is
// allocated but the error. A Scanner is for one goroutine.
package jsonscan

import "fmt"

// MaxDepth is the deepest nesting of objects and arrays that is read. It is
// that of the reference implementation, whose JSON parser refuses depth 128.
const MaxDepth = 127

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int    // of the byte at fault, or the length of the text if it ended too early
	Msg    string // what was expected, and what was found
}

// Error returns where the fault is and what it is, in one line.
func (e *SyntaxError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.Msg) }

// A Kind is the kind of a JSON value.
type Kind byte

// The kinds, each the byte by which a value of it is known.
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

// String returns k with its article, as in "expected a string, found an array".
func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return "nothing"
}

// A Scanner is a position in a JSON text.
type Scanner struct {
	// NonASCII is set once a string had a byte of 0x80 or above. Outside of
	// strings such a byte is a syntax error, so a text that was scanned to its
	// end is valid UTF-8 if NonASCII is false.
	NonASCII bool

	buf   []byte
	pos   int
	depth int
}

// New returns a Scanner at the start of text. The scanner never writes to text,
// but [Unescape] does.
func New(text []byte) Scanner { return Scanner{buf: text} }

// Pos returns the offset of the next byte.
func (s *Scanner) Pos() int { return s.pos }

// Text returns the bytes from begin up to end.
func (s *Scanner) Text(begin, end int) []byte { return s.buf[begin:end] }

// Seek moves to an offset that was a Pos at the same depth of nesting.
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

// Next skips white space and returns the kind of the value that begins here, by
// its first byte alone. It returns 0 if no value begins here.
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

// Open enters an object or an array. Its members follow, each after a call of
// More that returned true.
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

// More goes on to the next member of the object or array of kind k that was
// opened last, over the comma before it unless it is the first. At the end it
// leaves the object or array, and returns false.
func (s *Scanner) More(k Kind, first bool) (bool, error) {
	if !first && s.pos+1 < len(s.buf) && s.buf[s.pos] == ',' && s.buf[s.pos+1] == '"' {
		s.pos++ // most members are of objects, and without white space
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

// Key reads the name of an object's member, and the colon after it.
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

// End checks that nothing but white space is left.
func (s *Scanner) End() error {
	s.space()
	if s.pos < len(s.buf) {
		return s.unexpected("nothing but white space after the value")
	}
	return nil
}

// Skip reads one value of any kind, and says of which. It returns the offset of
// its first byte; the value ends at Pos.
func (s *Scanner) Skip() (begin int, k Kind, err error) {
	k = s.Next()
	begin = s.pos
	var open [MaxDepth + 1]Kind // what is open at each depth
	for base, first := s.depth, false; ; {
		switch next := s.Next(); next {
		case Object, Array:
			err = s.Open(next)
			open[s.depth], first = next, true
		default:
			err, first = s.scalar(next), false
		}
		// Leave what ends here, and go on to the next member of what does not.
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

// scalar reads a value that is no object and no array.
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

// unexpected returns the error that something else than want stands here.
func (s *Scanner) unexpected(want string) error {
	if s.pos >= len(s.buf) {
		return s.errorf("expected %s, found the end", want)
	}
	return s.errorf("expected %s, found %q", want, s.buf[s.pos])
}

func (s *Scanner) errorf(format string, args ...any) error {
	return &SyntaxError{s.pos, fmt.Sprintf(format, args...)}
}
