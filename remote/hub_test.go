// The Hub, as remotetest models it: pinning, listing, tokens, refusals, the local cache.

package remote_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// serveHub serves a model of the Hub from two hosts, and returns an opener for it.
func serveHub(t *testing.T, h *remotetest.Hub, vars ...string) *remote.Opener {
	t.Helper()
	cdn := httptest.NewServer(h)
	server := httptest.NewServer(h)
	t.Cleanup(cdn.Close)
	t.Cleanup(server.Close)
	h.CDN = cdn.URL
	vars = append(vars, "HF_ENDPOINT="+server.URL, "HF_HOME="+t.TempDir())
	return &remote.Opener{Env: remotetest.Env(vars...), Retries: -1, Meter: new(remote.Meter)}
}

func TestHub(t *testing.T) {
	for _, large := range []int{0, 1 << 30} { // all files from the CDN, and none
		for _, page := range []int{0, 2} {
			t.Run(fmt.Sprintf("large=%d,page=%d", large, page), func(t *testing.T) {
				storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
					h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: files}}, Large: large, PageSize: page}
					return open(t, serveHub(t, h), "hf://org/repo")
				})
			})
		}
	}
}

// TestHubMirror: one that does not say which commit it serves.
func TestHubMirror(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"datasets/org/repo": {Commit: commit, Files: files, Refs: []string{"refs/pr/1"}}}, Nameless: true}
		return open(t, serveHub(t, h), "hf://datasets/org/repo@refs/pr/1")
	})
}

// TestPinning: the first answer says which commit it is of, and all that follows is asked
// of that.
func TestPinning(t *testing.T) {
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"a": pattern(10), "b": pattern(20)}}}, Large: 15}
	s := open(t, serveHub(t, h), "hf://org/repo")
	for _, name := range []string{"a", "b"} {
		if _, err := s.Open(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for range s.(store.Lister).List(t.Context(), "") {
	}
	var paths []string
	for _, seen := range h.Seen() {
		paths = append(paths, seen.Path)
	}
	slices.Sort(paths[3:]) // the index, which readers of a model need next, is requested beside the listing
	want := []string{"/org/repo/resolve/main/a", "/org/repo/resolve/" + commit + "/b", "/cdn/org/repo/" + "", "/api/models/org/repo/tree/" + commit,
		"/org/repo/resolve/" + commit + "/model.safetensors.index.json"}
	if len(paths) != len(want) || !slices.EqualFunc(paths, want, strings.HasPrefix) {
		t.Errorf("asked for %q, want %q", paths, want)
	}
}

// TestDigest: the Hub says the digest of a large file, in the answer and in the listing.
func TestDigest(t *testing.T) {
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"abc": []byte("abc")}}}}
	o, err := open(t, serveHub(t, h), "hf://org/repo").Open(t.Context(), "abc")
	if err != nil {
		t.Fatal(err)
	}
	// FIPS 180-4, the first example.
	if got, ok := store.SHA256(o); !ok || fmt.Sprintf("%x", got) != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("the digest is %x", got)
	}
}

// TestListedOnce: who looks at a folder, and then at it again or at one below it, asks the
// server once.
func TestListedOnce(t *testing.T) {
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{
		"a": {1}, "dir/b": {1}, "dir/c/d": {1}, "dir0": {1}, "dir.x": {1},
	}}}}
	s := open(t, serveHub(t, h), "hf://org/repo").(store.Lister)
	for _, test := range []struct{ folder, want string }{
		{"dir", "[dir/b dir/c/d]"},
		{"", "[a dir.x dir/b dir/c/d dir0]"},
		{"dir/c", "[dir/c/d]"},
		{"dir", "[dir/b dir/c/d]"},
		{"none", "[]"},
		{"", "[a dir.x dir/b dir/c/d dir0]"},
	} {
		got := []string{}
		for e, err := range s.List(t.Context(), test.folder) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Name)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%q has %v, want %s", test.folder, got, test.want)
		}
	}
	trees := 0
	for _, seen := range h.Seen() {
		if strings.Contains(seen.Path, "/tree/") {
			trees++
		}
	}
	if trees != 2 {
		t.Errorf("%d listings were asked for, want one of the folder and one of all", trees)
	}
}

// TestTokens: the token is shown to the endpoint for every request, and to no other host.
func TestTokens(t *testing.T) {
	for _, test := range []struct {
		name string
		vars []string
		file bool // a token is in HF_HOME
		want string
	}{
		{"none", nil, false, ""},
		{"variable", []string{"HF_TOKEN=hf_good"}, false, "hf_good"},
		{"old variable", []string{"HUGGING_FACE_HUB_TOKEN=hf_good"}, false, "hf_good"},
		{"file", nil, true, "hf_good"},
		{"not by itself", []string{"HF_TOKEN=hf_good", "HF_HUB_DISABLE_IMPLICIT_TOKEN=1"}, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"a": pattern(200_000)}}}, Token: "hf_good"}
			vars := test.vars
			if test.file {
				path := filepath.Join(t.TempDir(), "token")
				if err := os.WriteFile(path, []byte("hf_good\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				vars = append(vars, "HF_TOKEN_PATH="+path)
			}
			s := open(t, serveHub(t, h, vars...), "hf://org/repo")
			for range s.(store.Lister).List(t.Context(), "") {
			}
			o, err := s.Open(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			check(t, o, pattern(200_000), 150_000, 100)
			cdn := 0
			for _, seen := range h.Seen() {
				want := ""
				if test.want != "" && !strings.HasPrefix(seen.Path, "/cdn/") {
					want = "Bearer " + test.want
				}
				if seen.Authorization != want {
					t.Errorf("%s%s was shown %q, want %q", seen.Host, seen.Path, seen.Authorization, want)
				}
				if strings.HasPrefix(seen.Path, "/cdn/") {
					cdn++
				}
			}
			if cdn != 2 {
				t.Errorf("the CDN was asked %d times, want for the first bytes and for one block", cdn)
			}
		})
	}
}

// TestTokenOfOneHost: hosts below the endpoint's, others of its name on another port, and
// those that it redirects to are not shown its token.
func TestTokenOfOneHost(t *testing.T) {
	for _, to := range []string{"http://sub.hub.example", "http://hub.example:8080", "http://example", "http://hub.example.evil"} {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.EqualFold(r.Host, "hub.example:80") {
				w.Header().Set("Location", to+"/x")
				w.WriteHeader(http.StatusFound)
				return
			}
			ranged(w, r, pattern(100))
		})
		inBubble(t, h, func(t *testing.T, b *bubble) {
			b.Env = remotetest.Env("HF_ENDPOINT=http://HUB.example:80", "HF_TOKEN=secret")
			if _, err := open(t, &b.Opener, "hf://org/repo").Open(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			for _, r := range b.asked() {
				if token := r.Header.Get("Authorization"); (token != "") != strings.EqualFold(r.Host, "hub.example:80") {
					t.Errorf("%s was shown %q", r.Host, token)
				}
			}
		})
	}
}

func TestHubRefusals(t *testing.T) {
	files := map[string][]byte{"a": pattern(10)}
	hub := remotetest.Hub{Token: "hf_good", Repos: map[string]*remotetest.Repo{
		"org/open": {Commit: commit, Files: files}, "org/private": {Commit: commit, Files: files, Private: true}, "org/gated": {Commit: commit, Files: files, Gated: true},
	}}
	for _, test := range []struct {
		ref, token, want string
		is               error
	}{
		{"hf://org/absent", "", "the repository does not exist, or is private or gated", fs.ErrPermission},
		{"hf://org/absent", "hf_good", "the repository does not exist, or the token's user may not read it", fs.ErrNotExist},
		{"hf://org/private", "", "set HF_TOKEN or log in with `hf auth login`", fs.ErrPermission},
		{"hf://org/private", "hf_bad", "the token is not valid", fs.ErrPermission},
		{"hf://org/gated", "", "is gated: accept its terms at http", fs.ErrPermission},
		{"hf://org/gated", "hf_good", "has no access: request it at http", fs.ErrPermission},
		{"hf://org/open@v2", "", `has no revision "v2"`, fs.ErrNotExist},
		{"hf://org/open", "hf_bad", "the token is not valid", fs.ErrPermission},
	} {
		own := remotetest.Hub{Token: hub.Token, Repos: hub.Repos}
		s := open(t, serveHub(t, &own, "HF_TOKEN="+test.token), test.ref)
		_, err := s.Open(t.Context(), "a")
		var listed error
		for _, err := range s.(store.Lister).List(t.Context(), "") {
			listed = err
		}
		for _, err := range []error{err, listed} {
			if err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, test.is) {
				t.Errorf("%s with %q: %v; want %q", test.ref, test.token, err, test.want)
			}
		}
	}
	s := open(t, serveHub(t, &hub, "HF_TOKEN=hf_good"), "hf://org/private")
	if _, err := s.Open(t.Context(), "absent"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := s.Open(t.Context(), "a"); err != nil {
		t.Errorf("a private file, with the token: %v", err)
	}
}

// TestPagesElsewhere: a listing that goes on at another host is not followed there.
func TestPagesElsewhere(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<http://evil.example/page>; rel="next"`)
		fmt.Fprint(w, "[]")
	})
	inBubble(t, h, func(t *testing.T, b *bubble) {
		b.Env = remotetest.Env("HF_ENDPOINT=http://hub.example", "HF_TOKEN=secret")
		for _, err := range open(t, &b.Opener, "hf://org/repo@"+commit).(store.Lister).List(t.Context(), "") {
			if err == nil || !strings.Contains(err.Error(), "on another server") {
				t.Errorf("the error is %v", err)
			}
		}
		for _, r := range b.asked() {
			if r.Host != "hub.example" {
				t.Errorf("a request to %s", r.Host)
			}
		}
	})
}

// TestHubCache: what the library huggingface_hub has on this machine is read there, and
// without the network it is all there is.
func TestHubCache(t *testing.T) {
	home := t.TempDir()
	repo := filepath.Join(home, "hub", "models--org--repo")
	for path, text := range map[string]string{"refs/main": commit, "snapshots/" + commit + "/a": "local", "snapshots/" + commit + "/sub/b": "local too"} {
		path = filepath.Join(repo, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"a": []byte("local"), "c": []byte("there")}}}}
	online := httptest.NewServer(h)
	defer online.Close()
	gone := httptest.NewServer(h)
	gone.Close()
	for _, test := range []struct {
		name, ref string
		o         *remote.Opener
		requests  int
		listed    string
	}{
		{"online", "hf://org/repo",
			&remote.Opener{Env: remotetest.Env("HF_HOME="+home, "HF_ENDPOINT="+online.URL)}, 1, "a c"},
		{"a commit", "hf://org/repo@" + commit,
			&remote.Opener{Env: remotetest.Env("HF_HOME="+home, "HF_ENDPOINT="+online.URL)}, 0, "a c"},
		{"offline", "hf://org/repo",
			&remote.Opener{Env: remotetest.Env("HF_HOME=" + home), Offline: true}, 0, "a sub/b"},
		{"offline by the environment", "hf://org/repo",
			&remote.Opener{Env: remotetest.Env("HF_HOME="+home, "HF_HUB_OFFLINE=1")}, 0, "a sub/b"},
		{"unreachable", "hf://org/repo",
			&remote.Opener{Env: remotetest.Env("HF_HOME="+home, "HF_ENDPOINT="+gone.URL), Retries: -1}, 1, "a sub/b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := test.o
			o.Meter = new(remote.Meter)
			s := open(t, o, test.ref)
			a, err := s.Open(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			check(t, a, []byte("local"), 0, 5)
			if got := o.Meter.Cost().Requests; got != int64(test.requests) {
				t.Errorf("%d requests, want %d", got, test.requests)
			}
			var names []string
			for e, err := range s.(store.Lister).List(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, e.Name)
			}
			if got := strings.Join(names, " "); got != test.listed {
				t.Errorf("listed %q, want %q", got, test.listed)
			}
		})
	}
	offline := open(t, &remote.Opener{Env: remotetest.Env("HF_HOME=" + home), Offline: true}, "hf://org/repo")
	if _, err := offline.Open(t.Context(), "c"); !errors.Is(err, remote.ErrOffline) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestBudgetOfTheHub reads the headers of 163 shards within what the Hub grants to those
// who are not logged in, as https://huggingface.co/docs/hub/rate-limits says.
func TestBudgetOfTheHub(t *testing.T) {
	var tensors []remotetest.Param
	for i := range 163 {
		for j := range 40 {
			tensors = append(tensors, remotetest.Param{Name: fmt.Sprintf("model.layers.%d.mlp.experts.%d.gate_proj.weight", i, j), Shape: []int64{16, 16}})
		}
	}
	l := remotetest.NewLayout(tensors, 40*512)
	files := map[string][]byte{"model.safetensors.index.json": l.Index}
	for name, head := range l.Heads {
		files[name] = append(slices.Clone(head), make([]byte, l.Sizes[name]-int64(len(head)))...)
	}
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: files}}, Large: 10_000,
		Limits: map[string]int{"api": 500, "resolvers": 3000}}
	o := serveHub(t, h)
	cp, err := checkpoint.Open(t.Context(), "hf://org/repo", &checkpoint.Options{Resolve: o.Open, Parallel: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	n := 0
	for _, err := range cp.Tensors(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	kinds := make(map[string]int)
	for _, seen := range h.Seen() {
		kind := strings.Split(seen.Path, "/")[1]
		kinds[kind]++
	}
	// The listing; the index, whose answer has the commit, and each shard; each of these from the CDN.
	want := map[string]int{"api": 1, "org": 164, "cdn": 164}
	if n != 163*40 || len(l.Heads) != 163 || !maps.Equal(kinds, want) {
		t.Errorf("%d tensors of %d shards for %v, want %v", n, len(l.Heads), kinds, want)
	}
}
