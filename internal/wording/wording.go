// Names and numbers in messages.

// Package wording formats content of files for messages: on one line,
// shortened, and without terminal escapes.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns a name from a file for use in a message: quoted, with control
// characters escaped, and shortened if it is very long.
func Quote(name string) string {
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

// Grouped is a number that is printed with a comma before every three digits.
type Grouped int64

// String returns n as in "1,901,171,712".
func (n Grouped) String() string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count returns n and the noun, as in "1 byte" and "2,000 bytes".
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%v %ss", Grouped(n), noun)
}

// Quoted is a name that is quoted when it is printed: see [Quote].
type Quoted string

// String returns the name as Quote does.
func (q Quoted) String() string { return Quote(string(q)) }
