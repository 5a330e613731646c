// Numbers as text, as Python's loaders of pickles read them.

// Package pylit reads and writes Python's literals: the numbers and strings that
// stand as text in pickles, read as the loaders in C read them, and values
// written as Python's repr writes them.
package pylit

import (
	"bytes"
	"math"
	"strconv"
)

// maxDigits is how many decimal digits Python turns into a number; more are
// an error since 3.11 (sys.int_info.default_max_str_digits).
const maxDigits = 4300

// A Number is what a line of text is read as.
type Number struct {
	Value int64

	OK   bool // it is a number to the loader in C
	Bool bool // it is False or True: "00", "01", and whatever else C takes for them
	Big  bool // it does not fit 64 bits; Value is 0, and the digits are in Text
	Odd  bool // it is not written as any pickler writes it, and other loaders differ

	Text []byte // the digits with their sign, of a big number in Base
	Base int    // 2, 8, 10 or 16
}

// Int reads the line of the opcode INT. The loader in C reads it by strtol in
// base 0, so that "0x10", "010" and " 7" are numbers, and by Python's own rules
// what is none to strtol. A NUL ends it.
func Int(line []byte) Number {
	s, cut := untilNUL(line)
	if len(line) == 0 {
		return Number{}
	}
	n, ok := strtol(s)
	if !ok {
		n = python(s, 0)
	}
	// C asks for a line of three bytes with its line feed, of the value 0 or 1.
	n.Bool = n.OK && !n.Big && len(line) == 2 && (n.Value == 0 || n.Value == 1)
	plain := isDecimal(s) || string(line) == "00" || string(line) == "01"
	n.Odd = cut || !plain
	return n
}

// Long reads the line of the opcode LONG: Python's rules in base 0, and an L at
// the end is no part of it.
func Long(line []byte) Number {
	if len(line) == 0 {
		return Number{}
	}
	trimmed := bytes.TrimSuffix(line, []byte("L"))
	s, cut := untilNUL(trimmed)
	n := python(s, 0)
	n.Odd = cut || !isDecimal(s) || len(trimmed) == len(line)
	return n
}

// Index reads the line of GET and PUT: Python's rules in base 10.
func Index(line []byte) Number {
	if len(line) == 0 {
		return Number{}
	}
	s, cut := untilNUL(line)
	n := python(s, 10)
	n.Odd = cut || !isDecimal(s) || s[0] == '-'
	return n
}

// Float reads the line of the opcode FLOAT. odd is whether no pickler writes it
// so.
func Float(line []byte) (f float64, odd, ok bool) {
	s, cut := untilNUL(line)
	if len(s) == 0 || bytes.ContainsAny(s, "_xXpP") {
		return 0, true, false
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil { // out of range is an error to Python, too
		return 0, true, false
	}
	plain := s[0] != '+' && s[0] != '.' && len(s) <= 32
	if math.IsInf(f, 0) || math.IsNaN(f) {
		t := string(bytes.TrimPrefix(s, []byte("-")))
		plain = t == "inf" || t == "nan"
	}
	return f, cut || !plain, true
}

// untilNUL returns what C sees of a line, and whether that is not all of it.
func untilNUL(line []byte) ([]byte, bool) {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return line[:i], true
	}
	return line, false
}

// isDecimal is whether s is a number as repr writes it.
func isDecimal(s []byte) bool {
	digits := bytes.TrimPrefix(s, []byte("-"))
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// strtol reads all of s as C's strtol in base 0 does, and returns false if it
// would not take all of it.
func strtol(s []byte) (Number, bool) {
	digits, negative := sign(bytes.TrimLeft(s, " \t\n\v\f\r"))
	base := 10
	switch {
	case len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x':
		base, digits = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	return inBase(digits, base, negative)
}

// python reads all of s as Python's int(s, base) does; base is 0 or 10. Python
// takes underscores between digits, and no octal number without "0o".
func python(s []byte, base int) Number {
	const space = " \t\n\v\f\r"
	digits, negative := sign(bytes.Trim(s, space))
	if base == 0 {
		base, digits = prefix(digits)
	}
	digits, ok := withoutUnderscores(digits)
	if !ok || base == 0 || base == 10 && len(digits) > maxDigits {
		return Number{}
	}
	n, ok := inBase(digits, base, negative)
	if ok {
		return n
	}
	for _, c := range digits {
		if digit(c) >= base {
			return Number{}
		}
	}
	if len(digits) == 0 {
		return Number{}
	}
	if negative {
		digits = append([]byte{'-'}, digits...)
	}
	return Number{OK: true, Big: true, Text: digits, Base: base}
}

// prefix returns the base that s names, and what follows. A decimal number may
// begin with 0 only if it is 0: the base is then 0, which stands for none.
func prefix(s []byte) (base int, digits []byte) {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			base = 16
		case 'o':
			base = 8
		case 'b':
			base = 2
		}
		if base != 0 {
			return base, bytes.TrimPrefix(s[2:], []byte("_"))
		}
		if len(bytes.Trim(s, "0_")) > 0 {
			return 0, nil
		}
	}
	return 10, s
}

// withoutUnderscores takes the underscores out of s, and returns false if one is
// not between two digits.
func withoutUnderscores(s []byte) ([]byte, bool) {
	if !bytes.ContainsRune(s, '_') {
		return s, true
	}
	if s[0] == '_' || s[len(s)-1] == '_' || bytes.Contains(s, []byte("__")) {
		return nil, false
	}
	return bytes.ReplaceAll(s, []byte("_"), nil), true
}

// sign takes the sign off a number.
func sign(s []byte) (digits []byte, negative bool) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// inBase reads all of s as a number that fits 64 bits.
func inBase(s []byte, base int, negative bool) (Number, bool) {
	if len(s) == 0 || len(s) > 64 {
		return Number{}, false
	}
	var v uint64
	for _, c := range s {
		d := digit(c)
		if d >= base || v > (math.MaxUint64-uint64(d))/uint64(base) {
			return Number{}, false
		}
		v = v*uint64(base) + uint64(d)
	}
	switch {
	case negative && v <= 1<<63:
		return Number{OK: true, Value: -int64(v)}, true
	case !negative && v < 1<<63:
		return Number{OK: true, Value: int64(v)}, true
	}
	return Number{}, false
}

// digit returns what a digit of base 36 stands for, and 99 for what is none.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}
