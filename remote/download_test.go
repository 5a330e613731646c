// Downloads: whole or absent, resumed at any byte, and held against the digest.

package remote_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

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

// TestResume leaves a download as a kill at that byte would, and runs it again.
func TestResume(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	for _, at := range []int{0, 1, 4096, 8<<20 - 1, 8 << 20, 8<<20 + 1, largeSize - 1, largeSize} {
		path := filepath.Join(t.TempDir(), "model")
		if err := os.WriteFile(remote.Part(o, path), content[:at], 0o666); err != nil {
			t.Fatal(err)
		}
		var done int64
		d := remote.Download{Progress: func(n, _ int64) { done = n }}
		got, err := d.Run(t.Context(), o, path)
		if err != nil || got.SHA256 != sum(content) || !got.Verified || got.Resumed != int64(at) || done != largeSize {
			t.Errorf("from byte %d: %+v, %v, %d bytes in all", at, got, err, done)
		}
		isFile(t, path, content)
	}
}

// TestInterrupted cancels a download after each of its pieces, until it is done.
func TestInterrupted(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	path := filepath.Join(t.TempDir(), "model")
	runs := 0
	for err := errors.New("not yet"); err != nil; runs++ {
		ctx, cancel := context.WithCancel(t.Context())
		resumed := false
		d := remote.Download{Parallel: 1, Progress: func(int64, int64) {
			if resumed {
				cancel() // the first word is of what was there
			}
			resumed = true
		}}
		if runs == 10 {
			t.Fatalf("after %d runs: %v", runs, err)
		}
		if _, err = d.Run(ctx, o, path); err != nil {
			if _, there := os.Stat(path); there == nil {
				t.Error("the file has its name before it is whole")
			}
		}
		cancel()
	}
	isFile(t, path, content)
	if runs < 2 {
		t.Error("it was never interrupted")
	}
}

// TestWrongDigest: what was left is not good, and nothing but the digest can tell.
func TestWrongDigest(t *testing.T) {
	content := pattern(100_000)
	o, _ := hubFile(t, content)
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(remote.Part(o, path), make([]byte, 500), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := new(remote.Download).Run(t.Context(), o, path); !errors.Is(err, remote.ErrDigest) {
		t.Errorf("the error is %v", err)
	}
	if _, err := new(remote.Download).Run(t.Context(), o, path); err != nil {
		t.Errorf("the next time: %v", err)
	}
	isFile(t, path, content)
}

// TestOtherVersion: what was left of another version is of no use.
func TestOtherVersion(t *testing.T) {
	content, tag := pattern(100_000), `"v1"`
	url := serve(t, objects(map[string][]byte{"model": content}, versioned(&tag)))
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	left := remote.Part(o, path)
	if err := os.WriteFile(left, make([]byte, 500), 0o666); err != nil {
		t.Fatal(err)
	}
	tag = `"v2"`
	if o, err = open(t, new(remote.Opener), url).Open(t.Context(), "model"); err != nil {
		t.Fatal(err)
	}
	got, err := new(remote.Download).Run(t.Context(), o, path)
	if err != nil || got.Resumed != 0 || got.Verified {
		t.Errorf("%+v, %v", got, err)
	}
	isFile(t, path, content)
	if _, err := new(remote.Download).Run(t.Context(), o, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file of that name: %v", err)
	}
}

// TestResumeByDate: a server of files without tags, as Go's is, has dates.
func TestResumeByDate(t *testing.T) {
	content := pattern(100_000)
	url := serve(t, http.FileServer(http.Dir(folder(t, map[string][]byte{"model": content}))))
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(remote.Part(o, path), content[:70_000], 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := new(remote.Download).Run(t.Context(), o, path); err != nil || got.Resumed != 70_000 {
		t.Errorf("%+v, %v; want 70,000 bytes resumed", got, err)
	}
	isFile(t, path, content)
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
