// Files that are read now, and replaced later: whether they are still what was read.

// Package claim keeps who replaces a file from replacing another than the one that was
// read. Between the two lie minutes, in which a training run may put a new checkpoint
// under the name, or somebody else may edit it: that would be lost without a word.
package claim

import (
	"errors"
	"io/fs"
	"os"
)

// Files are files that are to be replaced, as they were before they were read. The zero
// Files has none. It is for one goroutine.
type Files struct{ seen []seen }

// A seen is what a name stood for.
type seen struct {
	name string
	info fs.FileInfo
}

// Add adds the named file, which has not been read yet. What a symbolic link leads to
// counts.
func (f *Files) Add(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f.seen = append(f.seen, seen{name, info})
	return nil
}

// Check returns the error of a file that is not what it was: another file, or one of
// another size or date. An error is a *[fs.PathError].
func (f *Files) Check() error {
	for _, s := range f.seen {
		info, err := os.Stat(s.name)
		if err != nil {
			return err
		}
		if !os.SameFile(s.info, info) || info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
			return &fs.PathError{Op: "replace", Path: s.name, Err: errors.New("it is not what it was when it was read: it is being written by somebody else")}
		}
	}
	return nil
}

// Hold locks the files against others who hold them, and then checks them: of two who
// read one file and would replace it, the second finds the lock, or another file. They
// are locked until release is called, which is never nil.
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
			break // and a file that is open could not be replaced
		}
		file, err := os.Open(s.name)
		if err != nil {
			continue // that is gone, which Check says, or there are too many
		}
		open = append(open, file)
		if !Lock(file) {
			return release, &fs.PathError{Op: "replace", Path: s.name, Err: ErrLocked}
		}
	}
	return release, f.Check()
}

// ErrLocked is that of a file which somebody else holds.
var ErrLocked = errors.New("it is being edited by somebody else")
