// Exchanges that fail or are killed at any move.

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
