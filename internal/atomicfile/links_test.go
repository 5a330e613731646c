// Symbolic links stay, and what they lead to is written.

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// link makes a symbolic link, or skips the test where there are none.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	for _, c := range []struct {
		what   string
		make   func(t *testing.T, dir string)
		name   string // what is written
		target string // what has it then
	}{
		{"to a file", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "file"), "old")
			link(t, "file", filepath.Join(dir, "link"))
		}, "link", "file"},
		{"to a file that is not there", func(t *testing.T, dir string) {
			link(t, "file", filepath.Join(dir, "link"))
		}, "link", "file"},
		{"with an absolute path", func(t *testing.T, dir string) {
			link(t, filepath.Join(dir, "file"), filepath.Join(dir, "link"))
		}, "link", "file"},
		{"to a link", func(t *testing.T, dir string) {
			link(t, "file", filepath.Join(dir, "second"))
			link(t, "second", filepath.Join(dir, "link"))
		}, "link", "file"},
		// far is a/b, so far/.. is a. A path that is only cleaned would say
		// that it is the folder of far.
		{"through a folder that is a link, and up", func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join("a", "b"), filepath.Join(dir, "far"))
			link(t, "far/../file", filepath.Join(dir, "link"))
		}, "link", "a/file"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			name := filepath.Join(dir, c.name)
			write(t, name, "new")
			holds(t, filepath.Join(dir, c.target), "new")
			if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v, %v", info, err)
			}
		})
	}
}

func TestLinksInACircleAreAnError(t *testing.T) {
	dir := t.TempDir()
	link(t, "b", filepath.Join(dir, "a"))
	link(t, "a", filepath.Join(dir, "b"))
	name := filepath.Join(dir, "a")
	var path *fs.PathError
	if _, err := Create(name); !errors.As(err, &path) || path.Path != name {
		t.Errorf("Create: %v", err)
	}
	if _, _, err := follow(name); !errors.Is(err, errTooManyLinks) {
		t.Errorf("follow: %v", err)
	}
}

func TestLinkToAFolderIsAnError(t *testing.T) {
	dir := t.TempDir()
	link(t, ".", filepath.Join(dir, "link"))
	if _, err := Create(filepath.Join(dir, "link")); !errors.Is(err, errIsFolder) {
		t.Errorf("Create: %v", err)
	}
}

func TestCreateNewFollowsALinkToNothing(t *testing.T) {
	dir := t.TempDir()
	link(t, "file", filepath.Join(dir, "link"))
	f, err := CreateNew(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	lists(t, dir, "file", "link")
	if _, err := CreateNew(filepath.Join(dir, "link")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link to a file: %v", err)
	}
}
