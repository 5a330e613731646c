package scan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A shard of a distributed checkpoint has an archive for each tensor.
func TestRow(t *testing.T) {
	good, bad := checkpoint(t), zipped(t, file{"m/data.pkl", evil})
	for _, tt := range []struct {
		name    string
		parts   [][]byte
		verdict pickle.Verdict
	}{
		{"__0_0.distcp", [][]byte{good}, pickle.Safe},
		{"__0_0.distcp", [][]byte{good, good}, pickle.Safe},
		{"__1_12.DISTCP", [][]byte{good, good, good, good}, pickle.Safe},
		{"__0_0.distcp", [][]byte{good, bad}, pickle.Dangerous},
		{"__0_0.distcp", [][]byte{bad, good}, pickle.Dangerous},
		{"__0_0.distcp", [][]byte{good, []byte("?"), good}, pickle.Suspicious},
		{"model.pt", [][]byte{good, good}, pickle.Suspicious},
	} {
		r := scanned(t, new(Scanner), bytes.Join(tt.parts, nil), tt.name)
		if r.Verdict != tt.verdict || !r.Complete || tt.verdict == pickle.Suspicious && rules(r) == "" {
			t.Errorf("%d archives in %s: %v (%s), %v", len(tt.parts), tt.name, r.Verdict, rules(r), r.Findings)
		}
		if row := len(tt.parts) > 1 && tt.verdict != pickle.Suspicious; row != (r.Format == "pytorch-distcp") || row && strings.Contains(notes(r), "nested") {
			t.Errorf("%d archives in %s: format %s, %v", len(tt.parts), tt.name, r.Format, r.Findings)
		}
	}
}
