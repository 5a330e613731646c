// Several files of a folder, that take their names together.

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Set is files that belong together: either all of them appear under their
// names, or none does. They are written to a hidden folder beside their names,
// called ".NAME.tmp-" and ten letters or digits, after the last of the set.
//
// That last file is the one by which readers find the others. It takes its name
// when those have theirs. If one of those names is in use, files of an older set
// have to make room; then all that do are moved to "old" in the hidden folder
// before the first new file appears, and that by which they are found goes first.
// So at no moment are files of both sets to be found under the names of one.
//
// A process that is killed before Commit leaves the older set, and the hidden
// folder. One that is killed during Commit leaves every file of both sets on the
// disk, each under its name or by its name in the hidden folder, unless the last
// file has replaced its elder: then the new set is whole.
//
// Unlike for a [File], a symbolic link gives its name to the new file, and what it
// leads to stays: in a cache of downloads that is what other folders share.
type Set struct {
	// New says that the names have to be free: Commit gives none of them, and returns
	// an error that wraps [fs.ErrExist], if there is a file of one by then.
	New bool

	dir   string
	names []string
	hid   string // the hidden folder
	fresh bool   // the folder was made for the set
	done  bool   // committed or aborted
	moves []move // those made so far, in order

	rename func(from, to string) error // os.Rename, but in tests
}

// A move is one file that has got another name.
type move struct{ from, to string }

// NewSet begins to write files of the given names, at least one, to dir, which
// is made if there is none. It is an error if a name is that of something other
// than a file, or of a file that the process may not write.
func NewSet(dir string, names ...string) (*Set, error) {
	s := &Set{dir: dir, names: names, rename: os.Rename}
	for _, name := range names {
		if err := s.replaceable(name); err != nil {
			return nil, s.fail("create", name, err)
		}
	}
	_, err := os.Stat(dir)
	s.fresh = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	// Nobody else may look into it: a file has more permissions than it will have
	// until it inherits those of its elder.
	s.hid = filepath.Join(dir, tempName(s.last()))
	if err := os.Mkdir(s.hid, 0o700); err != nil {
		return nil, s.fail("create", s.last(), err)
	}
	return s, nil
}

// last returns the name of the last file.
func (s *Set) last() string { return s.names[len(s.names)-1] }

// replaceable returns why a file cannot take a name, or nil.
func (s *Set) replaceable(name string) error {
	path := filepath.Join(s.dir, name)
	old, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // or a link to nowhere
	case err != nil:
		return err
	case old.IsDir():
		return errIsFolder
	case !old.Mode().IsRegular():
		return fmt.Errorf("is %v, and a file is due: %w", old.Mode().Type(), fs.ErrInvalid)
	}
	// As for a File: who took the right to write from the file meant it.
	probe, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return probe.Close()
}

// Write makes the file of one of the names hold what write writes, and returns
// when the disk holds that. Its mode will be that of the file it replaces, or
// the one that umask leaves of 0666. Files of different names may be written by
// several goroutines at once. The writer is a [filecopy.Target].
func (s *Set) Write(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(s.hid, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return s.fail("create", name, err)
	}
	if old, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
		inherit(f, old)
	}
	err = write(newPaced(f))
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return s.fail("write", name, err)
}

// Open opens the file of one of the names, which was written, to be read before it
// has its name.
func (s *Set) Open(name string) (*os.File, error) {
	f, err := os.Open(filepath.Join(s.hid, name))
	return f, s.fail("open", name, err)
}

// Commit gives the files their names, all of which were written without error.
// After an error that wraps [ErrNotDurable], and one of removing what is not
// needed any more, they have them; after any other the folder has what it had.
func (s *Set) Commit() error {
	if s.done {
		return s.fail("commit", s.last(), fs.ErrClosed)
	}
	for _, name := range s.names {
		if s.New && s.isUsed(name) {
			return errors.Join(s.fail("commit", name, fs.ErrExist), s.Abort())
		}
	}
	if err := s.exchange(); err != nil {
		return s.undo(err)
	}
	s.done = true
	if err := syncFolder(s.dir); err != nil {
		return s.fail("sync", s.last(), &notDurableError{err})
	}
	// Only now is the older set needed no more.
	if err := os.RemoveAll(s.hid); err != nil {
		return fmt.Errorf("the files are in place, but what they replace is left in %q: %w", s.old(), err)
	}
	return nil
}

// exchange makes all moves. Before each step that needs the one before, it has
// the disk hold that one: after a power failure, too, readers find the last file
// only where they find the others.
func (s *Set) exchange() error {
	others := s.names[:len(s.names)-1]
	if err := s.setAside(others); err != nil {
		return err
	}
	for _, name := range others {
		if err := s.move(name, s.hid, s.dir); err != nil {
			return err
		}
	}
	if len(others) > 0 {
		if err := syncFolder(s.dir); err != nil {
			return s.fail("sync", s.last(), err)
		}
	}
	return s.move(s.last(), s.hid, s.dir)
}

// setAside makes room for files of these names. If none of them is in use, the
// last file needs no room: a rename replaces it at once.
func (s *Set) setAside(names []string) error {
	used := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.isUsed(name) })
	if len(used) == 0 {
		return nil
	}
	if s.isUsed(s.last()) {
		used = slices.Insert(used, 0, s.last())
	}
	old := s.old()
	if err := os.Mkdir(old, 0o700); err != nil {
		return s.fail("commit", used[0], err)
	}
	for _, name := range used {
		if err := s.move(name, s.dir, old); err != nil {
			return err
		}
	}
	return s.fail("sync", s.last(), errors.Join(syncFolder(old), syncFolder(s.dir)))
}

// old is where the files of the older set are while the new ones take their names.
func (s *Set) old() string { return filepath.Join(s.hid, "old") }

func (s *Set) isUsed(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// move moves the file of that name from one folder to another.
func (s *Set) move(name, from, to string) error {
	m := move{filepath.Join(from, name), filepath.Join(to, name)}
	if err := s.rename(m.from, m.to); err != nil {
		err = s.fail("commit", name, err)
		if runtime.GOOS == "windows" {
			err = &replaceError{err}
		}
		return err
	}
	s.moves = append(s.moves, m)
	return nil
}

// undo makes all moves back, because of err. If that fails, files of the older
// set may be in the hidden folder alone, which therefore stays.
func (s *Set) undo(err error) error {
	for _, m := range slices.Backward(s.moves) {
		if back := s.rename(m.to, m.from); back != nil {
			s.done = true
			return fmt.Errorf("%w; what the folder had before could not be brought back, and some of it is in %q: %w", err, s.old(), back)
		}
	}
	s.moves = nil
	return errors.Join(err, syncFolder(s.dir), s.Abort())
}

// Abort gives up: the folder has what it had, and the hidden one goes. After
// Commit, or another Abort, it does nothing.
func (s *Set) Abort() error {
	if s.done {
		return nil
	}
	s.done = true
	err := os.RemoveAll(s.hid)
	if s.fresh {
		os.Remove(s.dir) // unless somebody has put something there
	}
	return err
}

// fail returns err under the name that was asked for, and not the hidden one.
// What write returns may be the error of another file, and stays as it is.
func (s *Set) fail(op, name string, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *os.LinkError:
		err = e.Err
	case *fs.PathError:
		if s.hid == "" || !strings.HasPrefix(e.Path, s.hid) {
			return err
		}
		err = e.Err
	}
	return &fs.PathError{Op: op, Path: filepath.Join(s.dir, name), Err: err}
}
