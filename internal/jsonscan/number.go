// Numbers: grammar and exact integers.

package jsonscan

import (
	"bytes"
	"math"
	"strconv"
)

// A Num is the position of a number in the text.
type Num struct {
	Begin, End int
	Integer    bool // only digits: no sign, fraction or exponent
}

// Num reads a number.
func (s *Scanner) Num() (Num, error) {
	s.space()
	n := Num{Begin: s.pos, Integer: true}
	if s.at('-') {
		n.Integer = false
		s.pos++
	}
	// A leading zero must not be followed by digits.
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

// finite reports whether the reference implementation's parser, serde_json, can represent the
// number as a float64. That parser rejects other numbers even if the value is ignored. It rounds
// more than once, so its limit differs slightly from that of a float64; the steps here are the
// same.
func (n *Num) finite(buf []byte) bool {
	const short = 300 // bytes; a number of this length without exponent is below 1e308
	digits := bytes.TrimPrefix(buf[n.Begin:n.End], []byte("-"))
	if len(digits) <= short && (n.Integer || !bytes.ContainsAny(digits, "eE")) {
		return true
	}
	v, exponent, rest := significand(digits)
	if len(rest) > 0 { // the letter, perhaps a sign, and digits
		negative := rest[1] == '-'
		power := bytes.TrimLeft(rest[1:], "+-0")
		n, err := strconv.ParseInt("0"+string(power[:min(len(power), 11)]), 10, 32)
		if err != nil { // more than 32 bits
			return v == 0 || negative
		}
		if negative {
			n = -n
		}
		exponent += int(n)
	}
	return scaled(float64(v), exponent)
}

// significand returns the digits of a number as an integer and a power of ten, and the rest of
// the text. When the integer is full, further digits before the point only increase the power,
// and digits after it are ignored.
func significand(digits []byte) (v uint64, exponent int, rest []byte) {
	full, fraction := false, false
	for i, c := range digits {
		switch {
		case c == '.':
			fraction = true
		case c == 'e' || c == 'E':
			return v, exponent, digits[i:]
		default:
			next := v*10 + uint64(c-'0')
			full = full && !fraction || v > (1<<64-1)/10 || v == (1<<64-1)/10 && c > '5'
			switch {
			case full && !fraction:
				exponent++
			case full:
				return v, exponent, afterDigits(digits[i:])
			default:
				v = next
				if fraction {
					exponent--
				}
			}
		}
	}
	return v, exponent, nil
}

// afterDigits returns b without its leading digits.
func afterDigits(b []byte) []byte {
	for len(b) > 0 && b[0]-'0' <= 9 {
		b = b[1:]
	}
	return b
}

// scaled reports whether f times a power of ten is finite, in steps of at most 308.
func scaled(f float64, exponent int) bool {
	const most = 308
	for exponent < -most {
		if f == 0 {
			return true
		}
		f /= 1e308
		exponent += most
	}
	if f == 0 || exponent < 0 {
		return true
	}
	if exponent > most {
		return false
	}
	power, _ := strconv.ParseFloat("1e"+strconv.Itoa(exponent), 64)
	return !math.IsInf(f*power, 0)
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

// Uint returns the value of the digits of an integer, and false if it does not fit into 64 bits.
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
