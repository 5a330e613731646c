// Numbers in headers, as Python reads them.

package tarwalk

import (
	"bytes"
	"math"
	"strconv"
)

// number parses a field as Python's tarfile does (nti): GNU's base 256 after a byte of 0x80 or 0xff, or else Python's
// int with base 8 of the text up to the first NUL, which accepts white space, a sign, "0o" and underscores. It returns
// false if Python refuses it. Numbers that do not fit are the largest or the smallest.
func number(b []byte) (int64, bool) {
	if b[0] == 0x80 || b[0] == 0xff {
		return base256(b[1:], b[0] == 0xff), true
	}
	digits, _, _ := bytes.Cut(b, []byte{0})
	const space = " \t\n\v\f\r\x1c\x1d\x1e\x1f"
	digits = bytes.Trim(digits, space)
	if len(digits) == 0 {
		return 0, true
	}
	negative := digits[0] == '-'
	if negative || digits[0] == '+' {
		digits = digits[1:]
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'o' {
		digits = bytes.TrimPrefix(digits[2:], []byte("_"))
	}
	n, ok := octal(digits)
	if negative {
		n = -n
	}
	return n, ok
}

// octal parses digits with single underscores between them.
func octal(digits []byte) (int64, bool) {
	n, last := int64(0), byte('_')
	for _, c := range digits {
		switch {
		case c == '_' && last != '_':
		case c < '0' || c > '7':
			return 0, false
		default:
			n = n<<3 | int64(c-'0') // a field has at most 12 digits
		}
		last = c
	}
	return n, last != '_'
}

// base256 parses bytes, in two's complement if negative is set.
func base256(b []byte, negative bool) int64 {
	n, fill := int64(0), byte(0)
	if negative {
		n, fill = -1, 0xff
	}
	for i, c := range b {
		if len(b)-i > 8 && c != fill || len(b)-i == 8 && (c^fill)&0x80 != 0 {
			if negative {
				return math.MinInt64
			}
			return math.MaxInt64
		}
		n = n<<8 | int64(c)
	}
	return n
}

// strict parses a field as most other readers do: octal digits between spaces and NULs, or base 256. It returns -1 for
// an invalid number.
func strict(b []byte) int64 {
	if b[0]&0x80 != 0 {
		n, _ := number(b)
		return max(n, -1)
	}
	digits := bytes.Trim(b, " \x00")
	if len(digits) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(digits), 8, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
