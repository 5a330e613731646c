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

// FuzzSyntax checks that arbitrary text does not panic, and that operators begin in it.
func FuzzSyntax(f *testing.F) {
	f.Add("<ir_version: 8>\ng (float[N] x) => (float[N] y) {\n y = d.F : o <a: graph = s () => (z) { z = G (x) }> (x)\n}\n" +
		"< domain: \"d\" >\nF <b> (a) => (c) { c = Add (a, a) }")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := AnalyzeSyntax([]byte(text))
		if r == nil || err == nil && r.Format == "" {
			t.Fatal(r, err)
		}
		for _, n := range r.Findings {
			if n.Offset < 0 || n.Offset >= int64(len(text)) {
				t.Errorf("%q at %d of %d", n.Message, n.Offset, len(text))
			}
		}
	})
}
