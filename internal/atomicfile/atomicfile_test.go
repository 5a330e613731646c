// Whole or absent: what a name has before, during and after.

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
	"unicode/utf8"
)

// write makes the named file hold s, by the way that is tested.
func write(t *testing.T, name, s string) {
	t.Helper()
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
}

// put makes the named file hold s, by the plain way.
func put(t *testing.T, name, s string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(s), 0o666); err != nil {
		t.Fatal(err)
	}
}

// holds checks what the named file holds.
func holds(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

// lists checks what names a folder has: hidden files count.
func lists(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestFileAppearsAtCommit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit the name has something: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	holds(t, name, "new")
	lists(t, dir, "m")
	if err := f.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	holds(t, name, "new")
}

func TestOldFileStaysUntilCommit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	put(t, name, "old, and longer")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.ReadFrom(strings.NewReader("new")); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if err := f.Finish(); err != nil {
		t.Fatal(err)
	}
	holds(t, name, "old, and longer")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	holds(t, name, "new")
	lists(t, dir, "m")
}

func TestAbortLeavesNoTrace(t *testing.T) {
	for _, finish := range []bool{false, true} {
		dir := t.TempDir()
		name := filepath.Join(dir, "m")
		put(t, name, "old")
		f, err := Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		if finish {
			if err := f.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := f.Abort(); err != nil {
				t.Error(err)
			}
		}
		holds(t, name, "old")
		lists(t, dir, "m")
		if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Commit after Abort: %v", err)
		}
		lists(t, dir, "m")
	}
}

func TestCommitRefusesWhatWasNotWritten(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	put(t, name, "old")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the source is broken")
	source := io.MultiReader(strings.NewReader("half"), failing{broken})
	if n, err := f.ReadFrom(source); n != 4 || !errors.Is(err, broken) {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	if err := f.Commit(); !errors.Is(err, broken) {
		t.Errorf("Commit: %v, want the error of the write", err)
	}
	holds(t, name, "old")
	lists(t, dir, "m")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestErrorsNameTheFileThatWasMeant(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	for _, c := range []struct {
		name string
		want error // nil for any
	}{
		{"", fs.ErrInvalid},
		{dir, errIsFolder},
		{dir + string(filepath.Separator), errIsFolder},
		{filepath.Join(dir, "new") + string(filepath.Separator), errIsFolder},
		{filepath.Join(dir, "missing", "m"), fs.ErrNotExist},
		{filepath.Join(dir, "file", "m"), nil},
		{filepath.Join(dir, strings.Repeat("x", 300)), nil},
	} {
		_, err := Create(c.name)
		var path *fs.PathError
		if !errors.As(err, &path) || path.Path != c.name || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("Create(%q) = %v, want %v", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), ".tmp-") {
			t.Errorf("the error shows the hidden name: %v", err)
		}
	}
	lists(t, dir, "file")
}

func TestCreateNewRefusesToReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	put(t, name, "old")
	if _, err := CreateNew(name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CreateNew: %v", err)
	}
	holds(t, name, "old")
	lists(t, dir, "m")
}

func TestCreateNewRefusesAFileMadeMeanwhile(t *testing.T) {
	for _, c := range []struct {
		way  string
		take func(from, to string) error
	}{
		{"hard link", RenameFree},
		{"without hard links", claim},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "m")
		f, err := CreateNew(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Finish(); err != nil {
			t.Fatal(err)
		}
		put(t, name, "another's")
		if err := c.take(f.temp, f.path); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", c.way, err)
		}
		if err := f.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: Commit: %v", c.way, err)
		}
		holds(t, name, "another's")
		lists(t, dir, "m")
	}
}

func TestOneOfManyGetsAFreeName(t *testing.T) {
	for _, c := range []struct {
		way  string
		take func(from, to string) error
	}{
		{"hard link", RenameFree},
		{"without hard links", claim},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "m")
		var files []*File
		for i := range 16 {
			f, err := CreateNew(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(f, "%02d", i)
			if err := f.Finish(); err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		won := make([]bool, len(files))
		var wg sync.WaitGroup
		for i, f := range files {
			wg.Go(func() {
				won[i] = c.take(f.temp, f.path) == nil
				f.done = won[i]
				f.Abort()
			})
		}
		wg.Wait()
		winner := slices.Index(won, true)
		if winner < 0 || slices.Contains(won[winner+1:], true) {
			t.Fatalf("%s: %v got the name", c.way, won)
		}
		holds(t, name, fmt.Sprintf("%02d", winner))
		lists(t, dir, "m")
	}
}

func TestCommitAll(t *testing.T) {
	dir := t.TempDir()
	var files []*File
	for _, name := range []string{"a", "b", "c"} {
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, name)
		files = append(files, f)
	}
	if err := CommitAll(files...); err != nil {
		t.Fatal(err)
	}
	lists(t, dir, "a", "b", "c")
	holds(t, filepath.Join(dir, "b"), "b")
}

func TestCommitAllStopsAtTheFirstNameItCannotTake(t *testing.T) {
	dir := t.TempDir()
	var files []*File
	for _, name := range []string{"a", "b", "c"} {
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// No file takes the name of a folder that is not empty.
	if err := os.MkdirAll(filepath.Join(dir, "b", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	err := CommitAll(files...)
	var path *fs.PathError
	if !errors.As(err, &path) || path.Path != filepath.Join(dir, "b") {
		t.Errorf("CommitAll: %v", err)
	}
	lists(t, dir, "a", "b")
}

func TestCommitAllTakesNoNameIfAWriteFailed(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	var files []*File
	for _, name := range []string{"a", "b"} {
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	files[1].ReadFrom(failing{broken})
	if err := CommitAll(files...); !errors.Is(err, broken) {
		t.Errorf("CommitAll: %v", err)
	}
	lists(t, dir)
}

func TestHiddenNameFits(t *testing.T) {
	shape := regexp.MustCompile(`^\.(.*)\.tmp-[0-9a-z]{10}$`)
	for _, base := range []string{
		"m", "model.safetensors", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 255),
		strings.Repeat("é", 127), strings.Repeat("模", 85), strings.Repeat("\xff", 255), strings.Repeat("😀", 17),
	} {
		got := tempName(base)
		m := shape.FindStringSubmatch(got)
		if m == nil || !strings.HasPrefix(base, m[1]) {
			t.Errorf("%q: %q is not of the form that is documented", base, got)
		}
		if len(got) > max(len(base), 64+16) || utf8.RuneCountInString(got) > max(utf8.RuneCountInString(base), 64+16) {
			t.Errorf("%q: %q is longer", base, got)
		}
		if utf8.ValidString(base) && !utf8.ValidString(got) {
			t.Errorf("%q: %q cuts a letter", base, got)
		}
	}
}

func TestLongestNameCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, base := range []string{strings.Repeat("x", 255), strings.Repeat("é", 127)} {
		name := filepath.Join(dir, base)
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Skipf("no such name here: %v", err)
		}
		write(t, name, "new")
		holds(t, name, "new")
	}
}
