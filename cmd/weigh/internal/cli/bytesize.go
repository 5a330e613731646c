// Sizes in bytes, with units.

package cli

import (
	"math"
	"strconv"
	"strings"
)

// sizeUnits maps units in upper case to bytes. The decimal units are those of huggingface_hub,
// which has no others.
var sizeUnits = map[string]float64{
	"": 1, "B": 1,
	"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
}

// ParseSize parses a size such as "5GB", "1.5 GiB" or "5000000000". Units may be in any case.
// Fractions are rounded down to bytes as huggingface_hub does, so shards end where its shards
// end. A size below one byte is an error.
func ParseSize(s string) (int64, error) {
	number, unit := cutUnit(strings.TrimSpace(s))
	scale, known := sizeUnits[strings.ToUpper(unit)]
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case strings.HasPrefix(number, "-"):
		return 0, Usagef("size %q is negative", s)
	case err != nil || strings.Trim(number, "0123456789.") != "":
		return 0, Usagef("%q is not a size: write a number and a unit, such as 5GB or 1.5GiB", s)
	case !known:
		return 0, Usagef("unknown unit in size %q: %q; use KB, MB, GB or TB, or KiB, MiB, GiB or TiB", s, unit)
	case v*scale >= math.MaxInt64:
		return 0, Usagef("size %q is larger than any file", s)
	case v*scale < 1:
		return 0, Usagef("size %q is less than a byte", s)
	}
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && scale == 1 {
		return n, nil // a float64 is not exact beyond 2^53
	}
	return int64(v * scale), nil
}

// cutUnit splits a size into its number and its trailing letters.
func cutUnit(s string) (number, unit string) {
	notLetter := func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
	end := strings.LastIndexFunc(s, notLetter) + 1
	return strings.TrimSpace(s[:end]), s[end:]
}
