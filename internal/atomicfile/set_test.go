// Sets: what a folder has before, during and after, wherever it ends.

package atomicfile

import (
	"errors"
	"fmt"
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

// TestSetFailsAtAnyMove has one rename after the other fail, and none after it.
func TestSetFailsAtAnyMove(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, test := range sets {
		for failing, ended := 0, false; !ended; failing++ {
			t.Run(fmt.Sprintf("%s, move %d", test.name, failing), func(t *testing.T) {
				dir := folderOf(t, test.old...)
				before := seen(t, dir)
				s := newSet(t, dir, "new", test.new...)
				n := 0
				s.rename = func(from, to string) error {
					if n++; n-1 == failing {
						return &os.LinkError{Op: "rename", Old: from, New: to, Err: broken}
					}
					return os.Rename(from, to)
				}
				err := s.Commit()
				if ended = n <= failing; ended {
					return // there are no more moves, and it has succeeded
				}
				if !errors.Is(err, broken) || strings.Contains(err.Error(), ".tmp-") {
					t.Errorf("Commit: %v; want an error of a name that was asked for", err)
				}
				if after := seen(t, dir); !slices.Equal(before, after) {
					t.Errorf("the folder had %q, and has %q", before, after)
				}
				lists(t, dir, test.old...)
			})
		}
	}
}

// TestKilledAtAnyMove ends the program, as it were, before each rename, and after
// the last. What it finds is what the documentation of Set promises, and Recover finishes it, however often it is
// killed itself.
func TestKilledAtAnyMove(t *testing.T) {
	for _, test := range sets {
		for last, ended := 0, false; !ended; last++ {
			t.Run(fmt.Sprintf("%s, %d moves", test.name, last), func(t *testing.T) {
				dir := folderOf(t, test.old...)
				s := newSet(t, dir, "new", test.new...)
				ended = !killed(s, last)
				checkNames(t, seen(t, dir), test.old, test.new)
				// Nothing is lost, but what is replaced once all have their names.
				if !ended && !slices.Equal(everywhere(t, dir, "old"), test.old) {
					t.Errorf("of the old files there are %q", everywhere(t, dir, "old"))
				}
				if got := everywhere(t, dir, "new"); !slices.Equal(got, test.new) {
					t.Errorf("of the new files there are %q", got)
				}
				recovers(t, dir, test.old, test.new, !ended && len(test.new) > 1)
			})
		}
	}
}

// recovers checks that a folder is recovered to the new set if there is a journal, and to the old one otherwise.
func recovers(t *testing.T, dir string, old, new []string, journal bool) {
	t.Helper()
	if got := Unfinished(dir) != nil; got != journal {
		t.Fatalf("unfinished: %v", got)
	}
	for moves := 0; ; moves++ {
		if !killedRecovery(t, dir, moves) {
			break
		}
	}
	want := make(map[string]string)
	for _, name := range old {
		want[name] = "old"
	}
	for _, name := range new {
		if journal || everywhere(t, dir, "new") != nil {
			want[name] = "new"
		}
	}
	var names []string
	for name := range want {
		names = append(names, name)
	}
	slices.Sort(names)
	lists(t, dir, names...)
	for name, text := range want {
		holds(t, filepath.Join(dir, name), text)
	}
	if r, err := Recover(dir, false); r != nil || err != nil {
		t.Errorf("a second recovery: %+v, %v", r, err)
	}
}

// killedRecovery recovers a folder, up to a number of renames, and says whether there were more.
func killedRecovery(t *testing.T, dir string, moves int) (early bool) {
	t.Helper()
	r := &Recovery{Dir: dir, rename: func(from, to string) error {
		if moves--; moves < 0 {
			panic("killed")
		}
		return os.Rename(from, to)
	}}
	defer func() { early = recover() != nil }()
	if err := r.finish(true); err != nil {
		t.Error(err)
	}
	r.clean(false)
	return false
}

// killed commits s, up to a number of renames, and says whether there were more.
func killed(s *Set, moves int) (early bool) {
	s.rename = func(from, to string) error {
		if moves--; moves < 0 {
			panic("killed") // nothing of s is deferred but its locks
		}
		return os.Rename(from, to)
	}
	defer func() {
		early = recover() != nil
		s.close()
	}()
	s.Commit()
	return false
}

// checkNames checks that whoever finds the last file of a set finds the others of
// the same set, and that of names that both sets have one set has all.
func checkNames(t *testing.T, seen, old, new []string) {
	t.Helper()
	for _, set := range []struct {
		names []string
		text  string
	}{{old, "=old"}, {new, "=new"}} {
		if len(set.names) == 0 || !slices.Contains(seen, set.names[len(set.names)-1]+set.text) {
			continue
		}
		for _, name := range set.names {
			if !slices.Contains(seen, name+set.text) && slices.Contains(set.names, "index") {
				t.Errorf("there is the last%s, but not %s: %q", set.text, name, seen)
			}
		}
	}
	texts := make(map[string]bool)
	for _, name := range new {
		for _, text := range []string{"old", "new"} {
			if slices.Contains(old, name) && slices.Contains(seen, name+"="+text) {
				texts[text] = true
			}
		}
	}
	if len(texts) > 1 {
		t.Errorf("there are files of both sets: %q", seen)
	}
}

// everywhere returns the names of files, wherever in dir, that hold text.
func everywhere(t *testing.T, dir, text string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if string(b) == text {
			names = append(names, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// TestWhatCannotBeBroughtBack: the journal stays then.
func TestWhatCannotBeBroughtBack(t *testing.T) {
	dir := folderOf(t, "1", "2", "index")
	s := newSet(t, dir, "new", "1", "2", "index")
	broken := errors.New("the disk is gone")
	n := 0
	s.rename = func(from, to string) error {
		if n++; n > 4 { // the index and two files are aside, and one is in place
			return broken
		}
		return os.Rename(from, to)
	}
	err := s.Commit()
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "could not be restored") {
		t.Errorf("Commit: %v", err)
	}
	if err := s.Abort(); err != nil {
		t.Error(err)
	}
	if got := everywhere(t, dir, "old"); !slices.Equal(got, []string{"1", "2", "index"}) {
		t.Errorf("of the old files there are %q", got)
	}
	var unfinished *UnfinishedError
	if err := newSet(t, dir, "newer", "1", "index").Commit(); !errors.As(err, &unfinished) || unfinished.Live {
		t.Errorf("another set: %v", err)
	}
	recovers(t, dir, []string{"1", "2", "index"}, []string{"1", "2", "index"}, true)
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
