// A file being written, that appears under its name when it is whole.

// Package atomicfile writes files that are whole or absent.
//
// The bytes go to a hidden file in the same folder, which takes the final name
// when all of them are on the disk:
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
// Whoever opens the name meanwhile, and whoever finds it after a crash, has the
// old file or the new one. A process that is killed may leave the hidden file
// behind; it is called ".NAME.tmp-" and ten letters or digits, and can be removed.
//
// What a name stands for if it is a symbolic link, a device or a pipe is said
// at [Create].
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/weightools/safetensors/internal/filecopy"
)

// A File is a file that has yet to appear under its name. It is for one
// goroutine. Its errors are of type *fs.PathError, with the name as it was
// given, and not that of the hidden file.
type File struct {
	name string   // as given
	path string   // what it stands for, links followed
	file *os.File // the hidden file; or the device itself, if straight
	dst  dst      // file, or what writes to it in step with the disk
	temp string   // the name of the hidden file

	straight bool  // there is no hidden file: what the name stands for is no file
	fresh    bool  // the name must still be free at Commit
	finished bool  // file is closed
	done     bool  // committed or aborted
	err      error // the first error of writing, after which there is no Commit
}

// A dst is what a File writes to.
type dst interface {
	filecopy.Target
	io.ReaderFrom
}

// Create begins to write the named file, which replaces what has the name now.
//
// A symbolic link stays, and the file that it leads to is replaced, or made. A
// new file has the mode that the process's umask leaves of 0666; one that
// replaces another has that one's mode, and, where the system allows it, its
// owner and group. Other hard links to the replaced file keep the old bytes, and
// so does whoever has it open.
//
// A device, a named pipe, or a descriptor of the process such as /dev/stdout
// cannot be replaced. It is written straight, so that a failure leaves it with
// half of the bytes; Commit then only closes it.
//
// It is an error if the name is that of a folder, or of a file that the process
// may not write, though the folder would allow to replace it.
func Create(name string) (*File, error) { return create(name, false) }

// CreateNew is Create, but an error that wraps [fs.ErrExist] if there is a file
// of that name, now or at Commit: of several processes that race for a name, one
// gets it.
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
		// Replacing a file takes the right to write to its folder alone. But
		// somebody who took the right to write from the file meant it.
		probe, err := os.OpenFile(f.name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		probe.Close()
	}
	f.path = path
	return f.openTemp(old)
}

// openStraight opens what cannot be replaced. A regular file among these is the
// one that a shell has made of a descriptor, and may be longer than what comes.
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

// openTemp makes the hidden file, as one that will replace old if that is not nil.
func (f *File) openTemp(old fs.FileInfo) error {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = old.Mode().Perm() // never more than the old file allows, not even while it is written
	}
	file, err := createTemp(f.path, perm)
	if err != nil {
		return err
	}
	f.file, f.dst, f.temp = file, newPaced(file), file.Name()
	if old != nil {
		inherit(file, old)
	}
	return nil
}

// Write appends b.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.dst.Write(b)
	return n, f.failed("write", err)
}

// ReadFrom appends what r has, up to its end, as [os.File.ReadFrom] does: from
// another file the system may copy by itself, or share the blocks of the two.
// An error may be that of r.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.dst.ReadFrom(r)
	return n, f.failed("write", err)
}

// CopyFile appends a part of a file, as far as the system does. It makes a File a
// [filecopy.Target].
func (f *File) CopyFile(src *filecopy.Source, off, n int64) (int64, error) {
	n, err := f.dst.CopyFile(src, off, n)
	return n, f.failed("write", err)
}

// Finish ends the writing: the bytes are on the disk when it returns, under the
// hidden name. After it, Commit is quick, and fails only if the name cannot be
// taken. Commit calls it if nobody did.
func (f *File) Finish() error {
	if f.finished || f.done {
		return f.err
	}
	f.finished = true
	if !f.straight && f.err == nil {
		f.failed("sync", f.file.Sync())
	}
	f.failed("close", f.file.Close())
	return f.err
}

// Commit gives the file its name, and returns when the disk holds that. After
// an error that wraps [ErrNotDurable] the file has its name; after any other the
// name has what it had, and the hidden file is gone. It is an error to commit
// what was not written without error.
func (f *File) Commit() error { return CommitAll(f) }

// CommitAll commits several files: all are finished before the first takes its
// name. Files take their names in order, and if one fails, those after it are
// aborted, while those before it stay.
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
		if err := syncFolder(dir); err != nil && first == nil {
			first = f.fail("sync", &notDurableError{err})
		}
	}
	return first
}

// take gives the hidden file its name.
func (f *File) take() error {
	switch {
	case f.straight:
		return nil
	case f.fresh:
		return f.takeFree()
	}
	err := os.Rename(f.temp, f.path)
	if err != nil && runtime.GOOS == "windows" {
		// MoveFileEx replaces no file that is open, unless by someone who
		// agreed to that. Go's os.Open does not.
		return &replaceError{f.bare(err)}
	}
	return err
}

// takeFree is take if nothing has the name. A rename replaces without asking,
// but a hard link does not.
func (f *File) takeFree() error {
	err := os.Link(f.temp, f.path)
	if err == nil {
		os.Remove(f.temp) // the bytes have their name: a second one does no harm
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	return f.claim()
}

// claim is takeFree on a file system without hard links. An empty file of our
// own, made only if there is none, keeps the name for the moment of the rename.
func (f *File) claim() error {
	own, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	own.Close()
	if err := os.Rename(f.temp, f.path); err != nil {
		os.Remove(f.path)
		return err
	}
	return nil
}

// Abort gives up: what the name had stays, and the hidden file goes. After
// Commit, or another Abort, it does nothing.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	var errs []error
	if !f.finished {
		errs = append(errs, f.file.Close())
	}
	if !f.straight {
		errs = append(errs, os.Remove(f.temp))
	}
	return f.fail("abort", errors.Join(errs...))
}

// failed is fail for an error of writing, which is remembered.
func (f *File) failed(op string, err error) error {
	err = f.fail(op, err)
	if f.err == nil {
		f.err = err
	}
	return err
}

// fail returns err under the name that was asked for. The hidden name would
// tell the reader of the message nothing.
func (f *File) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.name, Err: f.bare(err)}
}

// bare returns err without the operation and the path if that is one of f's: an
// error of ReadFrom may be of another file.
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
