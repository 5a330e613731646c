// Files that may not be replaced.

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// Writable returns an error if the named file exists and the process may not write it.
// Replacing or removing a file only requires write permission for its folder, but a read-only
// file should stay. Writable returns nil for folders, devices and missing files. Errors are of
// type *[fs.PathError], with the operation "replace".
func Writable(name string) error {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil // opening a pipe would block
	}
	var probe *os.File
	if err == nil {
		probe, err = os.OpenFile(name, os.O_WRONLY, 0)
	}
	var path *fs.PathError
	switch {
	case err == nil:
		return probe.Close()
	case errors.Is(err, fs.ErrNotExist): // or a dangling link
		return nil
	case errors.As(err, &path):
		err = path.Err
	}
	return &fs.PathError{Op: "replace", Path: name, Err: err}
}
