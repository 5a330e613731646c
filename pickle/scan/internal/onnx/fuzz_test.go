// Arbitrary bytes as models.

package onnx

import (
	"bytes"
	"testing"

	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// FuzzAnalyze checks that arbitrary messages and texts do not panic.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("\x08\x08\x3a\x08\x0a\x06\x22\x04MyOp"))
	f.Add([]byte("\x08\x08\x3a\x20\x2a\x1e\x6a\x1c\x0a\x08location\x12\x10../../etc/passwd"))
	f.Add([]byte(`ir_version: 8 graph { node { op_type: "If" attribute { g { node { op_type: "PyOp" } } } } }`))
	f.Fuzz(func(t *testing.T, b []byte) {
		messages, err := Encode(b)
		if err != nil {
			messages = nil
		}
		for _, m := range append(messages, b) {
			left := int64(1 << 20)
			spend := func(n int64) bool { left -= n; return left > 0 }
			if _, err := Analyze(wire.NewFile(bytes.NewReader(m), int64(len(m)), spend)); err != nil && left > 0 {
				t.Error(err)
			}
		}
	})
}
