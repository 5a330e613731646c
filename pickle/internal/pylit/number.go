// Numbers in text form, as the C loader of Python parses them.

// Package pylit reads and writes Python literals: the numbers and strings of the text opcodes, parsed as Python's C
// loader parses them, and values formatted as repr does.
package pylit

import (
	"bytes"
	"math"
	"strconv"
)

// maxDigits is the maximum number of decimal digits that Python converts to an int; more are an error since 3.11
// (sys.int_info.default_max_str_digits).
const maxDigits = 4300

// A Number is a parsed line.
type Number struct {
	Value int64

	OK   bool // the C loader accepts it
	Bool bool // it is False or True: "00", "01", and other spellings that C accepts
	Big  bool // it does not fit into 64 bits; Value is 0, and the digits are in Text
	Odd  bool // no pickler writes it this way, and loaders differ

	Text []byte // the sign and digits of a big number, in Base
	Base int    // 2, 8, 10 or 16
}

// Int parses the line of an INT opcode. The C loader tries strtol with base 0, which accepts "0x10", "010" and " 7",
// and then Python's own rules. The line ends at a NUL.
func Int(line []byte) Number {
	s, cut := untilNUL(line)
	if len(line) == 0 {
		return Number{}
	}
	n, ok := strtol(s)
	if cut && len(s) == 0 {
		n, ok = Number{OK: true}, true // strtol takes nothing for 0, and then finds the NUL where it expects the end
	}
	if !ok {
		n = python(s, 0)
	}
	// C tests for a line of three bytes, including the line feed, with the value 0 or 1.
	n.Bool = n.OK && !n.Big && len(line) == 2 && (n.Value == 0 || n.Value == 1)
	plain := isDecimal(s) || string(line) == "00" || string(line) == "01"
	n.Odd = cut || !plain
	return n
}

// Long parses the line of a LONG opcode: Python's rules with base 0, and an optional L at the end.
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

// Index parses the line of GET and PUT: Python's rules with base 10.
func Index(line []byte) Number {
	if len(line) == 0 {
		return Number{}
	}
	s, cut := untilNUL(line)
	n := python(s, 10)
	n.Odd = cut || !isDecimal(s) || s[0] == '-'
	return n
}

// Float parses the line of a FLOAT opcode. odd reports whether no pickler writes it this way.
func Float(line []byte) (f float64, odd, ok bool) {
	s, cut := untilNUL(line)
	if len(s) == 0 || bytes.ContainsAny(s, "_xXpP") {
		return 0, true, false
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil { // out of range is an error in Python, too
		return 0, true, false
	}
	plain := s[0] != '+' && s[0] != '.' && len(s) <= 32
	if math.IsInf(f, 0) || math.IsNaN(f) {
		t := string(bytes.TrimPrefix(s, []byte("-")))
		plain = t == "inf" || t == "nan"
	}
	return f, cut || !plain, true
}

// untilNUL returns the part of a line that C sees, and whether C misses the rest.
func untilNUL(line []byte) ([]byte, bool) {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return line[:i], true
	}
	return line, false
}

// isDecimal reports whether s is a number as repr writes it.
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

// strtol parses s as C's strtol does with base 0. It returns false if strtol does not consume all of s.
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

// python parses s as Python's int(s, base) does; base is 0 or 10. Python accepts underscores between digits, and no
// octal number without "0o".
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

// prefix returns the base in the prefix of s, and the digits. It returns base 0, which is invalid, for a nonzero
// decimal number with a leading 0.
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

// withoutUnderscores removes the underscores from s. It returns false if one is not between two digits.
func withoutUnderscores(s []byte) ([]byte, bool) {
	if !bytes.ContainsRune(s, '_') {
		return s, true
	}
	if s[0] == '_' || s[len(s)-1] == '_' || bytes.Contains(s, []byte("__")) {
		return nil, false
	}
	return bytes.ReplaceAll(s, []byte("_"), nil), true
}

// sign splits the sign from a number.
func sign(s []byte) (digits []byte, negative bool) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// inBase parses s as a number that fits into 64 bits.
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

// digit returns the value of a digit in base 36, or 99 if c is not one.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}
