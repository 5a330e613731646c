// What the Hub is not asked: what it has said before.

package remote_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// paths returns the paths of the requests that a Hub received from the nth on.
func paths(h *remotetest.Hub, n int) []string {
	var list []string
	for _, seen := range h.Seen()[n:] {
		list = append(list, seen.Path)
	}
	return list
}

func readAll(t *testing.T, s store.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		o, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		o.Close()
	}
}

// TestRenamed: the first answer redirects to the new name of a repository, and everything after it is requested
// by that name, also in later runs, and without a network.
func TestRenamed(t *testing.T) {
	for _, kind := range []string{"", "datasets/"} {
		for _, revision := range []string{"", "@" + commit} {
			for _, first := range []string{"file", "listing"} {
				t.Run(kind+revision+first, func(t *testing.T) {
					h := &remotetest.Hub{Moved: map[string]string{kind + "org/old": kind + "new/name"}, Repos: map[string]*remotetest.Repo{
						kind + "new/name": {Commit: commit, Files: map[string][]byte{"a": pattern(10), "b": pattern(20)}}}, Large: 15}
					o := serveHub(t, h)
					o.CacheDir = t.TempDir()
					s := open(t, o, "hf://"+kind+"org/old"+revision).(store.Lister)
					if first == "listing" {
						list(t, s)
					}
					readAll(t, s, "a", "b")
					list(t, s)
					seen := paths(h, 0)
					old := slices.DeleteFunc(slices.Clone(seen), func(p string) bool { return !strings.Contains(p, "org/old") })
					if most := 1 + strings.Count(first, "listing"); len(old) == 0 || len(old) > most {
						t.Errorf("%d of the requests were for the old name, want one: %q", len(old), seen)
					}
					for _, offline := range []bool{false, true} {
						n := len(seen)
						later := &remote.Opener{Env: o.Env, CacheDir: o.CacheDir, Retries: -1, Offline: offline}
						s := open(t, later, "hf://"+kind+"org/old"+revision).(store.Lister)
						readAll(t, s, "a", "b")
						list(t, s)
						if more := paths(h, n); slices.ContainsFunc(more, func(p string) bool { return strings.Contains(p, "org/old") }) {
							t.Errorf("a later run requested %q", more)
						}
					}
				})
			}
		}
	}
}

// list lists everything.
func list(t *testing.T, s store.Lister) (names []string) {
	t.Helper()
	for e, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name)
	}
	return names
}

// TestRenamedElsewhere: a redirect to another server is not a new name.
func TestRenamedElsewhere(t *testing.T) {
	other := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"evil/name": {Commit: commit, Files: map[string][]byte{"a": pattern(10)}}}, Large: 1 << 20}
	cdn := serveHub(t, other)
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"a": pattern(10), "b": pattern(20)}}}}
	o := serveHub(t, h)
	h.CDN = cdn.Env("HF_ENDPOINT") + "/evil/name/resolve/main"
	s := open(t, o, "hf://org/repo")
	_, _ = s.Open(t.Context(), "a")
	_, _ = s.Open(t.Context(), "b")
	if got := paths(h, 0); !slices.Equal(got, []string{"/org/repo/resolve/main/a", "/org/repo/resolve/" + commit + "/b"}) {
		t.Errorf("the endpoint was asked for %q", got)
	}
}

// TestListedFilesOnly: a server that has listed a folder is not asked for what the listing lacks.
func TestListedFilesOnly(t *testing.T) {
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"a": {1}, "dir/b": {1}, "dir0": {1}}}}}
	for _, folder := range []string{"", "dir"} {
		s := open(t, serveHub(t, h), "hf://org/repo").(store.Lister)
		for _, err := range s.List(t.Context(), folder) {
			if err != nil {
				t.Fatal(err)
			}
		}
		n := len(h.Seen())
		for _, name := range []string{"dir/absent", "dir/c/absent", "dir/b/absent", "dir/a", "dir/z"} {
			if _, err := s.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := paths(h, n); len(got) > 0 {
			t.Errorf("after a listing of %q: %q", folder, got)
		}
		readAll(t, s, "dir/b", "a", "dir0")
		if _, err := s.Open(t.Context(), "absent"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if asked := slices.Contains(paths(h, n), "/org/repo/resolve/"+commit+"/absent"); asked != (folder != "") {
			t.Errorf("after a listing of %q the server was asked for another file outside: %v", folder, asked)
		}
	}
}

// TestIncompleteListing: a listing that was not read to its end does not say what is missing.
func TestIncompleteListing(t *testing.T) {
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"a": {1}, "b": {1}, "c": {1}}}}}
	s := open(t, serveHub(t, h), "hf://org/repo").(store.Lister)
	for range s.List(t.Context(), "") {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range s.List(ctx, "") {
		cancel()
	}
	readAll(t, s, "a", "b", "c")
	if got := list(t, s); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("listed %q", got)
	}
}

// TestIndexBesideListing: the index of a model is requested with its listing, and its answer has the commit, even
// if there is no index.
func TestIndexBesideListing(t *testing.T) {
	for _, index := range []string{"model.safetensors.index.json", "other.json"} {
		h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{index: []byte("{}"), "a": {1}}}}, Large: 100}
		s := open(t, serveHub(t, h), "hf://org/repo").(store.Lister)
		list(t, s)
		readAll(t, s, index)
		want := []string{"/org/repo/resolve/main/model.safetensors.index.json", "/api/models/org/repo/tree/" + commit}
		if index == "other.json" {
			want = append(want, "/org/repo/resolve/"+commit+"/"+index)
		}
		if got := paths(h, 0); !slices.Equal(got, want) {
			t.Errorf("asked for %q, want %q", got, want)
		}
	}
}
