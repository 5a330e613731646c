// Arbitrary bytes as data of R.

package rdata

import (
	"bytes"
	"testing"
)

// FuzzAnalyze checks that arbitrary bytes do not panic.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("X\n\x00\x00\x00\x02\x00\x04\x03\x00\x00\x03\x05\x00\x00\x00\x04\x05\x00\x00\x00\xfd\x00\x00\x00\xfc\x00\x00\x00\xfe"))
	f.Add([]byte("A\n2\n197636\n131840\n19\n1\n16\n1\n262153\n1\nx\n"))
	f.Add([]byte("B\n\x03\x00\x00\x00\x00\x03\x04\x00\x00\x05\x03\x00\x05\x00\x00\x00UTF-8\x15\x00\x00\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := int64(1 << 20)
		spend := func(n int64) bool { left -= n; return left > 0 }
		if !Is(b) {
			return
		}
		if _, err := Analyze(bytes.NewReader(b), b[:min(len(b), 1024)], spend); err != nil && left > 0 {
			t.Error(err)
		}
	})
}
