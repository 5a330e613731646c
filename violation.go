// Violations: which rule is broken, by which tensor, at which bytes.

package safetensors

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Violation is one broken rule and where it is broken. It is the type of
// every error in which this package finds fault with a file, as opposed to
// failing to read it.
type Violation struct {
	Rule   Rule
	Tensor string // the tensor's name, or "" if the file as a whole is at fault
	Span   Span   // the bytes at fault, counted from the start of the file
	Detail string // what is wrong, with the numbers
}

// Error returns the violation as one line:
//
//	safetensors: tensor "b" begins at 8 of the data, inside tensor "a" [0, 16) (bytes 62-124, rule overlap)
func (v *Violation) Error() string {
	return fmt.Sprintf("safetensors: %s (bytes %d-%d, rule %s)", v.Detail, v.Span.Begin, v.Span.End, string(v.Rule))
}

// Unwrap returns v.Rule.
func (v *Violation) Unwrap() error { return v.Rule }

// quoted is a name that is quoted if it comes to be printed.
type quoted string

// String returns [quote] of the name.
func (q quoted) String() string { return quote(string(q)) }

// grouped is a number that is printed with a comma before every three digits.
type grouped int64

// String returns n as in "1,901,171,712".
func (n grouped) String() string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural returns n and the noun, as in "1 byte" and "2,000 bytes".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%v %ss", grouped(n), noun)
}

// quote returns a name out of a file so that it can be part of a line: quoted,
// control characters escaped, and the middle of a very long one left out. A
// name may be as long as a header.
func quote(name string) string {
	const most = 200 // bytes; the longest published names have about 150
	if len(name) <= most {
		return strconv.Quote(name)
	}
	head, tail := name[:most/2], name[len(name)-most/2:]
	for len(head) > 0 && !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	tail = strings.TrimLeftFunc(tail, func(r rune) bool { return r == utf8.RuneError })
	return fmt.Sprintf("%s...%s (%d bytes)", strconv.Quote(head), strconv.Quote(tail), len(name))
}
