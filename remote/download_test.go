// Downloads: whole or absent, resumed at any byte, and held against the digest.

package remote_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// large is an object of several pieces.
const largeSize = 20<<20 + 123

// hubFile serves one large file as the Hub does, and opens it.
func hubFile(t *testing.T, content []byte) (store.Object, *remotetest.Hub) {
	t.Helper()
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"model": content}}}}
	o, err := open(t, serveHub(t, h), "hf://org/repo").Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o, h
}

func sum(b []byte) [32]byte { return sha256.Sum256(b) }

// isFile says what is wrong with a file that should have the content, and nothing of it
// beside it.
func isFile(t *testing.T, path string, content []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || sum(got) != sum(content) {
		t.Errorf("the file has %d bytes of another digest, or %v", len(got), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("%d files are in the folder, want one", len(entries))
	}
}

// A misdescribed object has another digest than its store says.
type misdescribed struct{ store.Object }

func (*misdescribed) SHA256() ([32]byte, bool) { return [32]byte{1}, true }

// TestWrongDigest: nothing stays of bytes that are wrong.
func TestWrongDigest(t *testing.T) {
	content := pattern(100_000)
	o, _ := hubFile(t, content)
	path := filepath.Join(t.TempDir(), "model")
	if _, err := new(remote.Download).Run(t.Context(), &misdescribed{o}, path); !errors.Is(err, remote.ErrDigest) {
		t.Errorf("the error is %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 0 {
		t.Errorf("%d files are left", len(entries))
	}
}

// A summed object has a checksum other than SHA-256.
type summed struct {
	store.Object
	sum *store.Sum
}

func (*summed) SHA256() ([32]byte, bool)              { return [32]byte{}, false }
func (s *summed) Checksum(context.Context) *store.Sum { return s.sum }

// TestOtherChecksums: stores know digests of other algorithms.
func TestOtherChecksums(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	good := md5.Sum(content)
	for _, sum := range []*store.Sum{{Algorithm: "MD5", Value: good[:]}, {Algorithm: "CRC32C", Value: []byte{1, 2, 3, 4}}} {
		path := filepath.Join(t.TempDir(), "model")
		got, err := new(remote.Download).Run(t.Context(), &summed{o, sum}, path)
		if sum.Algorithm == "MD5" {
			if err != nil || !got.Verified || got.SHA256 != sha256.Sum256(content) {
				t.Errorf("%+v, %v", got, err)
			}
			isFile(t, path, content)
		} else if !errors.Is(err, remote.ErrDigest) || !strings.Contains(err.Error(), "CRC32C") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestSourceChanges: a program writes over a local file while it is copied.
func TestSourceChanges(t *testing.T) {
	source := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(source, pattern(largeSize), 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(source, old, old); err != nil {
		t.Fatal(err)
	}
	o, err := store.Dir(filepath.Dir(source)).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	save := sync.OnceValue(func() error { return os.WriteFile(source, make([]byte, largeSize), 0o666) })
	path := filepath.Join(t.TempDir(), "model")
	d := remote.Download{Progress: func(done, _ int64) {
		if done > 1<<20 {
			if err := save(); err != nil {
				t.Error(err)
			}
		}
	}}
	if _, err := d.Run(t.Context(), o, path); !errors.Is(err, store.ErrChanged) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file of two versions")
	}
}

// TestDownloadWithoutRanges: from front to back, with two requests for all of it.
func TestDownloadWithoutRanges(t *testing.T) {
	content := pattern(largeSize)
	o := &remote.Opener{Meter: new(remote.Meter)}
	url := serve(t, objects(map[string][]byte{"model": content}, func(w http.ResponseWriter, r *http.Request, b []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	}))
	object, err := open(t, o, url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if _, err := new(remote.Download).Run(t.Context(), object, path); err != nil {
		t.Fatal(err)
	}
	isFile(t, path, content)
	if got := o.Meter.Cost().Requests; got != 2 {
		t.Errorf("%d requests, want one to open it and one for all", got)
	}
}

// TestLongWithoutRanges: a server without ranges breaks off past what a read would skip. The
// download starts again, and compares what it has.
func TestLongWithoutRanges(t *testing.T) {
	const breaks = 66 << 20
	content := pattern(breaks + 3<<20)
	for _, change := range []bool{false, true} {
		requests := 0
		url := serve(t, objects(map[string][]byte{"model": content}, func(w http.ResponseWriter, r *http.Request, b []byte) {
			requests++
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			switch {
			case requests == 2:
				b = b[:breaks]
			case change && requests == 3:
				b = append(bytes.Clone(b[:breaks-1]), make([]byte, len(b)-breaks+1)...)
			}
			w.Write(b)
		}))
		object, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "model")
		_, err = new(remote.Download).Run(t.Context(), object, path)
		if !change {
			if err != nil {
				t.Error(err)
			}
			isFile(t, path, content)
		} else if !errors.Is(err, store.ErrChanged) {
			t.Errorf("the error of other bytes is %v", err)
		}
	}
}

// TestRangesCease: a server that supported ranges at first sends everything, whatever is requested.
func TestRangesCease(t *testing.T) {
	content, tag := pattern(largeSize), `"v1"`
	requests := new(atomic.Int64)
	url := serve(t, objects(map[string][]byte{"model": content}, func(w http.ResponseWriter, r *http.Request, b []byte) {
		w.Header().Set("ETag", tag)
		if requests.Add(1) <= 2 {
			ranged(w, r, b)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	}))
	object, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if _, err := new(remote.Download).Run(t.Context(), object, path); err != nil {
		t.Fatal(err)
	}
	isFile(t, path, content)
}

// TestShortRanges: a server that sends one byte whatever is requested is given up soon.
func TestShortRanges(t *testing.T) {
	inBubble(t, objects(map[string][]byte{"model": pattern(largeSize)}, func(w http.ResponseWriter, r *http.Request, b []byte) {
		var begin int
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &begin)
		if begin == 0 {
			ranged(w, r, b)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, begin, len(b)))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(b[begin : begin+1])
	}), func(t *testing.T, b *bubble) {
		o, err := open(t, &b.Opener, "http://weights.example/").Open(t.Context(), "model")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := new(remote.Download).Run(t.Context(), o, filepath.Join(t.TempDir(), "model")); err == nil {
			t.Error("no error")
		}
		if n := len(b.asked()); n > 40 {
			t.Errorf("%d requests", n)
		}
	})
}
