// Small files that the program reads whole.

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// readSmall reads the named file.
func readSmall(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%q does not exist", name) // without the advice about targets that Describe would add
		}
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, name, most)
}

// readAtMost reads r to its end, which comes after at most most bytes.
func readAtMost(r io.Reader, name string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%q is larger than %d bytes; is it the right file?", name, most)
	}
	return text, err
}
