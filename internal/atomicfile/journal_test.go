// Journals that nobody can trust, and folders that have changed since.

package atomicfile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// halfway returns a folder whose exchange was killed after some moves.
func halfway(t *testing.T, moves int) string {
	t.Helper()
	dir := folderOf(t, "1", "2", "index")
	s := newSet(t, dir, "new", "1", "2", "index")
	if !killed(s, moves) {
		t.Fatal("the exchange was over")
	}
	return dir
}

// rewritten changes the journal of a folder.
func rewritten(t *testing.T, dir string, change func(text string) string) {
	t.Helper()
	name := filepath.Join(dir, JournalName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	put(t, name, change(string(text)))
}

// The names in a journal must not lead out of the folder, and it may not take other hidden folders for its own.
func TestJournalOfAnotherIsNotTrusted(t *testing.T) {
	for _, c := range [][2]string{
		{`"name": "1"`, `"name": "../1"`},
		{`"name": "1"`, `"name": "/etc/passwd"`},
		{`"name": "1"`, `"name": ""`},
		{`"name": "1"`, `"name": ".."`},
		{`"name": "1"`, `"name": "a/b"`},
		{`"name": "1"`, `"name": "a\\\\b"`},
		{`"name": "1"`, `"name": "\\x00"`},
		{`"name": "1"`, `"name": ".weigh-journal"`},
		{`"hidden": ".index.tmp-`, `"hidden": "../.index.tmp-`},
		{`"hidden": ".index.tmp-`, `"hidden": "x.index.tmp-`},
		{`"hidden": ".index.tmp-`, `"hidden": ".git", "x": "`},
		{`weigh.journal/1`, `weigh.journal/2`},
		{`"size": 3`, `"size": "3"`},
		{`"old": [`, `"patches": [{"name":"1","size":3,"at":0,"was":"eA==","now":"eA=="}], "old": [`},
	} {
		dir := halfway(t, 4)
		before := everywhere(t, dir, "old")
		rewritten(t, dir, func(text string) string {
			if !strings.Contains(text, c[0]) {
				t.Fatalf("the journal has no %s:\n%s", c[0], text)
			}
			return strings.Replace(text, c[0], c[1], 1)
		})
		if r, err := Recover(dir, true); r != nil || err == nil {
			t.Errorf("%s: %+v, %v", c[1], r, err)
		}
		if after := everywhere(t, dir, "old"); !slices.Equal(before, after) || Unfinished(dir) == nil {
			t.Errorf("%s: %q", c[1], after)
		}
	}
}

func TestPatchesOutsideOfFilesAreRefused(t *testing.T) {
	for _, p := range []Patch{
		NewPatch("1", 7, 6, []byte("old"), []byte("new")),
		NewPatch("1", 7, -1, []byte("old"), []byte("new")),
		NewPatch("1", 1<<62, 1<<62, []byte("old"), []byte("new")),
		NewPatch("1", 7, 2, []byte("old"), []byte("newer")),
		NewPatch("1", 7, 2, nil, nil),
		NewPatch("../1", 7, 2, []byte("old"), []byte("new")),
		NewPatch(JournalName, 7, 2, []byte("old"), []byte("new")),
		NewPatch("link", 7, 2, []byte("old"), []byte("new")),
		NewPatch("missing", 7, 2, []byte("old"), []byte("new")),
	} {
		dir, _ := patchedFolder(t, "1")
		if err := os.Symlink("1", filepath.Join(dir, "link")); err != nil {
			t.Skip(err)
		}
		if err := (&journal{Patches: []Patch{p}}).create(dir); err != nil {
			t.Fatal(err)
		}
		if r, err := Recover(dir, true); r != nil || err == nil {
			t.Errorf("%+v: %+v, %v", p, r, err)
		}
		holds(t, filepath.Join(dir, "1"), "..old..")
	}
}

// A hidden folder that is a link leads elsewhere.
func TestHiddenFolderIsNoLink(t *testing.T) {
	for _, which := range []string{"", "replaced"} {
		dir, other := halfway(t, 1), t.TempDir()
		link := filepath.Join(dir, Leftovers(dir)[0], which)
		if err := os.Rename(link, filepath.Join(other, "x")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(other, "x"), link); err != nil {
			t.Skip(err)
		}
		if r, err := Recover(dir, true); r != nil || err == nil || !strings.Contains(err.Error(), "not a folder") {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

func TestJournalThatIsNoFile(t *testing.T) {
	for what, make := range map[string]func(name string) error{
		"a folder": func(name string) error { return os.Mkdir(name, 0o777) },
		"a link":   func(name string) error { return os.Symlink("/dev/zero", name) },
		"huge": func(name string) error {
			return errors.Join(os.WriteFile(name, nil, 0o666), os.Truncate(name, journalMax+1))
		},
		"deep": func(name string) error {
			return os.WriteFile(name, []byte(strings.Repeat("[", 1<<20)+"\n}\n"), 0o666)
		},
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, JournalName)); err != nil {
			t.Skip(err)
		}
		if r, err := Recover(dir, true); r != nil || err == nil {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if Unfinished(dir) == nil {
			t.Errorf("%s: it is not reported", what)
		}
	}
}

// A journal that was not written to its end has begun nothing.
func TestJournalThatIsTorn(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		dir := folderOf(t, "1", "2", "index")
		s := newSet(t, dir, "new", "1", "2", "index")
		j, err := s.journal()
		if err != nil {
			t.Fatal(err)
		}
		s.close()
		text, _ := json.Marshal(j)
		put(t, filepath.Join(dir, JournalName), string(text[:n]))
		if r, err := Recover(dir, false); err != nil || r.TakenBack == nil || len(r.Removed) != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		lists(t, dir, "1", "2", "index")
	}
}

// What somebody has put into the folder after the kill is not replaced.
func TestChangedFolderIsLeftAlone(t *testing.T) {
	later := time.Now().Add(time.Hour)
	for what, change := range map[string]func(dir string) error{
		"an old file has another size": func(dir string) error { return os.WriteFile(filepath.Join(dir, "2"), []byte("later"), 0o666) },
		"an old file has another date": func(dir string) error { return os.Chtimes(filepath.Join(dir, "2"), later, later) },
		"there is a new index":         func(dir string) error { return os.WriteFile(filepath.Join(dir, "index"), []byte("my"), 0o666) },
		"the hidden folder is gone":    func(dir string) error { return os.RemoveAll(filepath.Join(dir, Leftovers(dir)[0])) },
	} {
		moves := 2 // index and 1 are aside
		dir := halfway(t, moves)
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		before := seen(t, dir)
		var path *fs.PathError
		if r, err := Recover(dir, true); r != nil || !errors.As(err, &path) || !strings.Contains(err.Error(), JournalName) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if after := seen(t, dir); !slices.Equal(before, after) {
			t.Errorf("%s: the folder had %q, and has %q", what, before, after)
		}
	}
}

// If all new files are in place, a run was killed before it removed its journal. A file that has the name of an old one
// came later, and stays.
func TestFileAfterTheExchangeStays(t *testing.T) {
	dir := folderOf(t, "1", "2", "index")
	s, err := NewSet(dir, []string{"model"}, []string{"index", "1", "2"})
	if err == nil {
		err = writeOne(s, "model", "new")
	}
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.journal()
	if err == nil {
		err = j.create(dir)
	}
	if err == nil {
		err = (&exchange{dir: dir, hid: s.hid, old: j.Old, new: j.New, rename: os.Rename}).forward()
	}
	s.close()
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "1"), "later")
	if r, err := Recover(dir, true); err != nil || r == nil || !slices.Equal(r.Finished, []string{"model"}) {
		t.Errorf("%+v, %v", r, err)
	}
	lists(t, dir, "1", "model")
	holds(t, filepath.Join(dir, "1"), "later")
}

// If the exchange cannot be finished, the old files return, also those that the killed run had moved.
func TestRecoveryIsTakenBack(t *testing.T) {
	broken := errors.New("the disk is gone")
	for moves := range 6 {
		dir := halfway(t, moves)
		n := 0
		r := &Recovery{Dir: dir, rename: func(from, to string) error {
			if n++; n == 1 {
				return broken
			}
			return os.Rename(from, to)
		}}
		if err := r.finish(true); err != nil || !errors.Is(r.TakenBack, broken) {
			t.Errorf("after %d moves: %+v, %v", moves, r, err)
		}
		lists(t, dir, "1", "2", "index")
		for _, name := range []string{"1", "2", "index"} {
			holds(t, filepath.Join(dir, name), "old")
		}
	}
}

// A process at work is not disturbed, and its journal is not taken for one that was left.
func TestLiveExchangeIsLeftAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks on folders")
	}
	dir := folderOf(t, "1", "index")
	s := newSet(t, dir, "new", "1", "index")
	s.rename = func(from, to string) error {
		var unfinished *UnfinishedError
		if err := Unfinished(dir); !errors.As(err, &unfinished) || !unfinished.Live {
			t.Errorf("while it is at work: %v", err)
		}
		r := &Recovery{Dir: dir}
		if r.clean(false); r.Removed != nil {
			t.Errorf("its hidden folder is a leftover: %+v", r)
		}
		return os.Rename(from, to)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	lists(t, dir, "1", "index")
}

// Hidden files of living processes, and files of others, stay.
func TestLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks on folders")
	}
	dir := t.TempDir()
	live, err := Create(filepath.Join(dir, "m"))
	if err != nil {
		t.Fatal(err)
	}
	defer live.Abort()
	set := newSet(t, dir, "new", "1")
	defer set.Abort()
	stay := []string{".env", ".m.tmp-0123456789x", ".m.tmp-012345678", "m.tmp-0123456789", ".m.tmp-01234567X9"}
	for _, name := range append(stay, ".m.tmp-0123456789") {
		put(t, filepath.Join(dir, name), "")
	}
	tree := filepath.Join(dir, ".tree.tmp-0123456789", "src")
	if err := os.MkdirAll(tree, 0o777); err != nil {
		t.Fatal(err)
	}
	r, err := Recover(dir, false)
	if err != nil || !slices.Equal(r.Removed, []string{".m.tmp-0123456789"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if err := live.Commit(); err != nil {
		t.Error(err)
	}
	if err := set.Commit(); err != nil {
		t.Error(err)
	}
	stay = append(stay, "1", "m", ".tree.tmp-0123456789")
	slices.Sort(stay)
	lists(t, dir, stay...)
}

// Names in a journal need not be UTF-8.
func TestNamesOfAnyBytes(t *testing.T) {
	for _, name := range []string{"model.safetensors", "über", "a\xffb", `a"b`, "a\x01b", "\u202e"} {
		text, err := json.Marshal(state{Name: element(name)})
		var back state
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || string(back.Name) != name {
			t.Errorf("%q is %s, and %q: %v", name, text, back.Name, err)
		}
	}
}
