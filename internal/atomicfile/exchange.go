// The exchange of the files of a folder for others.

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// An exchange moves the old files of a folder to "replaced" in the hidden folder, beginning with the last, through
// which readers find the others, and then the new ones from the hidden folder into place, that file last. So readers
// never find files of both sets, and at any time every file is in one of the three folders, by which its step is known.
type exchange struct {
	dir, hid string
	old, new []state // in the order in which they are moved

	rename func(from, to string) error // os.Rename, except in tests
}

// replaced returns the folder for the old files.
func (x *exchange) replaced() string { return filepath.Join(x.hid, "replaced") }

// has reports whether a folder has a file of that name.
func has(dir string, name element) bool {
	_, err := os.Lstat(filepath.Join(dir, string(name)))
	return err == nil
}

// forward makes the moves that have not been made. If all were made, a file with the name of an old one came later.
func (x *exchange) forward() error {
	if x.isOver() {
		return nil
	}
	if err := x.setAside(); err != nil {
		return err
	}
	for i, n := range x.new {
		if i > 0 && i == len(x.new)-1 {
			// After a power failure, too, the last file only exists together with the others.
			if err := SyncFolder(x.dir); err != nil {
				return x.fail(n.Name, err)
			}
		}
		if has(x.hid, n.Name) {
			if err := x.move(n.Name, x.hid, x.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside moves the old files away.
func (x *exchange) setAside() error {
	moved := false
	for _, o := range x.old {
		if !x.isOld(o) {
			continue
		}
		if err := os.Mkdir(x.replaced(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return x.fail(o.Name, err)
		}
		if err := x.move(o.Name, x.dir, x.replaced()); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	if err := errors.Join(SyncFolder(x.replaced()), SyncFolder(x.dir)); err != nil {
		return x.fail(x.old[0].Name, err)
	}
	return nil
}

// isOld reports whether the file in the folder is the old one.
func (x *exchange) isOld(o state) bool { return has(x.dir, o.Name) && !x.isInstalled(o.Name) }

// isInstalled reports whether a new file of that name has been moved into place.
func (x *exchange) isInstalled(name element) bool {
	isNew := slices.ContainsFunc(x.new, func(n state) bool { return n.Name == name })
	return isNew && !has(x.hid, name) && has(x.dir, name)
}

// conflict returns an error if a file that would be moved is not the one in the journal: another program has
// changed the folder since. If every new file is in place, the exchange is over, and later changes do not matter.
func (x *exchange) conflict() error {
	if x.isOver() {
		return nil
	}
	for _, n := range x.new {
		if where := map[bool]string{true: x.dir, false: x.hid}[x.isInstalled(n.Name)]; !n.isIn(where) {
			return x.fail(n.Name, errors.New("the new file has been removed or changed since"))
		}
	}
	for _, o := range x.old {
		if x.isOld(o) && !o.isIn(x.dir) {
			return x.fail(o.Name, errors.New("the old file has been changed since"))
		}
	}
	for _, n := range x.new {
		known := slices.ContainsFunc(x.old, func(o state) bool { return o.Name == n.Name })
		if !known && !x.isInstalled(n.Name) && has(x.dir, n.Name) {
			return x.fail(n.Name, errors.New("there is another file of that name since"))
		}
	}
	return nil
}

// isOver reports whether there were new files, and all of them are in place.
func (x *exchange) isOver() bool {
	return len(x.new) > 0 && !slices.ContainsFunc(x.new, func(n state) bool { return !x.isInstalled(n.Name) })
}

// back takes back all moves. If that fails, every file stays where it is.
func (x *exchange) back() error {
	for _, n := range slices.Backward(x.new) {
		if !has(x.hid, n.Name) && has(x.dir, n.Name) {
			if err := x.move(n.Name, x.dir, x.hid); err != nil {
				return err
			}
		}
	}
	for _, o := range slices.Backward(x.old) {
		if has(x.replaced(), o.Name) && !has(x.dir, o.Name) {
			if err := x.move(o.Name, x.replaced(), x.dir); err != nil {
				return err
			}
		}
	}
	return SyncFolder(x.dir)
}

// run makes all moves, or none and returns why. It removes the journal, unless moves could not be taken back.
func (x *exchange) run() error {
	err := x.forward()
	if err == nil {
		err = x.sync()
	}
	if err != nil {
		if back := x.back(); back != nil {
			return fmt.Errorf("%w; the old files could not be restored: %w", err, back)
		}
		return &takenBackError{errors.Join(err, removeJournal(x.dir))}
	}
	// This need not be durable before the hidden folder is removed: a journal whose new files are all in place has
	// nothing left to do.
	if err := os.Remove(filepath.Join(x.dir, JournalName)); err != nil {
		return fmt.Errorf("the files are in place, but the journal could not be removed: %w", err)
	}
	return nil
}

// sync makes the moves durable.
func (x *exchange) sync() error {
	if err := SyncFolder(x.dir); err != nil {
		return x.fail(x.last(), err)
	}
	return nil
}

// last returns the name of the file by which the set is known.
func (x *exchange) last() element {
	if len(x.new) > 0 {
		return x.new[len(x.new)-1].Name
	}
	return x.old[0].Name
}

// discard removes the hidden folder, which only has replaced files, or new files after all moves were taken back.
func (x *exchange) discard() error {
	if err := os.RemoveAll(x.hid); err != nil {
		return err
	}
	return SyncFolder(x.dir)
}

// A takenBackError is the reason why an exchange was taken back.
type takenBackError struct{ error }

// Unwrap returns the reason.
func (e *takenBackError) Unwrap() error { return e.error }

// move moves the file of that name from one folder to another.
func (x *exchange) move(name element, from, to string) error {
	err := x.rename(filepath.Join(from, string(name)), filepath.Join(to, string(name)))
	if err == nil {
		return nil
	}
	if runtime.GOOS == "windows" {
		return &replaceError{x.fail(name, err)}
	}
	return x.fail(name, err)
}

// fail returns err with the name of a file in the folder.
func (x *exchange) fail(name element, err error) error {
	switch e := err.(type) {
	case *os.LinkError:
		err = e.Err
	case *fs.PathError:
		err = e.Err
	}
	return &fs.PathError{Op: "commit", Path: filepath.Join(x.dir, string(name)), Err: err}
}
