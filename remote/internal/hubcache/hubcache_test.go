// Writing the cache: by several at once, with and without links, and only what is right.

package hubcache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors/internal/flock"
)

const (
	commit  = "0123456789abcdef0123456789abcdef01234567"
	helloID = "ce013625030ba8dba906f756967f9e9ca394464a" // `echo hello | git hash-object --stdin`
)

func snapshot(t *testing.T) *Snapshot {
	return &Snapshot{Repo: NewRepo(t.TempDir(), "models", "org/name"), Revision: "main", Commit: commit, Whole: true,
		Files: []File{{"sub/hello.txt", 6, helloID, helloID}}}
}

// writes returns a download of a text that counts its calls.
func writes(text string, calls *atomic.Int64) func(context.Context, string) error {
	return func(_ context.Context, name string) error {
		calls.Add(1)
		return os.WriteFile(name, []byte(text), 0o666)
	}
}

// TestAddedOnce: of several that add a file at once, one downloads it.
func TestAddedOnce(t *testing.T) {
	s := snapshot(t)
	var calls atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.Add(t.Context(), &s.Files[0], nil, writes("hello\n", &calls)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(filepath.Join(s.Folder(), "sub", "hello.txt"))
	if calls.Load() != 1 || string(text) != "hello\n" {
		t.Errorf("%d downloads, %q, %v", calls.Load(), text, err)
	}
	if to, err := os.Readlink(filepath.Join(s.Folder(), "sub", "hello.txt")); err == nil && filepath.ToSlash(to) != "../../../blobs/"+helloID {
		t.Errorf("it links to %q", to)
	}
}

// TestWaits: Add waits for the lock that huggingface_hub holds, says so once, and uses what that has downloaded.
func TestWaits(t *testing.T) {
	s := snapshot(t)
	name := filepath.Join(s.Repo.Cache(), ".locks", "models--org--name", helloID+".lock")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := flock.TryStart(f); err != nil {
		t.Skip(err)
	}
	said := 0
	busy := func() {
		if said++; said == 1 {
			blobs := filepath.Join(s.Repo.Cache(), "models--org--name", "blobs")
			if err := errors.Join(os.MkdirAll(blobs, 0o777), os.WriteFile(filepath.Join(blobs, helloID), []byte("hello\n"), 0o666)); err != nil {
				t.Error(err)
			}
			f.Close()
		}
	}
	var calls atomic.Int64
	if err := s.Add(t.Context(), &s.Files[0], busy, writes("hello\n", &calls)); err != nil || said != 1 || calls.Load() != 0 {
		t.Errorf("%v; it said %d times that it waits, and downloaded %d times", err, said, calls.Load())
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("the lock file should stay: %v", err)
	}
}

// TestWaitEnds: waiting ends with the context.
func TestWaitEnds(t *testing.T) {
	s := snapshot(t)
	unlock, err := lock(t.Context(), filepath.Join(s.Repo.Cache(), ".locks", "models--org--name", helloID+".lock"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	if err := s.Add(ctx, &s.Files[0], cancel, writes("", &calls)); !errors.Is(err, context.Canceled) || calls.Load() != 0 {
		t.Errorf("%v, %d downloads", err, calls.Load())
	}
}

// TestWithoutLinks: where there are no symbolic links, a new blob becomes the file, and one that was there is copied.
func TestWithoutLinks(t *testing.T) {
	symlink = func(string, string) error { return errors.ErrUnsupported }
	defer func() { symlink = os.Symlink }()
	for _, isNew := range []bool{true, false} {
		s := snapshot(t)
		blob := s.Repo.path("blobs", helloID)
		if !isNew {
			if err := errors.Join(os.MkdirAll(filepath.Dir(blob), 0o777), os.WriteFile(blob, []byte("hello\n"), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		var calls atomic.Int64
		for range 2 {
			if err := s.Add(t.Context(), &s.Files[0], nil, writes("hello\n", &calls)); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(filepath.Join(s.Folder(), "sub", "hello.txt"))
		if string(text) != "hello\n" {
			t.Errorf("%q, %v", text, err)
		}
		if _, err := os.Stat(blob); (err == nil) == isNew {
			t.Errorf("new: %v, blob: %v", isNew, err)
		}
	}
}

// TestRefused: what would not be the file is not added.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		file File
		text string
		want string
	}{
		{File{"a", 6, helloID, helloID}, "hullo\n", "the Hub recorded " + helloID},
		{File{"a", 6, "../../x", helloID}, "hello\n", "is not the name of a blob"},
		{File{"../a", 6, helloID, helloID}, "hello\n", "is not a valid file name"},
	} {
		s := snapshot(t)
		var calls atomic.Int64
		err := s.Add(t.Context(), &tt.file, nil, writes(tt.text, &calls))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.file, err, tt.want)
		}
		if left, _ := filepath.Glob(s.Repo.path("blobs", "*")); len(left) > 0 {
			t.Errorf("%+v: %q were left", tt.file, left)
		}
	}
	s := snapshot(t)
	s.Revision = "../../x"
	if err := s.Begin(1, nil); err == nil {
		t.Error("a revision outside of refs was recorded")
	}
}

// TestWrongSize: the error about a file that another program has truncated says what to remove, which helps.
func TestWrongSize(t *testing.T) {
	s := snapshot(t)
	var calls atomic.Int64
	add := func() error { return s.Add(t.Context(), &s.Files[0], nil, writes("hello\n", &calls)) }
	if err := add(); err != nil {
		t.Fatal(err)
	}
	blob, err := filepath.EvalSymlinks(filepath.Join(s.Folder(), "sub", "hello.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(blob, 5); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("it has 5 bytes in the cache, and 6 on the server: remove %q", blob)
	if err := add(); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	if err := errors.Join(os.Remove(blob), add()); err != nil || calls.Load() != 2 {
		t.Errorf("after that was removed: %v, %d downloads", err, calls.Load())
	}
}

// TestMissing: the listing tells that a snapshot is partial, and is written only if all files were chosen.
func TestMissing(t *testing.T) {
	s := snapshot(t)
	s.Files = append(s.Files, File{"z", 1, helloID, helloID})
	if err := s.Begin(1, []string{"config.json", "z"}); err != nil {
		t.Fatal(err)
	}
	if n, _, all := s.Repo.missing(commit); n != 0 || all != 0 {
		t.Errorf("without a listing %d of %d are missing", n, all)
	}
	if err := s.Begin(2, nil); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	for i, want := range []int{2, 1} {
		if n, first, all := s.Repo.missing(commit); n != want || first != s.Files[i].Path || all != 2 {
			t.Errorf("%d of %d are missing, the first %q, want %d", n, all, first, want)
		}
		if err := s.Add(t.Context(), &s.Files[0], nil, writes("hello\n", &calls)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Repo.Commit("main"); got != commit {
		t.Errorf("main is %q", got)
	}
	for name, want := range map[string]bool{"config.json": true, "z": false} {
		if _, err := os.Stat(s.Repo.path(".no_exist", commit, name)); (err == nil) != want {
			t.Errorf("%s is recorded as missing: %v", name, err)
		}
	}
}
