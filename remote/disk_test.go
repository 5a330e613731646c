// The memory on the disk: what a second look costs, and what is kept.

package remote_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
)

// versioned serves an object with a tag, which it need not send again.
func versioned(tag *string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, b []byte) {
		w.Header().Set("ETag", *tag)
		if r.Header.Get("If-None-Match") == *tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		ranged(w, r, b)
	}
}

// look opens an object with an opener of its own, reads its start, and says what it cost.
func look(t *testing.T, o *remote.Opener, ref, name string, content []byte) (remote.Cost, error) {
	t.Helper()
	o.Meter = new(remote.Meter)
	object, err := open(t, o, ref).Open(t.Context(), name)
	if err != nil {
		return o.Meter.Cost(), err
	}
	check(t, object, content, 0, 1000)
	return o.Meter.Cost(), object.Close()
}

func TestSecondLook(t *testing.T) {
	content, tag := pattern(size), `"v1"`
	url := serve(t, objects(map[string][]byte{"model": content}, versioned(&tag)))
	dir := filepath.Join(t.TempDir(), "cache")
	for i, want := range []struct {
		offline         bool
		tag             string
		requests, bytes int64
	}{
		{false, `"v1"`, 1, 64 << 10}, // the first look
		{false, `"v1"`, 1, 0},        // it has not changed
		{true, `"v1"`, 0, 0},
		{false, `"v2"`, 1, 64 << 10}, // it has
		{true, `"v2"`, 0, 0},
	} {
		tag = want.tag
		got, err := look(t, &remote.Opener{CacheDir: dir, Offline: want.offline}, url, "model", content)
		if err != nil || got.Requests != want.requests || got.Bytes != want.bytes {
			t.Errorf("look %d cost %+v, %v; want %d requests and %d bytes", i, got, err, want.requests, want.bytes)
		}
	}
	// What was never read is not there.
	o, err := open(t, &remote.Opener{CacheDir: dir, Offline: true}, url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.ReaderAt(t.Context()).ReadAt(make([]byte, 1), 100_000); !errors.Is(err, remote.ErrOffline) {
		t.Errorf("a read of what is not there: %v", err)
	}
}

// TestSecondLookAtTheHub: a commit never changes, so only what "main" is has to be asked.
func TestSecondLookAtTheHub(t *testing.T) {
	content := pattern(size)
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"model": content}}}}
	o := serveHub(t, h)
	dir := t.TempDir()
	for i, want := range []struct {
		revision string
		offline  bool
		requests int64
	}{{"", false, 2}, {"", false, 1}, {"@" + commit, false, 0}, {"", true, 0}} {
		got, err := look(t, &remote.Opener{Env: o.Env, CacheDir: dir, Offline: want.offline}, "hf://org/repo"+want.revision, "model", content)
		if err != nil || got.Requests != want.requests {
			t.Errorf("look %d cost %+v, %v; want %d requests", i, got, err, want.requests)
		}
	}
}

// TestKeptFiles: nobody else may read them, and they do not tell where they are from. What
// is broken is as good as not there.
func TestKeptFiles(t *testing.T) {
	content, tag := pattern(size), `"v1"`
	url := serve(t, objects(map[string][]byte{"model": content}, versioned(&tag)))
	dir := t.TempDir()
	if _, err := look(t, &remote.Opener{CacheDir: dir}, url+"?key=secret", "model", content); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v; want one", len(files), err)
	}
	path := filepath.Join(dir, files[0].Name())
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text[:200]), "secret") {
		t.Errorf("the file tells what is secret, or %v", err)
	}
	if info, _ := files[0].Info(); info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read it: %v", info.Mode())
	}
	for name, broken := range map[string]string{
		"empty": "", "no text": "\x00\x01", "cut off": string(text[:1000]), "longer": string(text) + "x",
		"lies": strings.Replace(string(text), fmt.Sprintf(`"size":%d`, size), `"size":5`, 1), "negative": `{"size":-1,"len":-1}` + "\n",
		"one bit of the data differs": string(text[:5000]) + string(text[5000]^1) + string(text[5001:]),
		"another date":                strings.Replace(string(text), `"etag":"\"v1\""`, `"etag":"\"v2\""`, 1),
	} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := look(t, &remote.Opener{CacheDir: dir}, url+"?key=secret", "model", content); err != nil || got.Bytes != 64<<10 {
			t.Errorf("%s: it cost %+v, %v; want the first block again", name, got, err)
		}
	}
}

// TestNoPlaceForCache: that nothing can be kept is no error.
func TestNoPlaceForCache(t *testing.T) {
	content, tag := pattern(size), `"v1"`
	url := serve(t, objects(map[string][]byte{"model": content}, versioned(&tag)))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := look(t, &remote.Opener{CacheDir: filepath.Join(file, "cache")}, url, "model", content); err != nil {
		t.Error(err)
	}
	if _, err := open(t, &remote.Opener{Offline: true}, url).Open(t.Context(), "model"); !errors.Is(err, remote.ErrOffline) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("offline, and without a cache: %v", err)
	}
}
