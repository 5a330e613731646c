// Hidden files of downloads: whose they are, and what else may have their names.

package remote_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors/remote"
)

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
