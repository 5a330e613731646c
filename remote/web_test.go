// Web servers pass the suite of stores, with ranges and without.

package remote_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/bucket"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

// open returns the store of a ref, with an opener that never waits long.
func open(t *testing.T, o *remote.Opener, ref string) store.Store {
	t.Helper()
	r, err := store.Parse(ref)
	if err != nil {
		t.Fatal(err)
	}
	o.Buckets = bucket.Open
	s, err := o.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve starts a server, and returns its URL with a slash at its end.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// folder writes files to a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFileServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return open(t, new(remote.Opener), serve(t, http.FileServer(http.Dir(folder(t, files)))))
	})
}

// TestServerWithoutRanges: one that answers every request with the whole object.
func TestServerWithoutRanges(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return open(t, new(remote.Opener), serve(t, objects(files, func(w http.ResponseWriter, r *http.Request, b []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			w.Write(b)
		})))
	})
}

// TestSmallCache: where almost nothing fits, reads are as right.
func TestSmallCache(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return open(t, &remote.Opener{CacheSize: 100_000, Parallel: 2}, serve(t, http.FileServer(http.Dir(folder(t, files)))))
	})
}

// TestBareServer: ranges, and neither dates nor tags; empty objects have no range.
func TestBareServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return open(t, new(remote.Opener), serve(t, objects(files, ranged)))
	})
}

// objects serves files by answer. HEAD is refused, as signed URLs do it.
func objects(files map[string][]byte, answer func(http.ResponseWriter, *http.Request, []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case r.Method != http.MethodGet:
			w.WriteHeader(http.StatusForbidden)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		default:
			answer(w, r, b)
		}
	})
}

// asked returns the run of bytes that a request asks for; all if it asks for none.
func asked(r *http.Request, size int) (begin, end int, ranged bool) {
	field := r.Header.Get("Range")
	if field == "" {
		return 0, size, false
	}
	fmt.Sscanf(field, "bytes=%d-%d", &begin, &end)
	return begin, min(end+1, size), true
}

// ranged answers as RFC 9110 has it, and says no more than it must.
func ranged(w http.ResponseWriter, r *http.Request, b []byte) {
	begin, end, ok := asked(r, len(b))
	switch {
	case !ok:
		w.Write(b)
	case begin >= len(b):
		w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", len(b)))
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	default:
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, end-1, len(b)))
		w.Header().Set("Content-Length", fmt.Sprint(end-begin))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(b[begin:end])
	}
}

// pattern returns n bytes of which neighbors differ.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// check reads a run of an object, and compares it with the same of content.
func check(t *testing.T, o store.Object, content []byte, off, n int) {
	t.Helper()
	got := make([]byte, n)
	if _, err := o.ReaderAt(t.Context()).ReadAt(got, int64(off)); err != nil && err != io.EOF {
		t.Errorf("ReadAt(%d bytes, %d): %v", n, off, err)
	} else if !bytes.Equal(got, content[off:off+n]) {
		t.Errorf("ReadAt(%d bytes, %d) gave other bytes", n, off)
	}
}

// TestHeader: fields reach the origin that they are for, and neither one of another scheme,
// port or subdomain nor the target of a redirect.
func TestHeader(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "weights.example" {
			w.Header().Set("Location", "http://"+strings.TrimPrefix(r.URL.Path, "/")+"/to")
			w.WriteHeader(http.StatusFound)
			return
		}
		ranged(w, r, pattern(size))
	})
	for _, other := range []string{"weights.example:81", "cdn.weights.example", "other.example"} {
		inBubble(t, h, func(t *testing.T, b *bubble) {
			b.Header = func(origin string) http.Header {
				if origin == "http://weights.example" {
					return http.Header{"Private-Token": {"secret"}, "Authorization": {"Bearer secret"}}
				}
				return nil
			}
			o, err := open(t, &b.Opener, "http://weights.example").Open(t.Context(), other)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			check(t, o, pattern(size), 100_000, 100)
			for _, r := range b.asked() {
				got := r.Header.Get("Private-Token") + r.Header.Get("Authorization")
				if want := r.Host == "weights.example"; want != (got == "secretBearer secret") || !want && got != "" {
					t.Errorf("%s got %q", r.Host, got)
				}
			}
		})
	}
	inBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ranged(w, r, pattern(1)) }),
		func(t *testing.T, b *bubble) {
			b.Header = func(string) http.Header { return http.Header{"Authorization": {"Bearer x"}} }
			if _, err := open(t, &b.Opener, "http://user:pass@weights.example").Open(t.Context(), "model"); err != nil {
				t.Fatal(err)
			}
			if user, _, _ := b.asked()[0].BasicAuth(); user != "user" {
				t.Error("the user name of the URL was not sent")
			}
		})
}
