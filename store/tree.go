// Dir and FS, the stores that are trees of files; opening their objects.

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is the store of the files in a local directory, "" being the current one,
// and of those in directories below. It follows symbolic links, out of the
// directory too. A directory that does not exist is an error when it is used.
//
// Names that the system cannot have, such as those with a backslash on Windows,
// are refused with an error that wraps [fs.ErrInvalid]. Files without a size,
// such as named pipes and devices, are refused before they are opened.
//
// List leaves nothing out that is a file, hidden or not: what to skip is for
// those who know what they look for. A directory is listed by its own name,
// and once more at most by links, whichever comes first: what other links name
// there can be opened, and is not listed. No link is followed to a directory that
// it is within. A link that leads nowhere is an error of its name.
func Dir(path string) Lister { return &tree{directory(path)} }

// FS is the store of the files of fsys, which must implement [io.ReaderAt], as
// those of [os.DirFS], [embed.FS] and [testing/fstest.MapFS] do. List follows
// links to directories only where [os.SameFile] can tell files apart; elsewhere
// there would be no end to some.
func FS(fsys fs.FS) Lister { return &tree{fsys} }

// A tree is the store of the files of a file system.
type tree struct{ fsys fs.FS }

func (t *tree) Open(ctx context.Context, name string) (Object, error) {
	if ctx.Err() != nil {
		return nil, &fs.PathError{Op: "open", Path: t.path(name), Err: context.Cause(ctx)}
	}
	if err := CheckName(name); err != nil {
		return nil, err
	}
	// Before opening, since that would wait for a writer of a named pipe. And
	// again afterwards, since the file may have been replaced.
	info, err := fs.Stat(t.fsys, name)
	if err != nil {
		return nil, t.missing(name, err)
	}
	if err := t.checkKind(name, info); err != nil {
		return nil, err
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, t.missing(name, err)
	}
	o, err := t.newObject(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return o, nil
}

// newObject returns the object that f is. It is for the caller to close f if
// that is an error.
func (t *tree) newObject(name string, f fs.File) (*object, error) {
	// Of the open file, not of its name: this is the size of what is read.
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := t.checkKind(name, info); err != nil {
		return nil, err
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%q cannot be read at offsets: its %T is no io.ReaderAt: %w", t.path(name), f, errors.ErrUnsupported)
	}
	return &object{path: t.path(name), file: f, info: info, reader: r, size: info.Size()}, nil
}

// checkKind returns an error unless info is of a regular file, which alone has
// a size. A directory is no object, so there is none of its name.
func (t *tree) checkKind(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() >= 0:
		return nil
	case mode.IsDir():
		return &kindError{t.path(name), "a directory", fs.ErrNotExist}
	case mode&fs.ModeNamedPipe != 0:
		return &kindError{t.path(name), "a named pipe", fs.ErrInvalid}
	case mode&fs.ModeSocket != 0:
		return &kindError{t.path(name), "a socket", fs.ErrInvalid}
	case mode&fs.ModeDevice != 0:
		return &kindError{t.path(name), "a device", fs.ErrInvalid}
	}
	return &kindError{t.path(name), "of no known size", fs.ErrInvalid}
}

// ErrNotRegular is what the errors of files wrap that have no size, such as named
// pipes and devices. Such a file cannot be read at offsets, and to open it may wait
// for ever.
var ErrNotRegular = errors.New("not a regular file")

// A kindError says that a path is not a regular file. The errors that it wraps
// are for errors.Is; in words they would only contradict the rest.
type kindError struct {
	path string
	is   string
	err  error
}

func (e *kindError) Error() string { return fmt.Sprintf("%q is %s, not a regular file", e.path, e.is) }

func (e *kindError) Unwrap() []error {
	if e.err == fs.ErrNotExist { // a directory, and so no object
		return []error{e.err}
	}
	return []error{e.err, ErrNotRegular}
}

// missing returns err, which opening name gave. Where an element of name is a
// file, systems say "not a directory", and where one is longer than any can be,
// "file name too long"; to a store, the object does not exist.
func (t *tree) missing(name string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return &fs.PathError{Op: "open", Path: t.path(name), Err: fs.ErrNotExist}
	}
	return err
}

// path returns name as it is shown in errors: as a path that can be looked at,
// where there is one.
func (t *tree) path(name string) string {
	if d, ok := t.fsys.(directory); ok {
		if path, err := d.localize("open", name); err == nil {
			return path
		}
	}
	return name
}

// A directory is the file system below a path. It differs from os.DirFS in that
// its errors have the whole path, and in that "" is the current directory.
type directory string

// localize returns the path of name in the form of this system. It refuses what
// only looks like a name below the directory, such as "C:" or "a\b" on Windows.
func (d directory) localize(op, name string) (string, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return joinLocal(string(d), local), nil
}

func (d directory) Open(name string) (fs.File, error) {
	path, err := d.localize("open", name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err // not f: a nil *os.File is not a nil fs.File
	}
	return f, nil
}

func (d directory) Stat(name string) (fs.FileInfo, error) {
	path, err := d.localize("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

func (d directory) ReadDir(name string) ([]fs.DirEntry, error) {
	path, err := d.localize("open", name)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}
