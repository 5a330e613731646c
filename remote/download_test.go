// Downloads: whole or absent, resumed at any byte, and held against the digest.

package remote_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// interrupt downloads an object until at least so many bytes are there.
func interrupt(t *testing.T, o store.Object, path string, at int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := remote.Download{Parallel: 1, Progress: func(done, _ int64) {
		if done >= at {
			cancel()
		}
	}}
	if _, err := d.Run(ctx, o, path); !errors.Is(err, context.Canceled) {
		t.Fatalf("the interrupted download returns %v", err)
	}
}

// hidden returns the names of the hidden files in a folder: that of the bytes, and its record.
func hidden(t *testing.T, dir string) (data, sums string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(names) != 2 || names[0]+".sums" != names[1] {
		t.Fatalf("there are the hidden files %q, %v; want one and its record", names, err)
	}
	return names[0], names[1]
}

// TestResume interrupts a download when it has some bytes, and runs it again.
func TestResume(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	for _, at := range []int64{1, 1 << 20, 8<<20 - 1, 8 << 20, 8<<20 + 1, largeSize - 1} {
		path := filepath.Join(t.TempDir(), "model")
		interrupt(t, o, path, at)
		if kept := remote.Kept(o, path); kept < at {
			t.Errorf("%d bytes are kept of %d that came before the interruption", kept, at)
		}
		var done int64
		d := remote.Download{Progress: func(n, _ int64) { done = n }}
		got, err := d.Run(t.Context(), o, path)
		if err != nil || got.SHA256 != sum(content) || !got.Verified || got.Resumed < at || done != largeSize {
			t.Errorf("from byte %d: %+v, %v, %d bytes in all", at, got, err, done)
		}
		isFile(t, path, content)
	}
}

// TestResumeOfDamage changes what an interrupted download has left, as power failures and other
// programs do. Only the record can tell what is wrong: the server has no digest.
func TestResumeOfDamage(t *testing.T) {
	content, tag := pattern(largeSize), `"v1"`
	url := serve(t, objects(map[string][]byte{"model": content}, versioned(&tag)))
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(name string, f func([]byte) []byte) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f(b), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for what, damage := range map[string]func(data, sums string){
		"zeros":         func(data, _ string) { edit(data, func(b []byte) []byte { clear(b[3<<20 : 5<<20]); return b }) },
		"a flipped bit": func(data, _ string) { edit(data, func(b []byte) []byte { b[1<<20] ^= 4; return b }) },
		"truncated":     func(data, _ string) { os.Truncate(data, 5<<20+1) },
		"extended": func(data, _ string) {
			edit(data, func(b []byte) []byte { return append(b, make([]byte, largeSize)...) })
		},
		"no bytes":       func(data, _ string) { os.Remove(data) },
		"no record":      func(_, sums string) { os.Remove(sums) },
		"torn record":    func(_, sums string) { os.Truncate(sums, 13) },
		"long record":    func(_, sums string) { edit(sums, func(b []byte) []byte { return append(b, b...) }) },
		"record of ones": func(_, sums string) { edit(sums, func(b []byte) []byte { return bytes.Repeat([]byte{255}, len(b)) }) },
	} {
		path := filepath.Join(t.TempDir(), "model")
		interrupt(t, o, path, 9<<20)
		damage(hidden(t, filepath.Dir(path)))
		if _, err := new(remote.Download).Run(t.Context(), o, path); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		isFile(t, path, content)
	}
}

// TestResumeOfOtherBytes: the server has other bytes under the same tag. The first bytes that are
// fetched again show it.
func TestResumeOfOtherBytes(t *testing.T) {
	content, tag := pattern(largeSize), `"v1"`
	files := map[string][]byte{"model": content}
	url := serve(t, objects(files, versioned(&tag)))
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	interrupt(t, o, path, 9<<20)
	other := bytes.Clone(content)
	for i := range other {
		other[i] ^= 1
	}
	files["model"] = other
	got, err := new(remote.Download).Run(t.Context(), o, path)
	if err != nil || got.Resumed != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	isFile(t, path, other)
}

// TestPlanted: hidden files that are links, pipes or folders are not written to.
func TestPlanted(t *testing.T) {
	content := pattern(3 << 20)
	o, _ := hubFile(t, content)
	for what, plant := range map[string]func(victim, name string) error{
		"symbolic link": os.Symlink,
		"hard link":     os.Link,
		"folder":        func(_, name string) error { return os.Mkdir(name, 0o777) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "model")
		interrupt(t, o, path, 1<<20)
		data, sums := hidden(t, dir)
		for _, name := range []string{data, sums} {
			victim := filepath.Join(t.TempDir(), "victim")
			if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
				t.Fatal(err)
			}
			os.Remove(path)
			os.RemoveAll(name)
			if err := plant(victim, name); err != nil {
				t.Skip(err)
			}
			if _, err := new(remote.Download).Run(t.Context(), o, path); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			isFile(t, path, content)
			if got, err := os.ReadFile(victim); string(got) != "precious" {
				t.Errorf("%s: what it leads to has %d bytes, %v", what, len(got), err)
			}
		}
	}
}

// TestClean: what is left is removed, unless it is in use, and files of similar names stay.
func TestClean(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	others := []string{".model.part-", ".model.part-0123456789.sums.bak", ".model.part-012345678x", ".model2.part-0123456789", "part"}
	for _, name := range append(others, ".model.part-0123456789") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	used := false
	d := remote.Download{Progress: func(int64, int64) {
		if !used {
			used = true
			remote.Clean(path)
		}
	}}
	if _, err := d.Run(t.Context(), o, path); err != nil {
		t.Errorf("what is in use was removed: %v", err)
	}
	os.Remove(path)
	interrupt(t, o, path, 1<<20)
	remote.Clean(path)
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if slices.Sort(others); !slices.Equal(left, others) {
		t.Errorf("there are %q, want %q", left, others)
	}
}

// TestLongNames: the hidden names are valid where that of the file is, and differ.
func TestLongNames(t *testing.T) {
	content := pattern(3 << 20)
	o, _ := hubFile(t, content)
	dir := t.TempDir()
	first, second := strings.Repeat("n", 240)+"-of-first.file1", strings.Repeat("n", 240)+"-of-first.file2"
	interrupt(t, o, filepath.Join(dir, first), 1<<20)
	hidden(t, dir)
	interrupt(t, o, filepath.Join(dir, second), 1<<20)
	for _, name := range []string{first, second} {
		got, err := new(remote.Download).Run(t.Context(), o, filepath.Join(dir, name))
		if err != nil || got.Resumed == 0 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestManyDownloads: of several downloads of one file at a time one writes it, and the others find
// it complete.
func TestManyDownloads(t *testing.T) {
	content := pattern(largeSize)
	for _, overwrite := range []bool{false, true} {
		o, h := hubFile(t, content)
		path := filepath.Join(t.TempDir(), "model")
		before := len(h.Seen())
		errs := make([]error, 6)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = (&remote.Download{Overwrite: overwrite}).Run(t.Context(), o, path) })
		}
		all.Wait()
		wrote := 0
		for _, err := range errs {
			if err == nil {
				wrote++
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		}
		isFile(t, path, content)
		if requests := len(h.Seen()) - before; !overwrite && (wrote != 1 || requests > 10) {
			t.Errorf("%d downloads wrote the file, with %d requests", wrote, requests)
		}
	}
}

// TestInterruptedWhileReading: all bytes are there, and are being read again for the digest.
func TestInterruptedWhileReading(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	path := filepath.Join(t.TempDir(), "model")
	interrupt(t, o, path, largeSize)
	ctx, cancel := context.WithCancel(t.Context())
	d := remote.Download{Progress: func(int64, int64) { cancel() }}
	if _, err := d.Run(ctx, o, path); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if got, err := new(remote.Download).Run(t.Context(), o, path); err != nil || got.Resumed != largeSize {
		t.Errorf("%+v, %v", got, err)
	}
	isFile(t, path, content)
}

// TestTakenOver: a download that waits for another continues when that fails.
func TestTakenOver(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	path := filepath.Join(t.TempDir(), "model")
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	var resumed int64
	start := sync.OnceFunc(func() {
		waits := make(chan bool)
		go func() {
			d := remote.Download{Busy: func() { close(waits) }}
			got, err := d.Run(t.Context(), o, path)
			if err == nil {
				resumed = got.Resumed
			}
			second <- err
		}()
		<-waits
		cancel()
	})
	d := remote.Download{Parallel: 1, Progress: func(done, _ int64) {
		if done >= 2<<20 {
			start()
		}
	}}
	if _, err := d.Run(ctx, o, path); !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
	if err := <-second; err != nil || resumed < 2<<20 {
		t.Errorf("the second: %v, %d bytes resumed", err, resumed)
	}
	isFile(t, path, content)
}

// TestInterrupted cancels a download after each 4 MiB, until it is done.
func TestInterrupted(t *testing.T) {
	content := pattern(largeSize)
	o, _ := hubFile(t, content)
	path := filepath.Join(t.TempDir(), "model")
	runs := 0
	for err := errors.New("not yet"); err != nil; runs++ {
		ctx, cancel := context.WithCancel(t.Context())
		resumed := int64(-1)
		d := remote.Download{Parallel: 1, Progress: func(done, _ int64) {
			if resumed < 0 {
				resumed = done
			}
			if done >= resumed+4<<20 {
				cancel()
			}
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

// TestOtherVersion: what was left of another version is of no use.
func TestOtherVersion(t *testing.T) {
	content, tag := pattern(largeSize), `"v1"`
	url := serve(t, objects(map[string][]byte{"model": content}, versioned(&tag)))
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	interrupt(t, o, path, 1<<20)
	content[0]++
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
	content := pattern(largeSize)
	dir := folder(t, map[string][]byte{"model": content})
	url := serve(t, http.FileServer(http.Dir(dir)))
	// Another version may get the date of this second, or one to come.
	for _, age := range []time.Duration{-time.Hour, time.Hour} {
		date := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, "model"), date, date); err != nil {
			t.Fatal(err)
		}
		o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
		if err != nil || store.Version(o) != "" != (age > 0) {
			t.Errorf("a file that was written %v ago has the version %q, or %v", age, store.Version(o), err)
		}
	}
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	interrupt(t, o, path, 70_000)
	if got, err := new(remote.Download).Run(t.Context(), o, path); err != nil || got.Resumed < 70_000 {
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
