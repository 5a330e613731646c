// Sizes as users write them.

package cli

import (
	"math"
	"strconv"
	"strings"
)

// sizeUnits are the units of sizes, in upper case. The decimal ones are those of the
// library huggingface_hub, which has no others.
var sizeUnits = map[string]float64{
	"": 1, "B": 1,
	"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
}

// ParseSize returns how many bytes a size is, such as "5GB", "1.5 GiB" or
// "5000000000". Units may be written in any case, and a number with a fraction is
// rounded down to bytes as huggingface_hub does, so that shards end where its do.
// What is no size, or below one byte, is an error.
func ParseSize(s string) (int64, error) {
	number, unit := cutUnit(strings.TrimSpace(s))
	scale, known := sizeUnits[strings.ToUpper(unit)]
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case strings.HasPrefix(number, "-"):
		return 0, Usagef("%q is below zero, and a size is due, such as 5GB", s)
	case err != nil || strings.Trim(number, "0123456789.") != "":
		return 0, Usagef("%q is no size: write a number and a unit, such as 5GB or 1.5GiB", s)
	case !known:
		return 0, Usagef("%q has the unit %q, and can have KB, MB, GB or TB, or KiB, MiB, GiB or TiB", s, unit)
	case v*scale >= math.MaxInt64:
		return 0, Usagef("%q is more than any file can have", s)
	case v*scale < 1:
		return 0, Usagef("%q is less than a byte, and a shard has to have room for something", s)
	}
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && scale == 1 {
		return n, nil // a float is not exact beyond 2^53
	}
	return int64(v * scale), nil
}

// cutUnit cuts the letters at the end off a size, and the spaces before them.
func cutUnit(s string) (number, unit string) {
	notLetter := func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
	end := strings.LastIndexFunc(s, notLetter) + 1
	return strings.TrimSpace(s[:end]), s[end:]
}
