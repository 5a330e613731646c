// Patterns of tensor names.

// Package glob matches tensor names, which are words between dots, against
// patterns like those of file names:
//
//	*        any characters but a dot
//	**       any characters
//	?        one character but a dot
//	[a-z]    one of these characters, [^a-z] and [!a-z] one of all others
//	[0-23]   a number from 0 to 23, as folded layers are listed
//	\*       a character that means itself
//
// A pattern matches a whole name. Matching takes time in proportion to the
// length of the name, whatever the pattern is.
package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Pattern is a pattern, ready to match names. It may be used by any number of
// goroutines at once.
type Pattern struct {
	source string
	re     *regexp.Regexp
}

// Compile reads a pattern.
func Compile(pattern string) (*Pattern, error) {
	if !utf8.ValidString(pattern) {
		return nil, fmt.Errorf("pattern %q: it is not UTF-8", pattern)
	}
	expr, err := translate(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		// What translate writes is always an expression. Only its size can be
		// too much for package regexp.
		return nil, fmt.Errorf("pattern %q: it is too long", pattern)
	}
	return &Pattern{pattern, re}, nil
}

// String returns the pattern as it was given to Compile.
func (p *Pattern) String() string { return p.source }

// Match says whether the pattern matches all of name.
func (p *Pattern) Match(name string) bool { return p.re.MatchString(name) }

// translate returns the regular expression that means the same. Regular
// expressions of package regexp run in linear time, so no pattern is slow.
func translate(pattern string) (string, error) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '*':
			stars := len(pattern[i:]) - len(strings.TrimLeft(pattern[i:], "*"))
			if stars == 1 {
				b.WriteString(`[^.]*`)
			} else {
				b.WriteString(`.*`)
			}
			i += stars
		case '?':
			b.WriteString(`[^.]`)
			i++
		case '[':
			expr, n, err := class(pattern[i:])
			if err != nil {
				return "", err
			}
			b.WriteString(expr)
			i += n
		case '\\':
			if i++; i == len(pattern) {
				return "", errors.New(`a backslash stands at the end, with nothing to escape`)
			}
			fallthrough
		default:
			_, n := utf8.DecodeRuneInString(pattern[i:])
			b.WriteString(regexp.QuoteMeta(pattern[i : i+n]))
			i += n
		}
	}
	b.WriteString(`\z`)
	return b.String(), nil
}

// class translates the class at the start of s, and returns its length.
func class(s string) (expr string, n int, err error) {
	if expr, n, err := number(s); n > 0 || err != nil {
		return expr, n, err
	}
	i := len("[")
	negate := strings.HasPrefix(s[i:], "^") || strings.HasPrefix(s[i:], "!")
	if negate {
		i++
	}
	var b strings.Builder
	for first := true; ; first = false {
		if i >= len(s) {
			return "", 0, errors.New(`'[' is not closed; write \[ for the character itself`)
		}
		if s[i] == ']' && !first { // at the start it means itself
			i++
			break
		}
		lo, n, err := member(s[i:])
		if err != nil {
			return "", 0, err
		}
		i += n
		hi := lo
		if strings.HasPrefix(s[i:], "-") && i+1 < len(s) && s[i+1] != ']' {
			if hi, n, err = member(s[i+1:]); err != nil {
				return "", 0, err
			}
			i += 1 + n
		}
		if hi < lo {
			return "", 0, fmt.Errorf("the range %c-%c has its ends the wrong way round", lo, hi)
		}
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, lo, hi)
	}
	if negate {
		return `[^.` + b.String() + `]`, i, nil // a class is one ? at most
	}
	return `[` + b.String() + `]`, i, nil
}

// member reads one character of a class.
func member(s string) (r rune, n int, err error) {
	if strings.HasPrefix(s, `\`) {
		if len(s) == 1 {
			return 0, 0, errors.New(`a backslash stands at the end, with nothing to escape`)
		}
		r, n = utf8.DecodeRuneInString(s[1:])
		return r, n + 1, nil
	}
	r, n = utf8.DecodeRuneInString(s)
	return r, n, nil
}

// mostNumbers is how many numbers a range may have. The layers of the largest
// models number some hundreds, experts some hundreds more.
const mostNumbers = 10_000

var numbers = regexp.MustCompile(`^\[([0-9]{1,6})-([0-9]{1,6})\]`)

// number translates [LO-HI], a range of numbers. It returns 0 if there is none.
// As a class, [0-23] would match one of 0, 1, 2 and 3, which nobody means.
func number(s string) (expr string, n int, err error) {
	m := numbers.FindStringSubmatch(s)
	if m == nil {
		return "", 0, nil
	}
	lo, _ := strconv.Atoi(m[1]) // six digits fit
	hi, _ := strconv.Atoi(m[2])
	if hi < lo {
		return "", 0, fmt.Errorf("the range %d-%d has its ends the wrong way round", lo, hi)
	}
	if hi-lo >= mostNumbers {
		return "", 0, fmt.Errorf("the range %d-%d has more than %d numbers; use * instead", lo, hi, mostNumbers)
	}
	// Longest first does not matter: the whole name has to match.
	b := []byte("(?:")
	for i := lo; i <= hi; i++ {
		if i > lo {
			b = append(b, '|')
		}
		b = strconv.AppendInt(b, int64(i), 10)
	}
	return string(append(b, ')')), len(m[0]), nil
}
