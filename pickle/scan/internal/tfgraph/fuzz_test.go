// Arbitrary bytes as graphs.

package tfgraph

import (
	"bytes"
	"testing"

	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// budget returns a function that takes work from a budget, and the work that was done.
func budget(n int64) (spend func(int64) bool, spent *int64) {
	spent = new(int64)
	return func(work int64) bool {
		*spent += work
		return *spent < n
	}, spent
}

// FuzzAnalyze checks that arbitrary messages and texts do not panic, and that the work is bounded.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("\x0a\x0f\x0a\x01a\x12\x0aWriteFile\x1a\x01b"))
	f.Add([]byte("\x08\x01\x12\x10\x12\x0e\x0a\x0c\x0a\x01s\x12\x06SaveV2\x1a\x01a"))
	f.Add([]byte("\x12\x2a\x0a\x28\x0a\x08\x0a\x01f\x12\x03\x0a\x01p\x1a\x1c\x0a\x01s\x12\x06SaveV2\x1a\x01p\x1a\x08\x0a\x01q\x12\x01f\x1a\x01q"))
	f.Add([]byte(`node { name: "a" op: "PrintV2" attr { key: "output_stream" value { s: "file:\x2f\057/x" } } }`))
	f.Add([]byte("# a comment\nmeta_graphs <graph_def: [{node {input: ['a', 'b']}}]>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 1 << 20
		messages, err := Encode(b)
		if err != nil {
			messages = nil
		}
		for _, m := range append(messages, b) {
			spend, spent := budget(most)
			if _, err := Analyze(wire.NewFile(bytes.NewReader(m), int64(len(m)), spend)); err != nil && *spent < most {
				t.Errorf("%v after %d of the budget", err, *spent)
			}
		}
	})
}
