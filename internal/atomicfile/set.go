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
// "replaced" in the hidden folder, beginning with the last file. So readers never find files of both
// sets.
//
// A process that is killed before Commit leaves the old set and the hidden folder. A process
// that is killed during Commit leaves a journal, by which [Recover] finishes the exchange. While there
// is one, Commit fails with an *[UnfinishedError]. A set of one file that replaces at most itself
// needs no journal.
//
// Unlike [File], a Set replaces symbolic links and keeps their targets, which other folders of a
// download cache may share.
type Set struct {
	// New requires that all names are unused. Otherwise Commit renames nothing and returns an
	// error that wraps [fs.ErrExist].
	New bool

	// Remove lists other files of the folder that go away with those that are replaced, in the order in which
	// they do: the one through which readers find the others comes first.
	Remove []string

	// Ready, if it is not nil, is called by Commit once no other process can rename files into the folder by a
	// Set. It may change Remove. After an error of Ready nothing changes.
	Ready func() error

	dir    string
	names  []string
	hid    string   // the hidden folder
	handle *os.File // of the hidden folder, which is locked
	fresh  bool     // the set created its folder
	done   bool     // committed or aborted
	rights *rights  // of files that replace none of their name; may be nil

	rename func(from, to string) error // os.Rename, except in tests
}

// NewSet begins to write files with the given names to dir, which it creates if
// necessary. Commit removes the files listed in remove. NewSet fails if a name is in use by something other than a
// file, or by a file that the process may not write.
//
// A new file gets the permissions and attributes of the file that it replaces. If there is none of its name, it
// gets those that all replaced and removed files have.
func NewSet(dir string, names, remove []string) (*Set, error) {
	s := &Set{dir: dir, names: names, Remove: remove, rename: os.Rename}
	var old []string
	for _, name := range slices.Concat(names, remove) {
		if err := s.replaceable(name); err != nil {
			return nil, s.fail("create", name, err)
		}
		old = append(old, filepath.Join(dir, name))
	}
	s.rights = rightsOf(old...)
	_, err := os.Stat(dir)
	s.fresh = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if s.hid, s.handle, err = createTempFolder(dir, s.last()); err != nil {
		return nil, s.fail("create", s.last(), err)
	}
	return s, nil
}

// last returns the name of the last file, or of the first removed file if the set has no files.
func (s *Set) last() string {
	if len(s.names) == 0 {
		return s.Remove[0]
	}
	return s.names[len(s.names)-1]
}

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
// gets the rights of the file that it replaces; see NewSet. Different files may be written
// concurrently. The writer is a [filecopy.Target].
func (s *Set) Write(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(s.hid, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return s.fail("create", name, err)
	}
	given := rightsOf(filepath.Join(s.dir, name))
	if given == nil {
		given = s.rights
	}
	given.give(f)
	err = write(newPaced(f))
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return s.fail("write", name, err)
}

// Adopt makes a written file one of the set, so that Commit renames it together with the others: before them, because
// readers look for the last ones. It returns false if the file is not in the folder of the set, or has a name that the
// set has already. Then it stays as it is.
func (s *Set) Adopt(f *File) (bool, error) {
	dir, name := filepath.Split(f.path)
	if f.done || f.straight || filepath.Clean(dir) != filepath.Clean(s.dir) || slices.Contains(s.names, name) ||
		slices.Contains(s.Remove, name) {
		return false, nil
	}
	if err := f.Finish(); err != nil {
		return false, err
	}
	if err := os.Rename(f.temp, filepath.Join(s.hid, name)); err != nil {
		return false, f.fail("create", err)
	}
	f.done = true
	f.file.Close()
	s.names = append([]string{name}, s.names...)
	return true, nil
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
	lock, err := lockFolder(s.dir)
	defer lock.release()
	if err == nil {
		err = s.ready()
	}
	if err != nil {
		return errors.Join(err, s.Abort())
	}
	if len(s.names) == 1 && len(s.Remove) == 0 {
		return s.commitOne()
	}
	x := &exchange{dir: s.dir, hid: s.hid, rename: s.rename}
	j, err := s.journal()
	if err == nil {
		err = s.fail("commit", s.last(), j.create(s.dir))
	}
	if err != nil {
		return errors.Join(err, s.Abort())
	}
	x.old, x.new = j.Old, j.New
	var back *takenBackError
	if err := x.run(); errors.As(err, &back) {
		return errors.Join(back.error, s.Abort())
	} else if err != nil {
		s.close()
		return err
	}
	s.close()
	// The old set was needed until now.
	if err := x.discard(); err != nil {
		return fmt.Errorf("the files are in place, but the old files in %q could not be removed: %w", x.replaced(), err)
	}
	return nil
}

// ready returns an error if the files may not be renamed into place.
func (s *Set) ready() error {
	if err := Unfinished(s.dir); err != nil {
		return &UnfinishedError{Dir: s.dir} // this process holds the lock
	}
	if s.Ready != nil {
		if err := s.Ready(); err != nil {
			return err
		}
	}
	for _, name := range s.names {
		if s.New && s.isUsed(name) {
			return s.fail("commit", name, fs.ErrExist)
		}
	}
	return nil
}

// journal returns the journal of the exchange.
func (s *Set) journal() (*journal, error) {
	j := &journal{Hidden: filepath.Base(s.hid)}
	var old []string
	if len(s.names) > 0 {
		old = append(old, s.last())
	}
	old = append(old, s.Remove...)
	for _, name := range s.names {
		if !slices.Contains(old, name) {
			old = append(old, name)
		}
	}
	var err error
	if j.Old, err = statesOf(s.dir, old); err != nil {
		return nil, err
	}
	if j.New, err = statesOf(s.hid, s.names); err != nil {
		return nil, err
	}
	if len(j.New) < len(s.names) {
		return nil, s.fail("commit", s.last(), errors.New("not all files of the set were written"))
	}
	return j, nil
}

// commitOne renames the one file into place, which takes no journal.
func (s *Set) commitOne() error {
	from, to := filepath.Join(s.hid, s.last()), filepath.Join(s.dir, s.last())
	err := s.rename(from, to)
	if err != nil && runtime.GOOS == "windows" {
		err = &replaceError{err}
	}
	if err != nil {
		return errors.Join(s.fail("commit", s.last(), err), s.Abort())
	}
	s.done = true
	err = SyncFolder(s.dir)
	_ = s.discard() // if this fails, the next run removes it
	if err != nil {
		return s.fail("sync", s.last(), &notDurableError{err})
	}
	return nil
}

func (s *Set) isUsed(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// Abort removes the hidden folder and leaves the folder unchanged. After Commit or Abort it does
// nothing.
func (s *Set) Abort() error {
	if s.done {
		return nil
	}
	err := s.discard()
	if s.fresh {
		os.Remove(s.dir) // fails if it is not empty
	}
	return err
}

// discard ends the set and removes the hidden folder. It is locked until then, except on Windows, where a folder that
// is open cannot be removed.
func (s *Set) discard() error {
	if runtime.GOOS == "windows" {
		s.close()
	}
	defer s.close()
	return os.RemoveAll(s.hid)
}

// close ends the set, and the lock on the hidden folder.
func (s *Set) close() {
	s.done = true
	s.handle.Close()
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
