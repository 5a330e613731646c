// Edits that end early: by their context, by a disk, by who else writes.

package edit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// contents returns what the files of a folder hold, by name.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// unchanged checks that a folder has what it had before f.
func unchanged(t *testing.T, dir string, f func()) {
	t.Helper()
	before := contents(t, dir)
	f()
	after := contents(t, dir)
	if len(before) != len(after) {
		t.Errorf("the folder has %d files, and had %d", len(after), len(before))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
}

// The context ends after any number of bytes: while files are written, and while they
// are read again.
func TestCancelled(t *testing.T) {
	enough := errors.New("enough")
	for _, part := range []float64{0, 0.3, 0.5, 0.7, 0.99} {
		dir := sharded(t)
		unchanged(t, dir, func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			e := &edit.Edit{Rename: []edit.Rename{rename(t, "^h=>x")}, Set: map[string]string{"a": "b"}}
			e.Progress = func(done, total int64) {
				if float64(done) >= part*float64(total) {
					cancel(enough)
				}
			}
			if _, err := e.InPlace(ctx, dir); !errors.Is(err, enough) {
				t.Errorf("after %v: %v", part, err)
			}
		})
	}
}

// Progress ends with the whole, and bytes are counted twice: written, and read again.
func TestProgress(t *testing.T) {
	src := write(t, safetensors.Encoder{}, tensor("t", safetensors.U8, make([]byte, 10<<20)))
	var last, calls atomic.Int64
	e := setting("a", "b")
	e.Progress = func(done, total int64) {
		calls.Add(1)
		if done == total {
			last.Store(total)
		}
	}
	r := inPlace(t, e, src)
	if got := last.Load(); got != 2*r.Files[0].Size || calls.Load() < 10 {
		t.Errorf("the last of %d calls was of %d bytes, for a file of %d", calls.Load(), got, r.Files[0].Size)
	}
}

// What is written differs from what was to be: somebody writes to the source.
func TestSourceThatChanges(t *testing.T) {
	src := write(t, safetensors.Encoder{}, tensor("t", safetensors.U8, make([]byte, 1<<20)))
	e := setting("a", "b")
	e.Progress = func(done, total int64) {
		if 2*done < total {
			return // not before all was written
		}
		f, err := os.OpenFile(src, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		f.WriteAt([]byte("changed"), 1<<19)
	}
	if _, err := e.InPlace(t.Context(), src); err == nil {
		t.Error("it was not noticed")
	}
	onlyHas(t, filepath.Dir(src), "model.safetensors")
	if p := parse(t, src); p.metadata != nil {
		t.Errorf("the file is %q", p.text)
	}
}

// Memory does not grow with the tensors: one of 64 MiB is edited with less than 16.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while; and under the race detector pools keep nothing")
	}
	const size = 64 << 20
	src := raw(t, `{"t":{"dtype":"F16","shape":[33554432],"data_offsets":[0,67108864]}}`, "")
	if err := os.Truncate(src, stat(t, src).Size()+size); err != nil {
		t.Skip(err)
	}
	for _, e := range []*edit.Edit{setting("a", "b"), {Cast: []edit.Cast{{To: "BF16"}}}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		inPlace(t, e, src)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%d bytes were allocated", used)
		}
	}
}

// Small tensors by the thousand: each is compared, several at once.
func TestManyTensors(t *testing.T) {
	var tensors []*safetensors.Tensor
	for i := range 5000 {
		tensors = append(tensors, tensor("t"+string(rune('A'+i%26))+string(rune(0x4e00+i)), safetensors.U16, numbered(byte(i), 2*(i%50))))
	}
	src := write(t, safetensors.Encoder{}, tensors...)
	before := parse(t, src)
	r := inPlace(t, &edit.Edit{Rename: []edit.Rename{rename(t, "^=>x.")}}, src)
	after := parse(t, src)
	for _, one := range before.order {
		if !bytes.Equal(before.entries[one].data, after.entries["x."+one].data) {
			t.Errorf("%s has other bytes", one)
		}
	}
	if slices.ContainsFunc(r.Tensors, func(row edit.Tensor) bool { return row.SHA256 == [32]byte{} }) {
		t.Error("a digest is missing")
	}
}
