// Sizes and counts for people.

package typeset

import (
	"strconv"

	"github.com/dustin/go-humanize"
)

// units of sizes, by powers of 1024.
var units = [...]string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Bytes returns a size as in "14.19 GiB".
func Bytes(n int64) string {
	if n < 1024 {
		return Plural(n, "byte")
	}
	v, unit := scale(n, 1024, len(units))
	return strconv.FormatFloat(v, 'f', 2, 64) + " " + units[unit]
}

// ExactBytes returns a size as in "14.19 GiB (15,231,233,024 bytes)".
func ExactBytes(n int64) string {
	if n < 1024 {
		return Plural(n, "byte")
	}
	return Bytes(n) + " (" + Count(n) + " bytes)"
}

// Count returns a number as in "494,032,768".
func Count(n int64) string { return humanize.Comma(n) }

// Short returns a number as in "494.03M". Below 10,000 it is exact.
func Short(n int64) string {
	const suffixes = " KMBTPE"
	if n < 10_000 {
		return Count(n)
	}
	v, unit := scale(n, 1000, len(suffixes))
	return strconv.FormatFloat(v, 'f', 2, 64) + suffixes[unit:unit+1]
}

// scale divides n by base until the result, rounded to two decimals, is below base. It returns the
// number of divisions, which is below limit.
func scale(n int64, base float64, limit int) (v float64, unit int) {
	v = float64(n)
	for v >= base-0.005 && unit < limit-1 {
		v /= base
		unit++
	}
	return v, unit
}

// Plural returns n with a noun, as in "1 tensor" or "1,000 tensors".
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Percent returns a share as in "12.3%", or "" if whole is not positive.
func Percent(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + "%"
}
