// Writing several files of a folder atomically.

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

// A Set is a group of files in one folder that appear together or not at all. They are written
// to a hidden folder next to them, called ".NAME.tmp-" and ten letters or digits, where NAME is
// the name of the last file.
//
// The last file is the one through which readers find the others, such as an index. It is
// renamed last. If other names are in use, the files of the old set are first moved to the folder
// "old" in the hidden folder, beginning with the last file. So readers never find files of both
// sets.
//
// A process that is killed before Commit leaves the old set and the hidden folder. A process
// that is killed during Commit leaves all files of both sets on disk, in place or in the hidden
// folder. If the last file is in place, the new set is complete.
//
// Unlike [File], a Set replaces symbolic links and keeps their targets, which other folders of a
// download cache may share.
type Set struct {
	// New requires that all names are unused. Otherwise Commit renames nothing and returns an
	// error that wraps [fs.ErrExist].
	New bool

	dir   string
	names []string
	hid   string // the hidden folder
	fresh bool   // the set created its folder
	done  bool   // committed or aborted
	moves []move // the moves so far, in order

	rename func(from, to string) error // os.Rename, except in tests
}

// A move is a file that was renamed.
type move struct{ from, to string }

// NewSet begins to write one or more files with the given names to dir, which it creates if
// necessary. It fails if a name is in use by something other than a file, or by a file that the
// process may not write.
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
	// Other users have no access, because files may temporarily have more permissions than
	// the files they replace.
	s.hid = filepath.Join(dir, tempName(s.last()))
	if err := os.Mkdir(s.hid, 0o700); err != nil {
		return nil, s.fail("create", s.last(), err)
	}
	return s, nil
}

// last returns the name of the last file.
func (s *Set) last() string { return s.names[len(s.names)-1] }

// replaceable returns an error if the file of that name cannot be replaced.
func (s *Set) replaceable(name string) error {
	path := filepath.Join(s.dir, name)
	old, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // or a dangling link
	case err != nil:
		return err
	case old.IsDir():
		return errIsFolder
	case !old.Mode().IsRegular():
		return fmt.Errorf("it has type %v and is not a regular file: %w", old.Mode().Type(), fs.ErrInvalid)
	}
	return Writable(path)
}

// Write calls write with a writer for one of the files, and flushes the file to disk. The file
// gets the mode of the file it replaces, or 0666 before umask. Different files may be written
// concurrently. The writer is a [filecopy.Target].
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

// Open opens one of the written files for reading, before Commit.
func (s *Set) Open(name string) (*os.File, error) {
	f, err := os.Open(filepath.Join(s.hid, name))
	return f, s.fail("open", name, err)
}

// Commit renames the files into place. All of them must have been written without error. After an
// error that wraps [ErrNotDurable], or an error of removing the old files, the new files are in
// place. After any other error the folder is unchanged.
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
	if err := SyncFolder(s.dir); err != nil {
		return s.fail("sync", s.last(), &notDurableError{err})
	}
	// The old set was needed until now.
	if err := os.RemoveAll(s.hid); err != nil {
		return fmt.Errorf("the files are in place, but the old files in %q could not be removed: %w", s.old(), err)
	}
	return nil
}

// exchange makes all moves. It flushes the folder between steps that depend on each other, so
// that also after a power failure the last file exists only together with the others.
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
		if err := SyncFolder(s.dir); err != nil {
			return s.fail("sync", s.last(), err)
		}
	}
	return s.move(s.last(), s.hid, s.dir)
}

// setAside moves existing files with these names away. If there are none, the last file can stay,
// because a rename replaces it atomically.
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
	return s.fail("sync", s.last(), errors.Join(SyncFolder(old), SyncFolder(s.dir)))
}

// old returns the folder for the files of the old set.
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

// undo reverts all moves because of err. If that fails, the hidden folder stays, because it may
// contain files of the old set.
func (s *Set) undo(err error) error {
	for _, m := range slices.Backward(s.moves) {
		if back := s.rename(m.to, m.from); back != nil {
			s.done = true
			return fmt.Errorf("%w; old files could not be restored and are in %q: %w", err, s.old(), back)
		}
	}
	s.moves = nil
	return errors.Join(err, SyncFolder(s.dir), s.Abort())
}

// Abort removes the hidden folder and leaves the folder unchanged. After Commit or Abort it does
// nothing.
func (s *Set) Abort() error {
	if s.done {
		return nil
	}
	s.done = true
	err := os.RemoveAll(s.hid)
	if s.fresh {
		os.Remove(s.dir) // fails if it is not empty
	}
	return err
}

// fail returns err with the given name instead of the hidden one. An error of another file, which
// the callback of Write may return, is unchanged.
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
