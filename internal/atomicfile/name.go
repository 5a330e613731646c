// Names: following links, and hidden names.

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

var (
	errIsFolder     = fmt.Errorf("it is a folder: %w", syscall.EISDIR)
	errTooManyLinks = errors.New("more than 40 consecutive symbolic links")
)

// ErrNotDurable means that a file is in place, but that its folder could not be flushed to disk.
// A power failure may restore the old file.
var ErrNotDurable = errors.New("the file is in place, but its folder could not be synced")

type notDurableError struct{ err error }

// Error returns ErrNotDurable's text and the cause.
func (e *notDurableError) Error() string { return ErrNotDurable.Error() + ": " + e.err.Error() }

// Unwrap returns ErrNotDurable and the cause.
func (e *notDurableError) Unwrap() []error { return []error{ErrNotDurable, e.err} }

// A replaceError is the error of replacing a file on a system where that fails for open files.
type replaceError struct{ err error }

// Error returns the cause and what to do.
func (e *replaceError) Error() string {
	return e.err.Error() + "; on Windows an open file cannot be replaced: if it is also the input, write to " +
		"another name"
}

// Unwrap returns the cause.
func (e *replaceError) Unwrap() error { return e.err }

// follow returns the path that name refers to after following symbolic links in its last
// element. The path need not exist.
//
// A name under /proc or /dev/fd, to which /dev/stdout leads, is a descriptor. The targets of
// such links are not paths.
func follow(name string) (path string, isDescriptor bool, err error) {
	const most = 40 // the limit of Linux
	path = name
	for range most {
		if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/fd/") {
			return path, true, nil
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, false, nil
		} else if err != nil {
			return "", false, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, false, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", false, err
		}
		if !filepath.IsAbs(target) {
			// filepath.Join would remove "x/..", but x may be a link.
			target = folder(path) + target
		}
		path = target
	}
	return "", false, errTooManyLinks
}

// folder returns path up to and including its last separator.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return dir
}

// lastElement returns the part of path after its last separator.
func lastElement(path string) string {
	_, last := filepath.Split(path)
	return last
}

// createTemp creates a hidden file in the same folder as path.
func createTemp(path string, perm fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		f, err := os.OpenFile(dir+tempName(base), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if hidden, ok := err.(*fs.PathError); ok {
			err = hidden.Err
		}
		return f, err
	}
}

// tempName returns a hidden name for the file that will be called base. Its random part avoids
// collisions; security does not depend on it, because the file is created exclusively.
//
// If base is long, the hidden name is not longer, neither in bytes nor in characters, so it is
// valid wherever base is. Most systems allow 255 bytes, and some fewer.
func tempName(base string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	const added = len(".") + len(".tmp-") + 10
	const short = 64 // bytes; valid on all systems even after adding the rest
	if len(base) > short {
		for range added {
			_, n := utf8.DecodeLastRuneInString(base)
			base = base[:len(base)-n]
		}
	}
	var random [10]byte
	for i := range random {
		random[i] = letters[rand.IntN(len(letters))]
	}
	return "." + base + ".tmp-" + string(random[:])
}
