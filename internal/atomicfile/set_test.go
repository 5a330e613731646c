// Sets: what a folder has before, during and after, wherever it ends.

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// newSet returns a set of which each file has been written, and holds text.
func newSet(t *testing.T, dir, text string, names ...string) *Set {
	t.Helper()
	s, err := NewSet(dir, names, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := writeOne(s, name, text); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func writeOne(s *Set, name, text string) error {
	return s.Write(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// folderOf returns a folder in which files of these names hold "old".
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		put(t, filepath.Join(dir, name), "old")
	}
	return dir
}

// seen returns "name=text" of the files that a folder has, hidden ones aside.
func seen(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+"="+string(b))
	}
	return all
}

// sets are what a folder may have, and what it is to get. The last is the index.
var sets = []struct {
	name     string
	old, new []string
}{
	{"into an empty folder", nil, []string{"1", "2", "index"}},
	{"one file for one", []string{"m"}, []string{"m"}},
	{"as many as there were", []string{"1", "2", "index"}, []string{"1", "2", "index"}},
	{"as there were, but for the index", []string{"1", "2"}, []string{"1", "2", "index"}},
	{"others than there were", []string{"a", "b", "index"}, []string{"1", "2", "index"}},
	{"some of those that there were", []string{"1", "b", "index"}, []string{"1", "2", "index"}},
	{"many for one", []string{"m"}, []string{"1", "2", "index"}},
}

func TestSetAppearsAtCommit(t *testing.T) {
	for _, test := range sets {
		t.Run(test.name, func(t *testing.T) {
			dir := folderOf(t, test.old...)
			s := newSet(t, dir, "new", test.new...)
			before := seen(t, dir)
			for _, one := range before {
				if strings.Contains(one, "new") {
					t.Errorf("before Commit the folder has %q", before)
				}
			}
			if err := s.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := s.Abort(); err != nil {
				t.Errorf("Abort after Commit: %v", err)
			}
			names := slices.Concat(test.old, test.new)
			slices.Sort(names)
			lists(t, dir, slices.Compact(names)...)
			for _, name := range test.new {
				holds(t, filepath.Join(dir, name), "new")
			}
			if err := s.Commit(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("a second Commit: %v", err)
			}
		})
	}
}

func TestAbortedSetLeavesNoTrace(t *testing.T) {
	dir := folderOf(t, "1", "index")
	s := newSet(t, dir, "new", "1", "2", "index")
	for range 2 {
		if err := s.Abort(); err != nil {
			t.Error(err)
		}
	}
	lists(t, dir, "1", "index")
	if got := seen(t, dir); !slices.Equal(got, []string{"1=old", "index=old"}) {
		t.Errorf("the folder has %q", got)
	}
	if err := s.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
	// A folder that was made for the set goes with it.
	fresh := filepath.Join(dir, "new", "folder")
	newSet(t, fresh, "new", "m").Abort()
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder made for the set: %v", err)
	}
}

func TestNamesThatSetsCannotHave(t *testing.T) {
	dir := folderOf(t, "file")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := NewSet(dir, []string{"m", "folder"}, nil)
	var path *fs.PathError
	if !errors.As(err, &path) || path.Path != filepath.Join(dir, "folder") {
		t.Errorf("the name of a folder: %v", err)
	}
	if _, err := NewSet(filepath.Join(dir, "file"), []string{"m"}, nil); !errors.As(err, &path) {
		t.Errorf("a file in the place of the folder: %v", err)
	}
	lists(t, dir, "file", "folder")
}

func TestErrorsOfWriting(t *testing.T) {
	dir := t.TempDir()
	s := newSet(t, dir, "new", "1")
	defer s.Abort()
	var path *fs.PathError
	failed := errors.New("no more")
	err := s.Write("2", func(io.Writer) error { return failed })
	if !errors.Is(err, failed) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "2") {
		t.Errorf("an error without a path: %v", err)
	}
	_, other := os.Open(filepath.Join(dir, "absent"))
	if err := s.Write("3", func(io.Writer) error { return other }); err != other {
		t.Errorf("an error of another file: %v; want it as it is", err)
	}
	if err := writeOne(s, "1", "twice"); !errors.Is(err, fs.ErrExist) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "1") {
		t.Errorf("writing a file twice: %v", err)
	}
	err = s.Write("4", func(w io.Writer) error { w.(*paced).file.Close(); return nil })
	if !errors.Is(err, fs.ErrClosed) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "4") {
		t.Errorf("a file that cannot be synced: %v", err)
	}
}

func TestSetIsWrittenByMany(t *testing.T) {
	dir := t.TempDir()
	names := []string{"1", "2", "3", "4", "index"}
	s, err := NewSet(dir, names, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if err := writeOne(s, name, name); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		holds(t, filepath.Join(dir, name), name)
	}
}

func TestHiddenFolderIsCalledAfterTheLast(t *testing.T) {
	dir := t.TempDir()
	s := newSet(t, dir, "new", "1", "index")
	defer s.Abort()
	if name := filepath.Base(s.hid); !regexp.MustCompile(`^\.index\.tmp-[0-9a-z]{10}$`).MatchString(name) {
		t.Errorf("the hidden folder is called %s", name)
	}
}

// What was written can be read before it has its name.
func TestSetIsReadBeforeCommit(t *testing.T) {
	dir := folderOf(t, "1")
	s := newSet(t, dir, "new", "1", "index")
	defer s.Abort()
	for _, name := range []string{"1", "index"} {
		f, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); string(got) != "new" || err != nil {
			t.Errorf("%s is %q, %v", name, got, err)
		}
		f.Close()
	}
	var path *fs.PathError
	if _, err := s.Open("2"); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "2") {
		t.Errorf("a name that was not written: %v", err)
	}
	holds(t, filepath.Join(dir, "1"), "old")
}

// A set that has to be new is, even if somebody was faster.
func TestNewSetReplacesNothing(t *testing.T) {
	for _, taken := range []string{"1", "2", "index"} {
		dir := t.TempDir()
		s := newSet(t, dir, "new", "1", "2", "index")
		s.New = true
		put(t, filepath.Join(dir, taken), "somebody's")
		if err := s.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Commit: %v", err)
		}
		lists(t, dir, taken)
		holds(t, filepath.Join(dir, taken), "somebody's")
	}
	dir := t.TempDir()
	s := newSet(t, dir, "new", "1", "index")
	s.New = true
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	lists(t, dir, "1", "index")
}

// TestAdopt: a file that was written by itself is renamed with the set, or not at all.
func TestAdopt(t *testing.T) {
	for _, broken := range []bool{false, true} {
		dir := folderOf(t, "config", "1")
		beside := filepath.Join(dir, "config")
		f, err := Create(beside)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		elsewhere, err := Create(filepath.Join(t.TempDir(), "config"))
		if err != nil {
			t.Fatal(err)
		}
		defer elsewhere.Abort()
		s := newSet(t, dir, "new", "1")
		if adopted, err := s.Adopt(elsewhere); adopted || err != nil {
			t.Errorf("a file of another folder: %v, %v", adopted, err)
		}
		if adopted, err := s.Adopt(f); !adopted || err != nil {
			t.Fatalf("%v, %v", adopted, err)
		}
		holds(t, beside, "old")
		if s.names[0] != "config" || s.last() != "1" {
			t.Errorf("the set has %q", s.names)
		}
		want := "new"
		if broken {
			want = "old"
			s.rename = func(from, to string) error {
				if filepath.Base(to) == "1" && filepath.Dir(from) == s.hid {
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: os.ErrPermission}
				}
				return os.Rename(from, to)
			}
		}
		if err := s.Commit(); (err != nil) != broken {
			t.Errorf("Commit: %v", err)
		}
		lists(t, dir, "1", "config")
		holds(t, beside, want)
		holds(t, filepath.Join(dir, "1"), want)
	}
}
