// Writing local files.

package store

import (
	"bufio"
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/atomicfile"
)

// WriteFile writes the named local file with what write produces. A regular file is written under a
// hidden name in the same folder, flushed to disk and renamed into place, so a reader sees the old
// file or the new one; on any error the old file stays. A device or a named pipe is written directly.
//
// If the file exists and overwrite is false, the error wraps [io/fs.ErrExist].
func WriteFile(name string, overwrite bool, write func(io.Writer) error) error {
	create := atomicfile.CreateNew
	if overwrite {
		create = atomicfile.Create
	}
	f, err := create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	if err := errors.Join(write(b), b.Flush()); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}
