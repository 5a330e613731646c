// Names: what a name stands for, and the hidden name beside it.

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
	errIsFolder     = fmt.Errorf("is a folder, and the name of a file is due: %w", syscall.EISDIR)
	errTooManyLinks = errors.New("more than 40 symbolic links, one to the next")
)

// ErrNotDurable says that a file has its name, but that the disk may not have
// that yet: a power failure may bring back what the name had before.
var ErrNotDurable = errors.New("the file is in place, but its folder could not be synced")

type notDurableError struct{ err error }

func (e *notDurableError) Error() string   { return ErrNotDurable.Error() + ": " + e.err.Error() }
func (e *notDurableError) Unwrap() []error { return []error{ErrNotDurable, e.err} }

// A replaceError is that of a system on which an open file cannot be replaced.
type replaceError struct{ err error }

func (e *replaceError) Error() string {
	return e.err.Error() + "; on Windows a file cannot be replaced while it is open: if it is where the data comes from, write to another name"
}
func (e *replaceError) Unwrap() error { return e.err }

// follow returns the path that name stands for once symbolic links are
// followed, whether or not there is something. Of the folders before its last
// element the system takes care.
//
// A name under /proc or /dev/fd is a descriptor of a process, as /dev/stdout is:
// what such a link says is text for people, and not a path.
func follow(name string) (path string, isDescriptor bool, err error) {
	const most = 40 // as Linux does
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
			// Not filepath.Join, which would drop "x/.." though x may be a link.
			target = folder(path) + target
		}
		path = target
	}
	return "", false, errTooManyLinks
}

// folder returns path up to its last separator, so that a name can be put after it.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return dir
}

// lastElement returns what comes after the last separator of path.
func lastElement(path string) string {
	_, last := filepath.Split(path)
	return last
}

// createTemp makes a new hidden file beside path.
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

// tempName returns a hidden name for the file that will be called base. That
// which makes it differ is random, and guards against nothing but chance: the
// file is made only if there is none.
//
// Where base is long, the hidden name is no longer than it, in bytes as in
// letters, so that it fits wherever base does: a name may have 255 bytes on most
// systems, and less on some.
func tempName(base string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	const added = len(".") + len(".tmp-") + 10
	const short = 64 // bytes that any system has room for, even with what is added
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
