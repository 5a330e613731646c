// Becoming the only writer of a file, and leaving it.

package partial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/flock"
)

// An Object is what is downloaded.
type Object struct {
	Version string // "" if unknown; then nothing is kept between downloads
	Size    int64
	Trusted bool // the content will be checked with a digest
}

// Open opens the hidden file for a download to path, and creates it if there is none. While another
// process is at work on it, Open waits, and first calls busy. If that process completes the output
// file, the error wraps [fs.ErrExist].
func Open(ctx context.Context, path string, o Object, busy func()) (*File, error) {
	f := &File{path: path, name: nameFor(path, o), size: o.Size, dirty: make(map[int64]bool)}
	f.more.L = &f.mu
	before, _ := os.Lstat(path)
	for {
		err := f.lock()
		if err == nil {
			break
		}
		if !errors.Is(err, flock.ErrHeld) {
			return nil, err
		}
		if busy != nil {
			busy()
			busy = nil
		}
		const pause = 100 * time.Millisecond
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if now, err := os.Lstat(path); err == nil && (before == nil || !os.SameFile(before, now)) {
		f.Discard()
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if err := f.begin(ctx, o); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	removeOthers(path, f.name)
	return f, nil
}

// lock creates the record and locks it. On file systems without locks, two processes may write one
// file. They write the same bytes to it, and both compare the result with what they received.
func (f *File) lock() error {
	for {
		sums, err := openOwn(f.name + sumsEnd)
		if err != nil {
			return err
		}
		if err := flock.Try(sums); errors.Is(err, flock.ErrHeld) {
			return errors.Join(err, sums.Close())
		}
		if flock.IsAt(sums, f.name+sumsEnd) {
			f.sums = sums
			return nil
		}
		sums.Close() // another process was finishing, and has removed it
	}
}

// begin opens the file for the bytes, and determines which are present.
func (f *File) begin(ctx context.Context, o Object) (err error) {
	if f.data, err = openOwn(f.name); err != nil {
		return err
	}
	if o.Version == "" {
		return f.Reset()
	}
	err = f.load(ctx)
	f.compare = !o.Trusted && f.have > 0
	return err
}

// openOwn opens or creates a hidden file. Anything else of that name, such as a link that somebody
// made to have another file overwritten, is removed.
func openOwn(name string) (*os.File, error) {
	const attempts = 10
	for try := 0; ; try++ {
		f, err := openPlain(name, os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		}
		if errors.Is(err, errForeign) {
			os.Remove(name)
		}
		if err == nil || try == attempts || !errors.Is(err, errForeign) && !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// errForeign means that a hidden file was not made by this package.
var errForeign = errors.New("it is not a regular file with one name that belongs to you: remove it")

// openPlain opens a regular file that has no other name and belongs to the user. Symbolic links are
// not followed.
func openPlain(name string, flags int) (*os.File, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errForeign} // opening a pipe would block
	}
	f, err := os.OpenFile(name, flags|noFollow, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !(info.Mode().IsRegular() && isSole(f, info)) {
		err = &fs.PathError{Op: "open", Path: name, Err: errForeign}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Commit flushes the complete file to disk, gives it its name and closes it. If the error wraps
// [fs.ErrExist], another file has that name.
func (f *File) Commit(overwrite bool) error {
	info, err := f.data.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() != f.size || !flock.IsAt(f.data, f.name):
		return fmt.Errorf("another program has changed %q", f.name)
	}
	if err := f.data.Sync(); err != nil {
		return err
	}
	f.data.Close() // Windows does not rename open files
	rename := atomicfile.RenameFree
	if overwrite {
		rename = os.Rename
	}
	if err := rename(f.name, f.path); err != nil {
		return err
	}
	f.Discard() // the record
	if err := atomicfile.SyncFolder(filepath.Dir(f.path)); err != nil {
		return fmt.Errorf("%w: %w", atomicfile.ErrNotDurable, err)
	}
	return nil
}

// Discard removes the hidden files, as far as they exist, and closes them.
func (f *File) Discard() { removeFiles(f.name, func() { f.Close() }) }

// removeFiles removes a hidden file and its record, which are locked until close is called. Windows only removes files
// that nobody has open. On other systems, the files of those names belong to another process after close.
func removeFiles(name string, close func()) {
	remove := func() {
		os.Remove(name)
		os.Remove(name + sumsEnd)
	}
	remove()
	close()
	if runtime.GOOS == "windows" {
		remove()
	}
}
