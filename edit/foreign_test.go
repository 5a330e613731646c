// Edited files as others read them, and files of others that are edited.

package edit_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// reader is a program for Python, which reads a file by the reference implementation.
const reader = `
import json, sys
from safetensors import safe_open
with safe_open(sys.argv[1], framework="np") as f:
    tensors = {name: f.get_tensor(name) for name in f.keys()}
    json.dump({"metadata": f.metadata(), "tensors": {
        name: {"dtype": str(t.dtype), "shape": list(t.shape), "data": t.tobytes().hex()} for name, t in tensors.items()}}, sys.stdout)
`

// TestEditsAreReadByPython has files with room in their headers, without, and overwritten.
func TestEditsAreReadByPython(t *testing.T) {
	if err := exec.Command("python3", "-c", "import safetensors, numpy").Run(); err != nil {
		t.Skipf("there is no Python with safetensors and numpy: %v", err)
	}
	src := write(t, safetensors.Encoder{}, of(t, "a.x", float32(1.5), -2), of(t, "b.x", int64(7)), of(t, "c", true))
	for _, e := range []*edit.Edit{
		setting("note", "größe\n🦙"), setting("note", "x"),
		{Rename: []edit.Rename{rename(t, `\.x$=>.y`)}, Cast: []edit.Cast{{To: "F16"}}}, {Unset: []string{"note"}, Canonical: true},
	} {
		inPlace(t, e, src)
		out, err := exec.Command("python3", "-c", reader, src).Output()
		if err != nil {
			t.Fatalf("Python: %v", err)
		}
		var got struct {
			Metadata map[string]string
			Tensors  map[string]struct {
				Dtype, Data string
				Shape       []int64
			}
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		want := parse(t, src)
		if len(got.Tensors) != len(want.entries) || got.Metadata["note"] != want.metadata["note"] {
			t.Errorf("Python reads %q, and we %q", got.Metadata, want.metadata)
		}
		for name, one := range got.Tensors {
			if e := want.entries[name]; one.Data != hexOf(e.data) || len(one.Shape) != len(e.Shape) {
				t.Errorf("Python reads %s as %+v, and we as %+v", name, one, e)
			}
		}
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for _, c := range b {
		s.WriteByte(digits[c>>4])
		s.WriteByte(digits[c&15])
	}
	return s.String()
}

// TestFixtures edits the optional files of others, those that are valid. What it does
// it undoes, and then each is what it was, byte for byte or but for its form.
func TestFixtures(t *testing.T) {
	const dir = "../../shared/fixtures"
	list, err := os.Open(filepath.Join(dir, "manifest.csv"))
	if err != nil {
		t.Skip(err)
	}
	defer list.Close()
	rows, err := csv.NewReader(list).ReadAll()
	if err != nil {
		t.Skip(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasSuffix(cell, ".safetensors") {
				editFixture(t, filepath.Join(dir, filepath.FromSlash(cell)))
			}
		}
	}
}

func editFixture(t *testing.T, name string) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return
	}
	f, err := safetensors.Open(name)
	if err != nil {
		return // which another test refuses
	}
	f.Close()
	src := copied(t, name)
	was := parse(t, src)
	inPlace(t, setting("added by a test", "x"), src)
	inPlace(t, setting("added by a test", "y"), src)
	inPlace(t, &edit.Edit{Unset: []string{"added by a test"}, Canonical: true}, src)
	is := parse(t, src)
	if len(was.entries) != len(is.entries) || len(was.metadata) != len(is.metadata) {
		t.Errorf("%s came back with %d tensors, of %d", name, len(is.entries), len(was.entries))
	}
	for tensor, e := range was.entries {
		if other := is.entries[tensor]; other.Dtype != e.Dtype || string(other.data) != string(e.data) {
			t.Errorf("%s: %s came back as another", name, tensor)
		}
	}
	if f, err = safetensors.Open(src); err != nil {
		t.Error(err)
		return
	}
	f.Close()
}
