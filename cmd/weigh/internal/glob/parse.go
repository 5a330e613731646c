// Parsing of patterns.

package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

var errEscape = errors.New(`a backslash stands at the end, with nothing to escape`)

// parse splits a pattern into parts.
func parse(pattern string) ([]part, error) {
	var parts []part
	text := func(s string) { // appends to the previous literal if there is one
		if n := len(parts); n > 0 && parts[n-1].kind == literal {
			parts[n-1].text += s
			return
		}
		parts = append(parts, part{kind: literal, text: s})
	}
	for i := 0; i < len(pattern); {
		switch pattern[i] {
		case '*':
			// More stars mean the same as two.
			stars := len(pattern[i:]) - len(strings.TrimLeft(pattern[i:], "*"))
			parts = append(parts, part{kind: min(literal+kind(stars), all)})
			i += stars
		case '?':
			parts = append(parts, part{kind: one})
			i++
		case '[':
			p, n, err := bracket(pattern[i:])
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
			i += n
		case '\\':
			_, n, err := member(pattern[i:])
			if err != nil {
				return nil, err
			}
			text(pattern[i+1 : i+n])
			i += n
		default:
			text(pattern[i : i+1])
			i++
		}
	}
	return parts, nil
}

// bracket parses an expression in brackets at the start of s, and returns its length.
func bracket(s string) (p part, n int, err error) {
	// Number ranges take precedence: as a class, "[0-23]" would be valid but have another meaning.
	if p, n, err = numbers(s); n > 0 || err != nil {
		return p, n, err
	}
	p.kind = class
	i := len("[")
	if strings.HasPrefix(s[i:], "^") || strings.HasPrefix(s[i:], "!") {
		p.not = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return p, 0, errors.New(`'[' is not closed; write \[ for the character itself`)
		}
		if s[i] == ']' && !first { // literal at the start
			return p, i + 1, nil
		}
		lo, n, err := member(s[i:])
		if err != nil {
			return p, 0, err
		}
		i += n
		hi := lo
		if strings.HasPrefix(s[i:], "-") && i+1 < len(s) && s[i+1] != ']' {
			if hi, n, err = member(s[i+1:]); err != nil {
				return p, 0, err
			}
			i += 1 + n
		}
		if hi < lo {
			return p, 0, fmt.Errorf("the range %c-%c has its ends the wrong way round", lo, hi)
		}
		p.in = append(p.in, span{int64(lo), int64(hi)})
	}
}

// member parses one character, which may be escaped.
func member(s string) (r rune, n int, err error) {
	escape := 0
	if s[0] == '\\' {
		if escape = 1; len(s) == 1 {
			return 0, 0, errEscape
		}
	}
	r, n = utf8.DecodeRuneInString(s[escape:])
	return r, escape + n, nil
}

// isNumbers is compiled at first use: most runs of the program need no patterns.
var isNumbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[([0-9]{1,18})-([0-9]{1,18})\]`)
})

// numbers parses [LO-HI], a range of numbers. It returns 0 if s does not begin with one.
func numbers(s string) (p part, n int, err error) {
	m := isNumbers().FindStringSubmatch(s)
	if m == nil {
		return part{}, 0, nil
	}
	lo, _ := strconv.ParseInt(m[1], 10, 64) // 18 digits fit
	hi, _ := strconv.ParseInt(m[2], 10, 64)
	if hi < lo {
		return part{}, 0, fmt.Errorf("the range %d-%d has its ends the wrong way round", lo, hi)
	}
	return part{kind: number, in: []span{{lo, hi}}}, len(m[0]), nil
}
