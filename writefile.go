// Writing a file under its name: whole or absent.

package safetensors

import (
	"errors"
	"io/fs"

	"github.com/weightools/safetensors/internal/atomicfile"
)

// WriteFile writes tensors to the named file in canonical form. The file
// appears under its name when it is whole and on the disk; what the name held
// before, even if it is where the tensors come from, stays until then, and for
// good if there is an error: but for that of syncing the folder, which says that
// the file is in place. Errors are of type [*fs.PathError]; that of tensors which
// make no file wraps a *Violation, and nothing was touched.
//
// The bytes go to a hidden file in the same folder, called ".NAME.tmp-" and ten
// letters or digits, which a process that is killed may leave behind. A new file
// has the mode that umask leaves of 0666; one that replaces another has that
// one's mode, and its owner where the system allows it. A symbolic link stays,
// and the file that it leads to is written. A device, a named pipe or
// /dev/stdout is written straight, and an error then leaves it with a part.
//
// On Windows a file that is open cannot be replaced, so one that the tensors
// come from has to be written under another name. The error says so, after all
// has been written; the old file stays.
func WriteFile(name string, tensors ...*Tensor) error {
	return new(Encoder).WriteFile(name, tensors...)
}

// WriteFile is [WriteFile] in e's way.
func (e *Encoder) WriteFile(name string, tensors ...*Tensor) error {
	err := e.writeFile(name, tensors)
	var path *fs.PathError
	if err != nil && !errors.As(err, &path) {
		err = &fs.PathError{Op: "write", Path: name, Err: err}
	}
	return err
}

func (e *Encoder) writeFile(name string, tensors []*Tensor) error {
	l, err := e.lay(tensors)
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := l.write(f); err != nil {
		return err
	}
	return f.Commit()
}
