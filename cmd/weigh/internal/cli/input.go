// Input: small files that are read whole, and standard input as a file.

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// stat describes what was read by the given name.
func (s *Session) stat(name string) (fs.FileInfo, error) {
	if in, ok := s.Stdin.(*interruptible); ok && name == "-" {
		if f, ok := in.r.(*os.File); ok {
			return f.Stat()
		}
	}
	return os.Stat(name)
}

// ReadSmall reads a file of at most most bytes, to which no output may go.
func (s *Session) ReadSmall(name string, most int64) ([]byte, error) {
	s.AddInputs(name)
	f, err := os.Open(name)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%q does not exist", name) // which is no target
		}
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%q has more than %d bytes: is it the right file?", name, most)
	}
	return text, err
}

// SpoolStdin returns standard input as a file: an archive is read from its end.
func (s *Session) SpoolStdin() (f *os.File, size int64, err error) {
	if f, err = os.CreateTemp("", "weigh-scan-*"); err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(f, s.Stdin); err != nil {
		return nil, 0, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, size, nil
}
