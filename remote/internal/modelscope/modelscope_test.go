package modelscope

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

const (
	commit = "83ee97c66e841048bedc5c02c15ce2f3ed259feb"
	older  = "f194f50981eaaa6019bbec5049a4c7e1fd294110"
)

// A fake is ModelScope with the model "org/model", whose branch "master" is at commit. Its answers have the form that
// the Python package modelscope reads.
type fake struct {
	URL     string
	files   map[string][]byte
	token   string         // "" if the model is public
	nobody  bool           // the listing does not say a commit
	storage string         // URL of another server with the files; "" if there is none
	change  func(f []file) // of the listing

	mu       sync.Mutex
	requests []*http.Request
}

func (f *fake) start(t *testing.T) *fake {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.URL = server.URL
	return f
}

func (f *fake) asked() []*http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r)
	if f.token != "" && (r.Header.Get("Authorization") != "Bearer "+f.token ||
		r.Header.Get("Cookie") != "m_session_id="+f.token) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	revision := r.URL.Query().Get("Revision")
	exists := revision == "master" || revision == commit
	switch r.URL.Path {
	case "/api/v1/models/org/model/repo/files":
		f.list(w, exists && r.URL.Query().Get("Recursive") == "true")
	case "/api/v1/models/org/model/repo":
		name := r.URL.Query().Get("FilePath")
		content, ok := f.files[name]
		switch {
		case !ok || !exists:
			w.WriteHeader(http.StatusNotFound)
		case f.storage != "":
			http.Redirect(w, r, f.storage+"/?signature=SECRET", http.StatusFound)
		default:
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// list sends the listing. For a revision that does not exist, ModelScope sends one without files.
func (f *fake) list(w http.ResponseWriter, exists bool) {
	var answer answer
	answer.Success = true
	if exists {
		answer.Data.Files = []file{{Path: "folder", Type: "tree", Revision: older}}
		for i, name := range slices.Backward(slices.Sorted(maps.Keys(f.files))) {
			digest := sha256.Sum256(f.files[name])
			one := file{name, "blob", int64(len(f.files[name])), older, hex.EncodeToString(digest[:])}
			if i == 0 {
				one.Revision = commit
			}
			answer.Data.Files = append(answer.Data.Files, one)
		}
		if !f.nobody {
			answer.Data.LatestCommitter.ShortID = commit[:8]
		}
		if f.change != nil {
			f.change(answer.Data.Files)
		}
	}
	json.NewEncoder(w).Encode(answer)
}

// open opens a revision. Requests are not repeated.
func (f *fake) open(t *testing.T, revision string, settings ...string) store.Store {
	t.Helper()
	s, err := Open(fetch.NewShared(fetch.Options{Env: f.env(settings...), Retries: -1}), ref(revision))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ref(revision string) store.Ref {
	return store.Ref{Scheme: "ms", Root: "org/model", Revision: revision}
}

func (f *fake) env(settings ...string) func(string) string {
	return remotetest.Env(append(settings, "MODELSCOPE_ENDPOINT="+f.URL)...)
}

func TestConformance(t *testing.T) {
	for _, nobody := range []bool{false, true} {
		t.Run(fmt.Sprintf("without commit %t", nobody), func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				return (&fake{files: files, nobody: nobody}).start(t).open(t, "")
			})
		})
	}
}

// Files are requested of the commit of the listing, whose digests they should have.
func TestPinned(t *testing.T) {
	f := (&fake{files: map[string][]byte{"a": []byte("content"), "b": nil}}).start(t)
	for _, revision := range []string{"", "master", commit} {
		o, err := f.open(t, revision).Open(t.Context(), "a")
		if got := remotetest.Read(t, o, err); got != "content" {
			t.Errorf("%q: read %q", revision, got)
		}
		if digest, ok := store.SHA256(o); !ok || digest != sha256.Sum256([]byte("content")) {
			t.Errorf("%q: digest %x, %t", revision, digest, ok)
		}
		all := f.asked()
		if got := all[len(all)-1].URL.Query().Get("Revision"); got != commit {
			t.Errorf("%q: the file is requested of revision %q", revision, got)
		}
	}
	if n := len(f.asked()); n != 6 {
		t.Errorf("%d requests, want 6", n)
	}
	if _, err := f.open(t, "v2").Open(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "there is no such revision") {
		t.Error(err)
	}
	if _, err := f.open(t, "").Open(t.Context(), "absent"); !errors.Is(err, fs.ErrNotExist) || len(f.asked()) != 8 {
		t.Errorf("%v after %d requests", err, len(f.asked()))
	}
}

// Without a commit there is a notice.
func TestUnpinned(t *testing.T) {
	f := (&fake{files: map[string][]byte{"a": []byte("content")}, nobody: true}).start(t)
	var notices []string
	s, err := Open(fetch.NewShared(fetch.Options{Env: f.env(), Notice: func(line string) {
		notices = append(notices, line)
	}}), ref(""))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		o, err := s.Open(t.Context(), "a")
		remotetest.Read(t, o, err)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "does not say which commit ms://org/model@master is") {
		t.Errorf("notices %q", notices)
	}
}

// Offline, what was read before is read again.
func TestOffline(t *testing.T) {
	f := (&fake{files: map[string][]byte{"a": []byte("content")}}).start(t)
	dir := t.TempDir()
	for _, offline := range []bool{false, true} {
		s, err := Open(fetch.NewShared(fetch.Options{Env: f.env(), CacheDir: dir, Offline: offline}), ref(""))
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Open(t.Context(), "a")
		if got := remotetest.Read(t, o, err); got != "content" {
			t.Errorf("offline %t: %q", offline, got)
		}
		o.Close()
	}
	if n := len(f.asked()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// The token goes to ModelScope, and not to the storage that it redirects to.
func TestToken(t *testing.T) {
	content := []byte(strings.Repeat("content", 100_000))
	var got []*http.Request
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	defer storage.Close()
	f := (&fake{files: map[string][]byte{"a": content}, token: "SECRET", storage: storage.URL}).start(t)
	o, err := f.open(t, "", "MODELSCOPE_API_TOKEN=SECRET").Open(t.Context(), "a")
	if remotetest.Read(t, o, err) != string(content) {
		t.Error("other content")
	}
	for _, r := range got {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("the storage gets %q", r.Header)
		}
	}
	for settings, want := range map[string]string{
		"":                               "set MODELSCOPE_API_TOKEN",
		"MODELSCOPE_API_TOKEN=other":     "check MODELSCOPE_API_TOKEN",
		"MODELSCOPE_API_TOKEN=SECRET; x": "is not a token",
	} {
		_, err := f.open(t, "", settings).Open(t.Context(), "a")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("with %q: %v; want %q", settings, err, want)
		}
	}
}

// The settings of the Python package, and their order.
func TestFindEndpoint(t *testing.T) {
	for _, test := range []struct{ settings, want string }{
		{"", "https://modelscope.cn"},
		{"MODELSCOPE_DOMAIN=www.modelscope.ai", "https://www.modelscope.ai"},
		{"MODELSCOPE_ENDPOINT=http://h:1/ MODELSCOPE_DOMAIN=x", "http://h:1"},
		{"MODELSCOPE_ENDPOINT=HTTPS://h/a/", "https://h/a"},
		{"MODELSCOPE_ENDPOINT=ftp://SECRET", ""},
		{"MODELSCOPE_ENDPOINT=https://SECRET@h", ""},
		{"MODELSCOPE_DOMAIN=http://", ""},
	} {
		u, err := findEndpoint(remotetest.Env(strings.Fields(test.settings)...))
		got := ""
		if err == nil {
			got = u.String()
		}
		if got != test.want || err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %q, %v; want %q", test.settings, got, err, test.want)
		}
	}
}

// What ModelScope sends is not trusted.
func TestHostile(t *testing.T) {
	for name, test := range map[string]struct {
		change func(f []file)
		want   string
	}{
		"size":      {func(f []file) { f[1].Size = 1 << 60 }, "should have 1152921504606846976 bytes"},
		"negative":  {func(f []file) { f[1].Size = -1 }, "with a negative size"},
		"duplicate": {func(f []file) { f[2].Path = f[1].Path }, "twice"},
		"no size":   {func(f []file) { f[1].Size = 0 }, "and 0 in the listing"},
		"path":      {func(f []file) { f[2].Path = "../a" }, ""},
		"digest":    {func(f []file) { f[1].Sha256 = "../" }, ""},
	} {
		f := (&fake{files: map[string][]byte{"a": []byte("1"), "b": []byte("2")}, change: test.change}).start(t)
		s := f.open(t, "")
		_, err := s.Open(t.Context(), "b")
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", name, err, test.want)
		}
		for e, err := range s.(store.Lister).List(t.Context(), "") {
			if err == nil && store.CheckName(e.Name) != nil {
				t.Errorf("%s: %q is listed", name, e.Name)
			}
		}
	}
	for text, want := range map[string]string{"<html>": "is not valid for ModelScope", "{}": "refuses the listing",
		`{"Success":false,"Message":"no\nsuch"}`: `refuses the listing: "no\nsuch"`,
		`{"Success":true,"Data":{"Files":null}}`: "no such revision", `{"Success":true,"Data":[]}`: "is not valid"} {
		if _, err := parseListing([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

func TestCommit(t *testing.T) {
	for _, test := range []struct{ id, short, want string }{{commit, "", commit}, {"", commit[:8], commit}, {"", "", ""},
		{"x", commit[:7], ""}, {"", "12345678", ""}, {"../../x", "", ""}} {
		var a answer
		a.Data.Files = []file{{Revision: older}, {Revision: commit}, {Revision: "12345678"}}
		a.Data.LatestCommitter.ID, a.Data.LatestCommitter.ShortID = test.id, test.short
		if got := a.commit(); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
