// Numbers: which are integers, and that none is rounded.

package jsonscan

import (
	"math/big"
	"strings"
	"testing"
)

// TestNum checks where numbers end, and which are made of digits alone.
func TestNum(t *testing.T) {
	for text, integer := range map[string]bool{
		"0": true, "7": true, "10": true, "18446744073709551615": true, "99999999999999999999999": true,
		"-0": false, "-1": false, "0.0": false, "1.0": false, "1e0": false, "1E2": false, "0e0": false, "1e-1": false,
	} {
		for _, after := range []string{"", ",", "]", "}", " ", "\n", ":", "a", "-", "\x00"} {
			s := New([]byte("  " + text + after))
			n, err := s.Num()
			if err != nil || n != (Num{2, 2 + len(text), integer}) || s.Pos() != n.End {
				t.Errorf("%q: %+v, %v", text+after, n, err)
			}
		}
	}
}

// TestUint has integers around 2^64, and others that wrap round to small ones.
func TestUint(t *testing.T) {
	limit := new(big.Int).Lsh(big.NewInt(1), 64)
	var all []string
	for _, d := range []int64{-12, -11, -10, -9, -2, -1, 0, 1, 2, 4, 9, 10, 11} {
		all = append(all, new(big.Int).Add(limit, big.NewInt(d)).String())
	}
	for _, times := range []int64{2, 3, 10, 100} {
		all = append(all, new(big.Int).Mul(limit, big.NewInt(times)).String())
	}
	for n := 1; n <= 25; n++ {
		all = append(all, strings.Repeat("9", n), "1"+strings.Repeat("0", n))
	}
	all = append(all, "0", "1", "9", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808")
	for _, digits := range all {
		exact, _ := new(big.Int).SetString(digits, 10)
		v, ok := Uint([]byte(digits))
		if ok != exact.IsUint64() || ok && v != exact.Uint64() {
			t.Errorf("%s is %d, %v", digits, v, ok)
		}
	}
}

// TestNumbersOutOfRange has numbers next to the largest that 64 bits hold.
func TestNumbersOutOfRange(t *testing.T) {
	for text, fits := range map[string]bool{
		"1.7976931348623157e308": true, "-1.7976931348623157e308": true, "1.7976931348623159e308": false, "1e308": true, "9e308": false, "1e309": false,
		"0.1e309": true, "0.0001e312": true, "1000e305": true, "1000e306": false, "0e400": true, "-0e400": true, "0.0e999999999999999999999": true, "1e-999999999999999999999": true,
		strings.Repeat("9", 308): true, strings.Repeat("9", 309): false, "1" + strings.Repeat("0", 308): true, "2" + strings.Repeat("0", 308): false,
		strings.Repeat("9", 400) + "e-100": true, "0." + strings.Repeat("0", 500) + "1e600": true, "0." + strings.Repeat("0", 500) + "1e900": false,
	} {
		s := New([]byte(text))
		if _, err := s.Num(); (err == nil) != fits {
			t.Errorf("%.40s, of %d bytes: %v", text, len(text), err)
		}
	}
}
