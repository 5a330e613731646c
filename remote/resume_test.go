// Downloads that are interrupted, and continue.

package remote_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

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
