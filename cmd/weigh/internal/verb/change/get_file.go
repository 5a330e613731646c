// Downloading one file of several, unless it exists.

package change

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// A fetching is what the downloads of one command share.
type fetching struct {
	sess  *cli.Session
	force bool
	slots chan struct{} // limits requests
	done  cli.Progress
}

// download returns a download of a file, whose progress counts. The function kept counts what is not downloaded,
// because the file exists.
func (a *fetching) download(name string, size int64) (d *remote.Download, kept func()) {
	last := int64(-1)
	d = &remote.Download{
		Overwrite: a.force, Slots: a.slots,
		Progress: func(n, _ int64) {
			if last < 0 {
				a.done.Skip(n) // what an earlier run has left
			} else {
				a.done.Add(n - last)
			}
			last = n
		},
		Busy: func() { a.sess.Notice("another process is downloading %q: waiting for it", name) },
	}
	return d, func() { a.done.Skip(size - max(last, 0)) }
}

// get downloads a file unless it exists.
func (a *fetching) get(ctx context.Context, w *wanted) (receipt.GotFile, error) {
	one := w.receipt()
	if err := os.MkdirAll(filepath.Dir(w.path), 0o777); err != nil {
		return one, err
	}
	d, kept := a.download(w.path, one.Size)
	for try := 0; ; try++ {
		same, err := isThere(ctx, a.sess, w, &one)
		switch {
		case err != nil:
			return one, err
		case same:
			kept()
			one.Kept = true
			remote.Clean(w.path) // of a run that was killed after the file had its name
			return one, nil
		}
		if _, err := os.Lstat(w.path); err == nil && !a.force {
			return one, errors.New("it exists already, and is another file: choose another folder, or overwrite it with --force")
		}
		got, err := d.Run(ctx, w.object, w.path)
		if errors.Is(err, fs.ErrExist) && try == 0 {
			continue // another process has completed it
		}
		if err == nil {
			a.sess.Remember(w.object, w.path)
			one.SHA256, one.Verified, one.Resumed = hex.EncodeToString(got.SHA256[:]), got.Verified, got.Resumed
		}
		return one, err
	}
}

// isThere reports whether the wanted file exists: by a checksum if the store has one, by the version
// that was downloaded if that is remembered, and otherwise by size and samples. It sets the digest
// of one.
func isThere(ctx context.Context, sess *cli.Session, w *wanted, one *receipt.GotFile) (bool, error) {
	info, err := os.Stat(w.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != w.object.Size() {
		return false, nil
	}
	f, err := os.Open(w.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	want := store.Checksum(ctx, w.object)
	if want == nil {
		if same, known := sess.Remembers(w.object, w.path); known {
			return same, nil
		}
		spans, whole := compared(ctx, w.object)
		same, err := equalIn(ctx, w.object, f, spans)
		if same && !whole {
			sess.Notice("keeping %q: same size, and samples are equal", w.path)
		}
		return same, cmp.Or(err, store.Unchanged(w.object))
	}
	digest, sum := sha256.New(), want.New()
	if _, err := io.Copy(io.MultiWriter(digest, sum), f); err != nil {
		return false, err
	}
	one.SHA256, one.Verified = hex.EncodeToString(digest.Sum(nil)), bytes.Equal(sum.Sum(nil), want.Value)
	return one.Verified, nil
}

// checkSpace returns an error if the disk is too small. Partial downloads count as present.
func checkSpace(dir string, files []*wanted, need int64) error {
	for _, w := range files {
		if info, err := os.Stat(w.path); err == nil {
			need -= min(info.Size(), w.object.Size())
		}
		need -= remote.Kept(w.object, w.path)
	}
	return checkFree(dir, need)
}

// checkFree returns an error if the disk of a folder has less space than needed.
func checkFree(dir string, need int64) error {
	if free := cli.FreeSpace(dir); free >= 0 && need > free {
		return fmt.Errorf("the disk of %q has %s free, but %s are needed; nothing was downloaded", dir, typeset.Bytes(free),
			typeset.Bytes(need))
	}
	return nil
}
