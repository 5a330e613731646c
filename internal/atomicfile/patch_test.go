// Several files that are overwritten, of which one cannot be.

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// patchedFolder returns a folder of files that hold "..old..", and patches that make it "..new..".
func patchedFolder(t *testing.T, names ...string) (dir string, list []Patch) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		put(t, filepath.Join(dir, name), "..old..")
		list = append(list, NewPatch(name, 7, 2, []byte("old"), []byte("new")))
	}
	return dir, list
}

func overwriting(t *testing.T, dir string, list []Patch) *Overwriting {
	t.Helper()
	o, err := Overwrite(dir, list)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// The third file is opened for reading alone, so that writing to it fails: the two
// before it get back what they had.
func TestOverwriteIsTakenBack(t *testing.T) {
	dir, list := patchedFolder(t, "1", "2", "3", "4")
	o := overwriting(t, dir, list)
	o.open[2].disk.Close()
	var err error
	if o.open[2].disk, err = os.Open(filepath.Join(dir, "3")); err != nil {
		t.Fatal(err)
	}
	err = o.Apply()
	var path *fs.PathError
	if !errors.As(err, &path) || path.Path != filepath.Join(dir, "3") {
		t.Errorf("error %v; want one of the third file", err)
	}
	for _, name := range []string{"1", "2", "3", "4"} {
		holds(t, filepath.Join(dir, name), "..old..")
	}
	lists(t, dir, "1", "2", "3", "4")
	o.Close()
	if err := overwriting(t, dir, list[:2]).Apply(); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "1"), "..new..")
	lists(t, dir, "1", "2", "3", "4")
}

// A run that is killed between two files leaves a journal, by which the others follow: also if the power failed within
// a write.
func TestOverwriteIsRecovered(t *testing.T) {
	for done := range 4 {
		dir, list := patchedFolder(t, "1", "2", "3")
		if err := (&journal{Patches: list}).create(dir); err != nil {
			t.Fatal(err)
		}
		for i := range done {
			put(t, filepath.Join(dir, string(list[i].Name)), "..new..")
		}
		if done < 3 {
			put(t, filepath.Join(dir, string(list[done].Name)), "..nld..")
		}
		var unfinished *UnfinishedError
		if _, err := Overwrite(dir, list); !errors.As(err, &unfinished) {
			t.Errorf("another edit: %v", err)
		}
		if r, err := Recover(dir, false); err != nil || len(r.Finished) != 3 {
			t.Errorf("%+v, %v", r, err)
		}
		for _, p := range list {
			holds(t, filepath.Join(dir, string(p.Name)), "..new..")
		}
		lists(t, dir, "1", "2", "3")
	}
}

// Of two edits at once, one is refused, and another may follow.
func TestOverwriteIsOneAtATime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks on folders")
	}
	dir, list := patchedFolder(t, "1")
	o := overwriting(t, dir, list)
	if _, err := Overwrite(dir, list); !errors.Is(err, ErrLocked) {
		t.Errorf("error %v", err)
	}
	o.Close()
	overwriting(t, dir, list)
}

// Who else writes to a file between its reading and its writing is noticed.
func TestOverwriteOfAnotherHeader(t *testing.T) {
	for what, text := range map[string]string{"another header": "..odd..", "another size": "..old...", "a part": "..old"} {
		dir, list := patchedFolder(t, "1")
		put(t, filepath.Join(dir, "1"), text)
		var path *fs.PathError
		if _, err := Overwrite(dir, list); !errors.As(err, &path) || !strings.Contains(err.Error(), "another process") {
			t.Errorf("%s: %v", what, err)
		}
		if err := (&journal{Patches: list}).create(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Recover(dir, false); !errors.As(err, &path) || !strings.Contains(err.Error(), JournalName) {
			t.Errorf("%s: recovered with %v", what, err)
		}
		holds(t, filepath.Join(dir, "1"), text)
	}
}
