// Dir and FS, the stores of local files.

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Dir returns the store of the files in a local directory and its subdirectories. The path ""
// means the current directory. Symbolic links are followed, also out of the directory. A
// missing directory is reported when the store is used.
//
// Names that the operating system does not support, such as those with a backslash on Windows,
// fail with an error that wraps [fs.ErrInvalid]. Names need not be UTF-8 if they meet the other
// conditions of [CheckName]. Named pipes, devices and other files without a size fail with
// [ErrNotRegular], before they are opened. Files of /proc, whose size is reported as 0, are read
// into memory when they are opened.
//
// List includes hidden files. It lists a directory under its own name and under at most one
// link. Files under further links can be opened but are not listed, and links to a parent
// directory are not followed. A dangling link is an error with the link's name.
func Dir(path string) Lister { return &tree{directory(path)} }

// FS returns the store of the files of fsys. They must implement [io.ReaderAt], like the files
// of [os.DirFS], [embed.FS] and [testing/fstest.MapFS]. List follows links to directories only
// if [os.SameFile] works for fsys, because it could not detect loops otherwise.
func FS(fsys fs.FS) Lister { return &tree{fsys} }

// A tree is the store of the files of a file system.
type tree struct{ fsys fs.FS }

// Open implements [Store].
func (t *tree) Open(ctx context.Context, name string) (Object, error) {
	if ctx.Err() != nil {
		return nil, &fs.PathError{Op: "open", Path: t.path(name), Err: context.Cause(ctx)}
	}
	if err := t.checkName(name); err != nil {
		return nil, err
	}
	// Check the kind before opening, because opening a named pipe would wait for a writer.
	// newObject checks it again, because the file may be replaced in between.
	info, err := fs.Stat(t.fsys, name)
	if err != nil {
		return nil, t.translate(name, err)
	}
	if err := t.checkKind(name, info); err != nil {
		return nil, err
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, t.translate(name, err)
	}
	o, err := t.newObject(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return o, nil
}

// newObject returns the object for f. If it fails, the caller closes f.
func (t *tree) newObject(name string, f fs.File) (*object, error) {
	// Use the open file, not the name: the size must match the bytes to be read.
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := t.checkKind(name, info); err != nil {
		return nil, err
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%q cannot be read at offsets: %T does not implement io.ReaderAt: %w", t.path(name), f,
			errors.ErrUnsupported)
	}
	stat := func() (fs.FileInfo, error) { return fs.Stat(t.fsys, name) }
	o := &object{path: t.path(name), file: f, info: info, stat: stat, reader: r, size: info.Size()}
	if _, ok := t.fsys.(directory); ok && o.size == 0 {
		err = o.readUnsized()
	}
	return o, err
}

// checkName is CheckName, for files of the operating system without its demand for UTF-8.
func (t *tree) checkName(name string) error {
	if _, ok := t.fsys.(directory); ok {
		name = strings.ToValidUTF8(name, "_")
	}
	return CheckName(name)
}

// checkKind returns an error unless info describes a regular file. Other files have no size.
// For a directory the error is fs.ErrNotExist, because it is not an object.
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
	return &kindError{t.path(name), "a file of unknown size", fs.ErrInvalid}
}

// ErrNotRegular means that a file is a named pipe, a device or another kind of file without a
// size, or a circular link. Such a file cannot be read at offsets, and opening it may block.
var ErrNotRegular = errors.New("not a regular file")

// A kindError means that a path is not a regular file. The errors that it wraps are for
// errors.Is and not part of its text.
type kindError struct {
	path string
	is   string
	err  error
}

// Error returns what the path is instead of a file.
func (e *kindError) Error() string { return fmt.Sprintf("%q is %s, not a regular file", e.path, e.is) }

// Unwrap returns fs.ErrNotExist for a folder, and otherwise ErrNotRegular and e.err.
func (e *kindError) Unwrap() []error {
	if e.err == fs.ErrNotExist { // a directory, and so no object
		return []error{e.err}
	}
	return []error{e.err, ErrNotRegular}
}

// translate translates an error of the system about name. If an element of name is a file, the
// system returns "not a directory", and if it is too long, "file name too long". In both cases
// the object does not exist. A circular link leads to no file of any kind.
func (t *tree) translate(name string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return &fs.PathError{Op: "open", Path: t.path(name), Err: fs.ErrNotExist}
	case errors.Is(err, syscall.ELOOP):
		return &kindError{t.path(name), "a circular link", syscall.ELOOP}
	}
	return err
}

// path returns name for use in errors: as a path of the operating system if possible.
func (t *tree) path(name string) string {
	if d, ok := t.fsys.(directory); ok {
		if path, err := d.localize("open", name); err == nil {
			return path
		}
	}
	return name
}

// A directory is the file system below a path. Unlike with os.DirFS, its errors contain the
// full path, and "" is the current directory.
type directory string

// localize returns the path of name in the syntax of this system. It rejects names that would
// not be below the directory, such as "C:" or "a\b" on Windows.
func (d directory) localize(op, name string) (string, error) {
	// Localize rejects names that are not UTF-8, which files can have.
	if _, err := filepath.Localize(strings.ToValidUTF8(name, "_")); err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return joinLocal(string(d), filepath.FromSlash(name)), nil
}

// Open implements [fs.FS].
func (d directory) Open(name string) (fs.File, error) {
	path, err := d.localize("open", name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err // f would be a non-nil fs.File that holds a nil *os.File
	}
	return f, nil
}

// Stat implements [fs.StatFS].
func (d directory) Stat(name string) (fs.FileInfo, error) {
	path, err := d.localize("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// ReadDir implements [fs.ReadDirFS].
func (d directory) ReadDir(name string) ([]fs.DirEntry, error) {
	path, err := d.localize("open", name)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}
