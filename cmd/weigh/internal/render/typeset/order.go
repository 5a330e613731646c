// Natural order of names.

package typeset

import (
	"cmp"
	"strings"
)

// CompareNames compares names in natural order: numbers by value, so layer 2 precedes layer
// 10, and a dot before all other characters, so names with a common prefix stay together.
func CompareNames(a, b string) int {
	// Most names in a listing have a long beginning in common. A number that is only in part in it is compared whole.
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && IsDigit(a[same-1]) {
		same--
	}
	a, b = a[same:], b[same:]
	for len(a) > 0 && len(b) > 0 {
		if IsDigit(a[0]) && IsDigit(b[0]) {
			x, y := Digits(a), Digits(b)
			if c := compareNumbers(x, y); c != 0 {
				return c
			}
			a, b = a[len(x):], b[len(y):]
			continue
		}
		if a[0] != b[0] {
			// A dot precedes everything else.
			switch {
			case a[0] == '.':
				return -1
			case b[0] == '.':
				return +1
			}
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// Digits returns the leading digits of s.
func Digits(s string) string {
	n := 0
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return s[:n]
}

// compareNumbers compares digits by value; equal values by their number of leading zeros.
func compareNumbers(a, b string) int {
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(len(a), len(b)))
}
