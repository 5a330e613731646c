// Writing a file under its name.

package safetensors

import (
	"errors"
	"io/fs"

	"github.com/weightools/safetensors/internal/atomicfile"
)

// WriteFile writes tensors to the named file in canonical form. The file
// appears under its name only when it is complete and synced to disk. Until
// then, and after any error, the name keeps its previous content, even if the
// tensors come from it; only an error of syncing the folder comes after the
// file is in place. Errors are of type [*fs.PathError]. If the tensors cannot
// form a file, they wrap a *Violation, and nothing was written.
//
// The bytes are written to a hidden file in the same folder, called
// ".NAME.tmp-" and ten letters or digits, which a killed process may leave
// behind. A new file has mode 0666 minus umask; a replaced file keeps its mode,
// and its owner if the system allows it. WriteFile follows a symbolic link and
// replaces the file that it leads to. It writes devices, named pipes and
// /dev/stdout directly, so an error leaves them with part of the bytes.
//
// Windows cannot replace an open file, so tensors that come from the named file
// have to be written under another name. The error comes after everything was
// written, and the old file stays.
func WriteFile(name string, tensors ...*Tensor) error {
	return new(Encoder).WriteFile(name, tensors...)
}

// WriteFile is [WriteFile] with the options of e.
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
