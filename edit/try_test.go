// Patches that are tried before they are written.

package edit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// A patch that does not make the header that is meant is never written.
func TestPatchIsTriedFirst(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model.safetensors")
	e := safetensors.Encoder{Metadata: map[string]string{"a": "old"}, Slack: true}
	if err := e.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	start, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := safetensors.ReadHeader(bytes.NewReader(start))
	if err != nil {
		t.Fatal(err)
	}
	p := &file{name: name, header: h, metadata: map[string]string{"a": "new"}}
	if p.patch, err = patchOf(start, p.metadata); err != nil || p.patch == nil {
		t.Fatal(p.patch, err)
	}
	if err := p.tryPatch(bytes.Clone(start)); err != nil {
		t.Error(err)
	}
	p.metadata = map[string]string{"a": "other"}
	if err := p.tryPatch(bytes.Clone(start)); err == nil || !strings.Contains(err.Error(), "would be invalid") {
		t.Errorf("other metadata: %v", err)
	}
	p.patch.now = bytes.Repeat([]byte{'x'}, len(p.patch.now))
	if err := p.tryPatch(start); err == nil {
		t.Error("no header: it passes")
	}
}
