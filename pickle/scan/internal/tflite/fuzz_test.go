// Arbitrary bytes as models.

package tflite

import (
	"bytes"
	"testing"

	"github.com/weightools/safetensors/pickle/scan/internal/flatbuf"
)

// FuzzAnalyze checks that arbitrary bytes do not panic.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("\x10\x00\x00\x00TFL3\x00\x00\x08\x00\x0c\x00\x04\x00\x08\x00\x08\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := int64(1 << 20)
		spend := func(n int64) bool { left -= n; return left > 0 }
		if _, err := Analyze(flatbuf.NewFile(bytes.NewReader(b), int64(len(b)), spend)); err != nil && left > 0 {
			t.Error(err)
		}
	})
}
