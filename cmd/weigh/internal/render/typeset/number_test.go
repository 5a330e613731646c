// Numbers as people read them.

package typeset

import (
	"math"
	"testing"
)

func TestBytes(t *testing.T) {
	for _, tt := range []struct {
		n     int64
		want  string
		exact string
	}{
		{0, "0 bytes", "0 bytes"},
		{1, "1 byte", "1 byte"},
		{1023, "1,023 bytes", "1,023 bytes"},
		{1024, "1.00 KiB", "1.00 KiB (1,024 bytes)"},
		{297_472, "290.50 KiB", "290.50 KiB (297,472 bytes)"}, // 290.5 * 1024
		// 1024 KiB less a byte is 1023.999 KiB, which two decimals round up.
		{1<<20 - 1, "1.00 MiB", "1.00 MiB (1,048,575 bytes)"},
		{1<<20 - 5, "1.00 MiB", "1.00 MiB (1,048,571 bytes)"},       // 1023.9951
		{1<<20 - 6, "1023.99 KiB", "1023.99 KiB (1,048,570 bytes)"}, // 1023.9941
		// 15,231,233,024 / 2^30 = 14.1852...
		{15_231_233_024, "14.19 GiB", "14.19 GiB (15,231,233,024 bytes)"},
		{math.MaxInt64, "8.00 EiB", "8.00 EiB (9,223,372,036,854,775,807 bytes)"},
	} {
		if got := Bytes(tt.n); got != tt.want {
			t.Errorf("Bytes(%d) = %q, want %q", tt.n, got, tt.want)
		}
		if got := ExactBytes(tt.n); got != tt.exact {
			t.Errorf("ExactBytes(%d) = %q, want %q", tt.n, got, tt.exact)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		n     int64
		count string
		short string
	}{
		{0, "0", "0"},
		{999, "999", "999"},
		{1000, "1,000", "1,000"},
		{9999, "9,999", "9,999"},
		{10_000, "10,000", "10.00K"},
		{148_608, "148,608", "148.61K"},
		{999_994, "999,994", "999.99K"},
		{999_995, "999,995", "1.00M"}, // and not 1000.00K
		{494_032_768, "494,032,768", "494.03M"},
		{7_241_732_096, "7,241,732,096", "7.24B"},
		{671_026_419_200_000, "671,026,419,200,000", "671.03T"},
		{math.MaxInt64, "9,223,372,036,854,775,807", "9.22E"},
	} {
		if got := Count(tt.n); got != tt.count {
			t.Errorf("Count(%d) = %q, want %q", tt.n, got, tt.count)
		}
		if got := Short(tt.n); got != tt.short {
			t.Errorf("Short(%d) = %q, want %q", tt.n, got, tt.short)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		part, whole int64
		want        string
	}{{1, 3, "33.3%"}, {3, 3, "100.0%"}, {0, 3, "0.0%"}, {0, 0, ""}} {
		if got := Percent(tt.part, tt.whole); got != tt.want {
			t.Errorf("Percent(%d, %d) = %q, want %q", tt.part, tt.whole, got, tt.want)
		}
	}
}
