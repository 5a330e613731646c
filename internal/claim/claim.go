// Package claim detects files that changed between reading and replacing them. Minutes
// may pass in between, in which a training run saves a new checkpoint under the name, or
// another process edits the file; replacing it would lose that.
package claim

import (
	"errors"
	"io/fs"
	"os"
)

// Files is a list of files to be replaced, with their state before they were read. The
// zero Files is empty. Only one goroutine may use it.
type Files struct{ seen []seen }

// A seen is a file and its state.
type seen struct {
	name string
	info fs.FileInfo
}

// Add adds the named file, which has not been read yet. It follows symbolic links.
func (f *Files) Add(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f.seen = append(f.seen, seen{name, info})
	return nil
}

// Check returns an error if one of the names now refers to another file, or if a file
// has another size or modification time. The error is a *[fs.PathError].
func (f *Files) Check() error {
	for _, s := range f.seen {
		info, err := os.Stat(s.name)
		if err != nil {
			return err
		}
		if !os.SameFile(s.info, info) || info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
			return &fs.PathError{Op: "replace", Path: s.name, Err: errors.New("it has changed since it was read: another process is writing it")}
		}
	}
	return nil
}

// Hold locks the files against other processes that call Hold, and then checks them: of
// two processes that read one file and replace it, the second finds the lock, or another
// file. The files stay locked until release is called, which is never nil.
func (f *Files) Hold() (release func(), err error) {
	var open []*os.File
	release = func() {
		for _, file := range open {
			file.Close()
		}
		open = nil
	}
	for _, s := range f.seen {
		if !locks {
			break // these systems do not replace open files
		}
		file, err := os.Open(s.name)
		if err != nil {
			continue // it is gone, which Check reports, or too many files are open
		}
		open = append(open, file)
		if !Lock(file) {
			return release, &fs.PathError{Op: "replace", Path: s.name, Err: ErrLocked}
		}
	}
	return release, f.Check()
}

// ErrLocked says that another process holds a file.
var ErrLocked = errors.New("another process is editing it")
