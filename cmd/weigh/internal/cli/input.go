// Reading small files and standard input.

package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// stat returns the file info of an input; "-" is standard input.
func (s *Session) stat(name string) (fs.FileInfo, error) {
	if in, ok := s.Stdin.(*interruptible); ok && name == "-" {
		if f, ok := in.r.(*os.File); ok {
			return f.Stat()
		}
	}
	return os.Stat(name)
}

// ReadSmall reads a whole file of at most most bytes, and adds it to the inputs. "-" is standard input.
func (s *Session) ReadSmall(name string, most int64) ([]byte, error) {
	s.AddInputs(name)
	return untilDone(s.ctx, func() ([]byte, error) {
		if name == "-" {
			return readAtMost(s.Stdin, name, most)
		}
		return readSmall(name, most)
	})
}

// SpoolStdin copies standard input to a temporary file, which the caller must close and remove.
// Archives need random access.
func (s *Session) SpoolStdin() (f *os.File, size int64, err error) {
	if f, err = os.CreateTemp("", "weigh-scan-*"); err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(f, s.Stdin); err != nil {
		return nil, 0, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, size, nil
}
