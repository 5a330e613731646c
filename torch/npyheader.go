// Headers of NumPy's arrays.

package torch

import (
	"strconv"
	"strings"
)

// npyMagic is what a .npy file begins with; two bytes of version follow, and the length of
// the header (NumPy's enhancement proposal 1).
const npyMagic = "\x93NUMPY"

// An npyHeader is what the header of an array says.
type npyHeader struct {
	descr   string // of the dtype, as in "<f4"
	fortran bool   // whether the first index is the fastest
	shape   []int64
	data    int64 // where the numbers begin
}

// parseNPY parses a header: a dict of Python with the three keys that NumPy writes, in
// any order. It is never evaluated.
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
func parseNPY(text string) (*npyHeader, error) {
	p := &npyParser{rest: text}
	h := new(npyHeader)
	seen := make(map[string]bool)
	p.expect("{")
	for p.err == nil && !p.next("}") {
		key := p.str()
		p.expect(":")
		if seen[key] {
			return nil, refuse("its header has %s twice", quoted(key))
		}
		seen[key] = true
		switch key {
		case "descr":
			if p.at("[", "(") {
				return nil, unsupportedf("an array of a dtype with fields")
			}
			h.descr = p.str()
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			return nil, refuse("its header has the key %s, and descr, fortran_order and shape are what there is", quoted(key))
		}
		if !p.at("}") {
			p.expect(",")
		}
	}
	if p.err == nil && (len(seen) != 3 || strings.Trim(p.rest, " \t\r\n\x00") != "") {
		p.fail("the three keys and nothing else")
	}
	if p.err == nil && strings.Contains(h.descr, "O") {
		return nil, unsupportedf("an array of objects, which are a pickle")
	}
	return h, p.err
}

// An npyParser is what is left of a header.
type npyParser struct {
	rest string
	err  error
}

// fail takes note of the first error.
func (p *npyParser) fail(what string) {
	const most = 20
	if p.err == nil {
		p.err = refuse("its header is none of NumPy: %s is due, and there is %q", what, p.rest[:min(len(p.rest), most)])
	}
	p.rest = ""
}

// at says whether one of the tokens comes next.
func (p *npyParser) at(tokens ...string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	for _, t := range tokens {
		if strings.HasPrefix(p.rest, t) {
			return true
		}
	}
	return false
}

// next passes over a token, if it comes next.
func (p *npyParser) next(token string) bool {
	if !p.at(token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *npyParser) expect(token string) {
	if p.err == nil && !p.next(token) {
		p.fail(strconv.Quote(token))
	}
}

// str parses a string. None of a header has escapes.
func (p *npyParser) str() string {
	if !p.at("'", `"`) {
		p.fail("a string")
		return ""
	}
	s, rest, ok := strings.Cut(p.rest[1:], p.rest[:1])
	if !ok || strings.ContainsAny(s, "\\\n") {
		p.fail("a string")
		return ""
	}
	p.rest = rest
	return s
}

func (p *npyParser) boolean() bool {
	switch {
	case p.next("True"):
		return true
	case p.next("False"):
	default:
		p.fail("True or False")
	}
	return false
}

// tuple parses a tuple of ints from 0.
func (p *npyParser) tuple() []int64 {
	list := []int64{}
	p.expect("(")
	for p.err == nil && !p.next(")") {
		p.at()
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
		if err != nil || len(list) == maxRank {
			p.fail("a number of a shape")
			return nil
		}
		list = append(list, n)
		p.rest = strings.TrimPrefix(p.rest[digits:], "L") // Python 2 wrote longs so
		if !p.at(")") {
			p.expect(",")
		}
	}
	return list
}
