// Several files that are overwritten, of which one cannot be.

package edit

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// patchedFile returns a file on disk that is to be overwritten, opened so.
func patchedFile(t *testing.T, flags int) *patched {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model.safetensors")
	e := safetensors.Encoder{Metadata: map[string]string{"a": "old"}, Slack: true}
	if err := e.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := safetensors.ReadHeader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	f := &file{name: name, size: int64(len(b)), header: h, metadata: map[string]string{"a": "new"}}
	if f.patch, err = patchOf(b, f.metadata); err != nil || f.patch == nil {
		t.Fatal(f.patch, err)
	}
	p, err := f.openPatched(name)
	if err != nil {
		t.Fatal(err)
	}
	if flags != os.O_RDWR {
		p.disk.Close()
		if p.disk, err = os.OpenFile(name, flags, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { p.disk.Close() })
	return p
}

func has(t *testing.T, p *patched, word string) {
	t.Helper()
	b, err := os.ReadFile(p.name)
	if err != nil || !strings.Contains(string(b), `"a":"`+word+`"`) {
		t.Errorf("the file has %.40q, %v; want %s", b[8:], err, word)
	}
}

// The third file was opened for reading alone, so that writing to it fails: the two
// before it get back what they had.
func TestOverwriteIsTakenBack(t *testing.T) {
	files := []*patched{patchedFile(t, os.O_RDWR), patchedFile(t, os.O_RDWR), patchedFile(t, os.O_RDONLY), patchedFile(t, os.O_RDWR)}
	err := applyAll(files)
	var path *fs.PathError
	if !errors.As(err, &path) || path.Path != files[2].name {
		t.Errorf("error %v; want one of the third file", err)
	}
	for _, p := range files {
		has(t, p, "old")
	}
	if err := applyAll(files[:2]); err != nil {
		t.Error(err)
	}
	has(t, files[0], "new")
}

// A patch that does not make the header that is meant is never written.
func TestPatchIsTriedFirst(t *testing.T) {
	p := patchedFile(t, os.O_RDWR)
	start, err := os.ReadFile(p.name)
	if err != nil {
		t.Fatal(err)
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

// Of two edits at once, one is refused, and another may follow.
func TestOverwriteIsOneAtATime(t *testing.T) {
	p := patchedFile(t, os.O_RDWR)
	if !atomicfile.Lock(p.disk) {
		t.Fatal("an edit is locked out by itself")
	}
	if other, err := p.openPatched(p.name); err == nil {
		other.disk.Close()
		t.Skip("there are no locks here")
	} else if !strings.Contains(err.Error(), "another process") {
		t.Errorf("error %v", err)
	}
	p.disk.Close()
	other, err := p.openPatched(p.name)
	if err != nil {
		t.Fatal(err)
	}
	other.disk.Close()
}

// Who else writes to a file between its reading and its writing is noticed.
func TestOverwriteOfAnotherHeader(t *testing.T) {
	for what, change := range map[string]func(f *os.File, p *patched) error{
		"another header": func(f *os.File, p *patched) error { _, err := f.WriteAt([]byte("AAAA"), p.patch.at); return err },
		"another size":   func(f *os.File, p *patched) error { return f.Truncate(p.size + 1) },
	} {
		p := patchedFile(t, os.O_RDWR)
		if err := change(p.disk, p); err != nil {
			t.Fatal(err)
		}
		p.disk.Close() // and with it the lock
		var path *fs.PathError
		if _, err := p.openPatched(p.name); !errors.As(err, &path) || !strings.Contains(err.Error(), "another process") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
