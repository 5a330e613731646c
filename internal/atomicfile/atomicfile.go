// Writing one file atomically.

// Package atomicfile writes files atomically.
//
// The bytes are written to a hidden file in the same folder, flushed to disk, and renamed into
// place:
//
//	f, err := atomicfile.Create("model.safetensors")
//	if err != nil {
//		return err
//	}
//	defer f.Abort() // does nothing after Commit
//	if _, err := f.Write(b); err != nil {
//		return err
//	}
//	return f.Commit()
//
// Readers see the old file or the new one, also after a crash. A process that is killed may
// leave the hidden file, which is called ".NAME.tmp-" and ten letters or digits. [Recover] removes
// it.
//
// [Create] describes how symbolic links, devices and pipes are handled.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/weightools/safetensors/internal/filecopy"
)

// A File is a file being written. It must be used by one goroutine. Its errors are of type
// *fs.PathError and contain the given name, not the hidden one.
type File struct {
	name string   // as given
	path string   // the name with links followed
	file *os.File // the hidden file, or the device itself if straight
	dst  dst      // file, or a paced writer to it
	temp string   // the name of the hidden file

	straight bool  // write to the name directly, because it is not a regular file
	fresh    bool  // the name must still be unused at Commit
	finished bool  // file is synced
	done     bool  // committed or aborted
	err      error // the first error of writing, which Commit returns
}

// A dst is what a File writes to.
type dst interface {
	filecopy.Target
	io.ReaderFrom
}

// Create begins to write the named file, and replaces an existing one at Commit.
//
// A symbolic link is kept, and its target is replaced or created. A new file has mode 0666
// before umask. A file that replaces another has its mode and, if the system allows it, its
// owner, group and extended attributes, including an access control list. Other hard links to the
// replaced file, and processes that have it open, keep the old bytes.
//
// A device, a named pipe, or a descriptor such as /dev/stdout cannot be replaced. It is written
// directly, so an error leaves it partly written. Commit then only closes it.
//
// Create fails for a folder, and for a file that the process may not write, even if it could be
// replaced.
func Create(name string) (*File, error) { return create(name, false) }

// CreateNew is like Create, but CreateNew or Commit fails with an error that wraps [fs.ErrExist]
// if a file of that name exists. If several processes create the same file, one succeeds.
func CreateNew(name string) (*File, error) { return create(name, true) }

func create(name string, fresh bool) (*File, error) {
	f := &File{name: name, fresh: fresh}
	if err := f.open(); err != nil {
		return nil, f.fail("create", err)
	}
	return f, nil
}

func (f *File) open() error {
	old, err := os.Stat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		old = nil
	} else if err != nil {
		return err
	}
	path, isDescriptor, err := follow(f.name)
	switch {
	case err != nil:
		return err
	case f.name == "":
		return fs.ErrInvalid
	case old != nil && old.IsDir(), lastElement(path) == "":
		return errIsFolder
	case old != nil && (isDescriptor || !old.Mode().IsRegular()):
		return f.openStraight(old)
	case old != nil && f.fresh:
		return fs.ErrExist
	case old != nil:
		if err := Writable(f.name); err != nil {
			return err
		}
	}
	f.path = path
	return f.openTemp(old)
}

// openStraight opens a file that cannot be replaced. If it is a regular file, a shell has
// redirected a descriptor to it, and it may have old content.
func (f *File) openStraight(old fs.FileInfo) (err error) {
	flags := os.O_WRONLY
	if old.Mode().IsRegular() {
		flags |= os.O_TRUNC
	}
	f.straight = true
	if f.file, err = os.OpenFile(f.name, flags, 0); err != nil {
		return err
	}
	f.dst = filecopy.File{File: f.file}
	return nil
}

// openTemp creates the hidden file. If old is not nil, it will replace old.
func (f *File) openTemp(old fs.FileInfo) error {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = old.Mode().Perm() & 0o700 // never more permissions than the old file, not even temporarily
	}
	file, err := createTemp(f.path, perm)
	if err != nil {
		return err
	}
	f.file, f.dst, f.temp = file, newPaced(file), file.Name()
	if old != nil {
		rightsOf(f.path).give(file)
	}
	return nil
}

// Write appends b.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.dst.Write(b)
	return n, f.failed("write", err)
}

// ReadFrom appends everything from r, as [os.File.ReadFrom] does. If r is a file, the operating
// system may copy it or share its blocks. The error may be one of r.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.dst.ReadFrom(r)
	return n, f.failed("write", err)
}

// CopyFile implements [filecopy.Target].
func (f *File) CopyFile(src *filecopy.Source, off, n int64) (int64, error) {
	n, err := f.dst.CopyFile(src, off, n)
	return n, f.failed("write", err)
}

// Finish flushes the hidden file to disk. Commit then only has to rename it. If Finish was not
// called, Commit calls it. The file stays open, and so locked, except on Windows, where an open file
// cannot be renamed.
func (f *File) Finish() error {
	if f.finished || f.done {
		return f.err
	}
	f.finished = true
	if !f.straight && f.err == nil {
		f.failed("sync", f.file.Sync())
	}
	if f.straight || runtime.GOOS == "windows" {
		f.failed("close", f.file.Close())
	}
	return f.err
}

// Commit renames the file into place and flushes the folder to disk. After an error that wraps
// [ErrNotDurable] the file is in place. After any other error the old file is unchanged, and the
// hidden file is removed. Commit fails if writing failed.
func (f *File) Commit() error { return CommitAll(f) }

// CommitAll finishes all files and then renames them in order. If one fails, the files after it
// are aborted, and the files before it stay.
func CommitAll(files ...*File) error {
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	for _, f := range files {
		if f.done {
			return f.fail("commit", fs.ErrClosed)
		}
		if err := f.Finish(); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := f.take(); err != nil {
			return f.fail("commit", err)
		}
		f.done = true
		f.file.Close() // nothing can be lost after Sync
	}
	return syncFolders(files)
}

// syncFolders syncs the folder of each file, and each folder once.
func syncFolders(files []*File) error {
	synced := make(map[string]bool)
	var first error
	for _, f := range files {
		dir := folder(f.path)
		if f.straight || synced[dir] {
			continue
		}
		synced[dir] = true
		if err := SyncFolder(dir); err != nil && first == nil {
			first = f.fail("sync", &notDurableError{err})
		}
	}
	return first
}

// take renames the hidden file into place.
func (f *File) take() error {
	switch {
	case f.straight:
		return nil
	case f.fresh:
		return RenameFree(f.temp, f.path)
	}
	err := os.Rename(f.temp, f.path)
	if err != nil && runtime.GOOS == "windows" {
		// MoveFileEx cannot replace a file that is open without FILE_SHARE_DELETE,
		// which os.Open does not set.
		return &replaceError{f.bare(err)}
	}
	return err
}

// RenameFree renames a file to a name that must be unused. If it is not, the error wraps [fs.ErrExist]. Unlike a
// rename, a hard link does not replace an existing file.
func RenameFree(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		os.Remove(from) // if this fails, an additional name is harmless
		return nil
	case errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	return claim(from, to)
}

// claim is RenameFree for file systems without hard links. It creates an empty file, exclusively,
// and replaces it.
func claim(from, to string) error {
	own, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	own.Close()
	if err := os.Rename(from, to); err != nil {
		os.Remove(to)
		return err
	}
	return nil
}

// Abort removes the hidden file and keeps the old file. After Commit or Abort it does nothing.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	var errs []error
	if runtime.GOOS == "windows" || f.straight {
		f.file.Close()
	} else {
		defer f.file.Close() // and with it the lock
	}
	if !f.straight {
		errs = append(errs, os.Remove(f.temp))
	}
	return f.fail("abort", errors.Join(errs...))
}

// failed is fail for errors of writing. It records the first one.
func (f *File) failed(op string, err error) error {
	err = f.fail(op, err)
	if f.err == nil {
		f.err = err
	}
	return err
}

// fail returns err with the given name instead of the hidden one, which would not help users.
func (f *File) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.name, Err: f.bare(err)}
}

// bare returns err without its operation and path, if the path is one of f's. An error of
// ReadFrom may have the path of another file, which is kept.
func (f *File) bare(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		if e.Path == f.name || e.Path == f.path || e.Path == f.temp {
			return e.Err
		}
	case *os.LinkError:
		return e.Err
	}
	return err
}
