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

// Follow returns the path that name refers to after following symbolic links in its last element. The path need not
// exist.
func Follow(name string) (string, error) {
	path, _, err := follow(name)
	return path, err
}

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
		if err == nil && !own(f, f.Name()) {
			f.Close()
			continue
		}
		if hidden, ok := err.(*fs.PathError); ok {
			err = hidden.Err
		}
		return f, err
	}
}

// createTempFolder creates a hidden folder in dir for files. Its name contains base, the name of the last file. Other
// users have no access, because files may temporarily have more permissions than the ones that they replace. The handle
// holds its lock.
func createTempFolder(dir, base string) (path string, handle *os.File, err error) {
	for {
		path = filepath.Join(dir, tempName(base))
		if err := os.Mkdir(path, 0o700); err != nil {
			return path, nil, err
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process took it for a leftover
		} else if err != nil {
			return path, nil, errors.Join(err, os.Remove(path))
		}
		if own(f, path) {
			return path, f, nil
		}
		f.Close()
	}
}

// IsHidden reports whether a name is one of those that files and folders have while they are written.
func IsHidden(name string) bool {
	mark := len(name) - len(tempMark) - tempRandom
	return mark > 1 && name[0] == '.' && name[mark:mark+len(tempMark)] == tempMark && isElement(name) &&
		strings.Trim(name[mark+len(tempMark):], tempLetters) == ""
}

// isElement reports whether name can be the name of a file in a folder, and not a path to another folder.
func isElement(name string) bool {
	return name != "" && name != "." && name != ".." && filepath.IsLocal(name) && !strings.ContainsAny(name, "/\\\x00")
}

// Hidden names are a dot, the name of the file, tempMark, and tempRandom of the tempLetters.
const (
	tempMark    = ".tmp-"
	tempRandom  = 10
	tempLetters = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// tempName returns a hidden name for the file that will be called base. Its random part avoids
// collisions; security does not depend on it, because the file is created exclusively.
//
// If base is long, the hidden name is not longer, neither in bytes nor in characters, so it is
// valid wherever base is. Most systems allow 255 bytes, and some fewer.
func tempName(base string) string {
	const added = len(".") + len(tempMark) + tempRandom
	const short = 64 // bytes; valid on all systems even after adding the rest
	if len(base) > short {
		for range added {
			_, n := utf8.DecodeLastRuneInString(base)
			base = base[:len(base)-n]
		}
	}
	var random [tempRandom]byte
	for i := range random {
		random[i] = tempLetters[rand.IntN(len(tempLetters))]
	}
	return "." + base + tempMark + string(random[:])
}
