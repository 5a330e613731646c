// Listings of trees with links, and of trees that cannot all be read.

package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/store"
)

// symlink makes dir/name a link to target.
func symlink(t *testing.T, target, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip(err) // it takes a privilege
		}
		t.Fatal(err)
	}
}

// checkList compares what s lists with lines of "name size", or "name: error",
// of which the error may be any text that has that in it.
func checkList(t *testing.T, s store.Lister, want ...string) {
	t.Helper()
	var got []string
	for e, err := range s.List(t.Context(), "") {
		line := fmt.Sprintf("%s %d", e.Name, e.Size)
		if err != nil {
			line = fmt.Sprintf("%s: %v", e.Name, err)
			if i := len(got); i < len(want) {
				name, text, _ := strings.Cut(want[i], ": ")
				if e.Name == name && strings.Contains(err.Error(), text) {
					line = want[i]
				}
			}
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("List:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestHubCache is a directory as huggingface_hub keeps it: a snapshot's files
// are links, to blobs that lie outside of the snapshot.
func TestHubCache(t *testing.T) {
	root := fill(t, map[string][]byte{
		"blobs/1234": []byte("weights"),
		"blobs/abcd": []byte("{}"),
	})
	snapshot := filepath.Join(root, "snapshots", "main")
	symlink(t, "../../blobs/1234", snapshot, "model.safetensors")
	symlink(t, "../../../blobs/abcd", snapshot, "folder/config.json")
	s := store.Dir(snapshot)
	checkList(t, s, "folder/config.json 2", "model.safetensors 7")
	if got := content(t, s, "model.safetensors"); string(got) != "weights" {
		t.Errorf("content = %q; want that of the blob", got)
	}
}

func TestBrokenLink(t *testing.T) {
	dir := fill(t, map[string][]byte{"a": nil, "c": nil})
	symlink(t, "nowhere", dir, "b")
	symlink(t, "round", dir, "round")
	s := store.Dir(dir)
	checkList(t, s, "a 0", "b: "+filepath.Join(dir, "b"), "c 0", "round: "+filepath.Join(dir, "round"))
	if _, err := s.Open(t.Context(), "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v; want fs.ErrNotExist", err)
	}
}

// TestLinkedDirectory: a link to a directory is another name of what is in it. By
// links it is listed once, and opened by each.
func TestLinkedDirectory(t *testing.T) {
	dir := fill(t, map[string][]byte{"v1/a": nil, "v1/b/c": nil})
	symlink(t, "v1", dir, "latest")
	symlink(t, "v1", dir, "stable")
	s := store.Dir(dir)
	checkList(t, s, "latest/a 0", "latest/b/c 0", "v1/a 0", "v1/b/c 0")
	content(t, s, "stable/b/c")
	// By a link, the directory itself may be named too.
	checkList(t, store.Dir(filepath.Join(dir, "latest")), "a 0", "b/c 0")
}

// TestLinksInCircles has loops of one link, of two, and to the root from below.
func TestLinksInCircles(t *testing.T) {
	dir := fill(t, map[string][]byte{"a/x": nil, "b/y": nil})
	symlink(t, ".", dir, "self")
	symlink(t, "..", dir, "a/up")
	symlink(t, "../b", dir, "a/to-b")
	symlink(t, "../a", dir, "b/to-a")
	checkList(t, store.Dir(dir),
		"a/to-b/y 0", // and not a/to-b/to-a, which is within a
		"a/x 0",
		"b/to-a/x 0", // and not b/to-a/to-b, which was followed before
		"b/y 0",
	)
}

// TestLinksThatMultiply: n directories with links to one another have n! paths
// through them. Each is listed by its own name, and once by links.
func TestLinksThatMultiply(t *testing.T) {
	const n = 12
	dir := t.TempDir()
	for i := range n {
		for j := range n {
			symlink(t, fmt.Sprintf("../d%d", j), dir, fmt.Sprintf("d%d/l%d", i, j))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("d%d", i), "file"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	entries := 0
	for e, err := range store.Dir(dir).List(t.Context(), "") {
		if err != nil {
			t.Fatal(e.Name, err)
		}
		entries++
	}
	if entries < n || entries > 2*n {
		t.Errorf("List yields %d files; want %d to %d", entries, n, 2*n)
	}
}

// TestLinksIntoOneTree: links to a directory, and to those in it one by one, list
// what is in them once. The tree lies outside, and so has no names of its own.
func TestLinksIntoOneTree(t *testing.T) {
	tree := fill(t, map[string][]byte{"a/b/c/x": nil, "a/b/y": nil, "a/z": nil})
	dir := fill(t, map[string][]byte{"own": nil})
	for _, name := range []string{"1", "2", "3"} {
		symlink(t, filepath.Join(tree, "a", "b", "c"), dir, name+"c")
		symlink(t, filepath.Join(tree, "a", "b"), dir, name+"b")
		symlink(t, filepath.Join(tree, "a"), dir, name+"a")
	}
	checkList(t, store.Dir(dir), "1a/b/c/x 0", "1a/b/y 0", "1a/z 0", "own 0")
}

// TestSame: one file under two names is one object, and its equal is not.
func TestSame(t *testing.T) {
	dir := fill(t, map[string][]byte{"a": []byte("1"), "b": []byte("1")})
	symlink(t, "a", dir, "link")
	open := func(s store.Store, name string) store.Object {
		t.Helper()
		o, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { o.Close() })
		return o
	}
	a := open(store.Dir(dir), "a")
	for name, want := range map[string]bool{"a": true, "link": true, "b": false} {
		if got := store.Same(a, open(store.Dir(dir), name)); got != want {
			t.Errorf("a and %s: %t", name, got)
		}
		if got := store.Same(open(store.FS(os.DirFS(dir)), name), a); got != want {
			t.Errorf("%s in an os.DirFS and a: %t", name, got)
		}
	}
	memory := open(store.FS(fstest.MapFS{"a": {Data: []byte("1")}}), "a")
	if store.Same(memory, a) || store.Same(a, memory) || !store.Same(memory, memory) {
		t.Error("of files in memory, one is the same as itself and no other")
	}
}

// TestNameThatIsTooLong: no system has an element of 300 bytes, so there is no such
// object, whatever the system says to that.
func TestNameThatIsTooLong(t *testing.T) {
	_, err := store.Dir(t.TempDir()).Open(t.Context(), strings.Repeat("x", 300))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v; want fs.ErrNotExist", err)
	}
}

// TestLinksWithoutIdentity: files in memory cannot be told apart, so a link to a
// directory might lead round in circles unnoticed.
func TestLinksWithoutIdentity(t *testing.T) {
	s := store.FS(fstest.MapFS{
		"a/x":    {Data: []byte("1")},
		"a/self": {Data: []byte("../a"), Mode: fs.ModeSymlink},
		"link":   {Data: []byte("a/x"), Mode: fs.ModeSymlink},
	})
	checkList(t, s, "a/x 1", "link 1")
}

// failing is a file system of which some directories cannot be read, or only in
// part.
type failing struct {
	fstest.MapFS
	partly bool
}

var errFailing = errors.New("bad sector")

func (f failing) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := f.MapFS.ReadDir(name)
	switch {
	case !strings.Contains(name, "bad"):
		return entries, err
	case f.partly:
		return entries[:1], errFailing
	}
	return nil, errFailing
}

func TestUnreadableDirectory(t *testing.T) {
	fsys := fstest.MapFS{"a/bad/x": {}, "a/bad/y": {}, "a/c": {}, "b": {}}
	checkList(t, store.FS(failing{fsys, false}), "a/bad: bad sector", "a/c 0", "b 0")
	checkList(t, store.FS(failing{fsys, true}), "a/bad: bad sector", "a/bad/x 0", "a/c 0", "b 0")
}

func TestForbiddenDirectory(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("every directory is readable here")
	}
	dir := fill(t, map[string][]byte{"a/x": nil, "b/y": nil, "c": nil})
	b := filepath.Join(dir, "b")
	if err := os.Chmod(b, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(b, 0o777) })
	checkList(t, store.Dir(dir), "a/x 0", "b: "+b, "c 0")
}

func TestListOfFile(t *testing.T) {
	dir := fill(t, map[string][]byte{"a": nil})
	path := filepath.Join(dir, "a")
	checkList(t, store.Dir(path), ": "+path)
}

// TestListStopsReading: after the context's end no directory is read.
func TestListStopsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reads := 0
	fsys := counting{fstest.MapFS{"a/x": {}, "b/y": {}, "c/z": {}}, &reads}
	for e := range store.FS(fsys).List(ctx, "") {
		if e.Name == "a/x" {
			cancel()
		}
	}
	if reads != 2 {
		t.Errorf("%d directories were read; want the root and a", reads)
	}
}

type counting struct {
	fstest.MapFS
	reads *int
}

func (f counting) ReadDir(name string) ([]fs.DirEntry, error) {
	*f.reads++
	return f.MapFS.ReadDir(name)
}
