// Sizes with units.

package cli

import (
	"strings"
	"testing"
)

// Sizes by hand: the decimal ones are those of parse_size_to_int of huggingface_hub,
// which is int(float(number) * multiplier).
func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
	}{
		{"5GB", 5_000_000_000}, {"5gb", 5_000_000_000}, {" 5 GB ", 5_000_000_000}, {"0.5GB", 500_000_000},
		{"1TB", 1_000_000_000_000}, {"300MB", 300_000_000}, {"2KB", 2000}, {"1.5KB", 1500},
		{"1GiB", 1 << 30}, {"1.5gib", 3 << 29}, {"3MiB", 3 << 20}, {"1KiB", 1024}, {"2TiB", 2 << 40},
		{"1", 1}, {"1B", 1}, {"1.9", 1}, {"9007199254740993", 1<<53 + 1}, {".5KB", 500}, {"5.GB", 5_000_000_000},
		{"2.3GB", 2_300_000_000}, {"1.1GB", 1_100_000_000}, {"0.0019KB", 1},
		{"9223372036GB", 9_223_372_036_000_000_000},
	} {
		if got, err := ParseSize(tt.text); got != tt.want || err != nil {
			t.Errorf("%q is %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"", "is not a size"}, {"GB", "is not a size"}, {"-1GB", "is negative"}, {"-0", "is negative"}, {"0", "less than a byte"}, {"0GB", "less than a byte"},
		{"0.0001KB", "less than a byte"}, {"5G", `: "G"`}, {"5Gbit", `: "Gbit"`}, {"5EB", `: "EB"`}, {"1e3GB", "is not a size"}, {"0x10MB", "is not a size"},
		{"inf", "is not a size"}, {"NaN", "is not a size"}, {"infGB", "is not a size"}, {"1_000MB", "is not a size"}, {"+5GB", "is not a size"}, {"5,5GB", "is not a size"}, {"1.2.3GB", "is not a size"},
		{"5GB GB", "is not a size"}, {"5\u00a0GB", "is not a size"}, {"五GB", "is not a size"}, {"9223372037GB", "larger than any file"},
		{strings.Repeat("9", 400), "is not a size"}, {"10000000TB", "larger than any file"},
	} {
		if got, err := ParseSize(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20q is %d, %v, want an error that says %s", tt.text, got, err, tt.want)
		}
	}
}
