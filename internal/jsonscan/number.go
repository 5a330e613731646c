// Numbers: their grammar, and exact integers.

package jsonscan

import (
	"bytes"
	"errors"
	"strconv"
)

// A Num is where a number stands in the text.
type Num struct {
	Begin, End int
	Integer    bool // digits alone: no sign, no fraction, no exponent
}

// Num reads a number.
func (s *Scanner) Num() (Num, error) {
	s.space()
	n := Num{Begin: s.pos, Integer: true}
	if s.at('-') {
		n.Integer = false
		s.pos++
	}
	// A zero stands alone before the point.
	if s.at('0') {
		s.pos++
		if s.digit() {
			return n, s.errorf("a number that begins with a zero")
		}
	} else if err := s.digits(); err != nil {
		return n, err
	}
	if s.at('.') {
		n.Integer = false
		s.pos++
		if err := s.digits(); err != nil {
			return n, err
		}
	}
	if s.at('e') || s.at('E') {
		n.Integer = false
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if err := s.digits(); err != nil {
			return n, err
		}
	}
	n.End = s.pos
	if !n.finite(s.buf) {
		s.pos = n.Begin
		return n, s.errorf("a number beyond those of 64 bits")
	}
	return n, nil
}

// finite says whether the number is less than 2^1024, so that a float64 can
// hold it, near enough. The reference implementation refuses what is not, even
// where it ignores the value. Fewer than 309 digits without an exponent are.
func (n *Num) finite(buf []byte) bool {
	const most = 309 // digits before the point of the largest float64
	digits := buf[n.Begin:n.End]
	if !bytes.ContainsAny(digits, "eE") {
		// What stands after the point does not matter, and need not be copied.
		whole, _, _ := bytes.Cut(bytes.TrimPrefix(digits, []byte("-")), []byte("."))
		if len(whole) != most {
			return len(whole) < most
		}
		digits = whole
	}
	_, err := strconv.ParseFloat(string(digits), 64)
	return !errors.Is(err, strconv.ErrRange)
}

func (s *Scanner) at(c byte) bool { return s.pos < len(s.buf) && s.buf[s.pos] == c }

func (s *Scanner) digit() bool {
	return s.pos < len(s.buf) && s.buf[s.pos]-'0' <= 9
}

func (s *Scanner) digits() error {
	if !s.digit() {
		return s.unexpected("a digit")
	}
	for s.digit() {
		s.pos++
	}
	return nil
}

// Uint returns the value of an integer's digits, and false if it does not fit
// 64 bits. Digits are those of a Num that is an Integer.
func Uint(digits []byte) (uint64, bool) {
	const cutoff = (1<<64 - 1) / 10
	var v uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if v > cutoff || v*10 > ^uint64(0)-d {
			return 0, false
		}
		v = v*10 + d
	}
	return v, true
}
