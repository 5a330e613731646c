// Edits in place of files that others write meanwhile: nothing of theirs is lost.

//go:build unix

package edit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/store"
)

// A training run puts a new checkpoint under the name, while the old one is being
// edited: the new one stays.
func TestReplacedWhileEdited(t *testing.T) {
	for name, e := range map[string]*edit.Edit{
		"metadata": setting("a", strings.Repeat("long ", 2000)),
		"cast":     {Cast: []edit.Cast{{To: safetensors.F16}}},
	} {
		t.Run(name, func(t *testing.T) {
			src := write(t, safetensors.Encoder{}, model()...)
			newer := write(t, safetensors.Encoder{Metadata: map[string]string{"step": "2"}}, model()...)
			var once sync.Once
			e.Progress = func(done, total int64) { once.Do(func() { os.Rename(newer, src) }) }
			if _, failed := e.InPlace(t.Context(), src); failed == nil || !strings.Contains(failed.Error(), "another process") {
				t.Errorf("error %v, want that another process writes it", failed)
			}
			if got := parse(t, src).metadata["step"]; got != "2" {
				t.Error("the new checkpoint is lost")
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(src), ".*")); len(left) > 0 {
				t.Errorf("%q is left", left)
			}
		})
	}
}

// Of edits of one file at once, those that say that they are done are done: none is
// overwritten by another that had read the file before.
func TestEditsAtOnce(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	keys := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	errs := make([]error, len(keys))
	var all sync.WaitGroup
	for i, key := range keys {
		// Every other one finds room in the header if one before it has made some.
		value := strings.Repeat("v", 1+i%2*5000)
		all.Go(func() { _, errs[i] = setting(key, value).InPlace(t.Context(), src) })
	}
	all.Wait()
	metadata := parse(t, src).metadata
	for i, key := range keys {
		if _, is := metadata[key]; is != (errs[i] == nil) {
			t.Errorf("%q is there: %v, and its edit ended with %v", key, is, errs[i])
		}
	}
}

// A file that is written without a pause is not edited, neither in place nor to another file, which would have
// bytes of two states.
func TestWrittenWithoutPause(t *testing.T) {
	t.Parallel()
	src := write(t, safetensors.Encoder{}, model()...)
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				os.Chtimes(src, time.Time{}, time.Now())
			}
		}
	})
	e := &edit.Edit{Cast: []edit.Cast{{To: safetensors.F16}}}
	out := filepath.Join(t.TempDir(), "new.safetensors")
	var mixed error
	for range 300 { // an edit may be done before the file is written again
		if _, mixed = e.Write(t.Context(), src, out); mixed != nil {
			break
		}
		os.Remove(out)
	}
	_, err := e.InPlace(t.Context(), src)
	close(done)
	writer.Wait()
	if err == nil || !strings.Contains(err.Error(), "another process is writing it") {
		t.Errorf("error %v, want that another process is writing it", err)
	}
	if _, missing := os.Stat(out); !errors.Is(mixed, store.ErrChanged) || missing == nil {
		t.Errorf("written elsewhere: %v, and the file is there: %v", mixed, missing == nil)
	}
}
