// Recovery: finishing the exchange of a killed run, and removing its temporary files.

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

// A Recovery says what Recover has done in a folder.
type Recovery struct {
	Dir string

	// Finished has the names of the new files of an exchange, or of patched files, that are in place now.
	Finished []string

	// TakenBack is the reason why an exchange could not be finished. Then the old files are in place.
	TakenBack error

	// Removed has the names of hidden files and folders that runs left behind.
	Removed []string

	rename func(from, to string) error // os.Rename, except in tests
}

// Recover finishes the exchange that a killed run has begun in a folder, or takes it back if that fails, and removes
// hidden files of killed runs. It returns nil if there was nothing to do. The error is an *[UnfinishedError] if it is
// unknown whether a process is at work, on a file system without locks, unless dead says that there is none.
func Recover(dir string, dead bool) (*Recovery, error) {
	if dir == "" {
		dir = "."
	}
	if IsHidden(filepath.Base(dir)) {
		dir = filepath.Dir(dir) // it is one of those to be removed
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	defer lock.release()
	r := &Recovery{Dir: dir, rename: os.Rename}
	if err := r.finish(lock.known || dead); err != nil {
		return nil, err
	}
	r.clean(dead)
	if r.Finished == nil && r.TakenBack == nil && len(r.Removed) == 0 {
		return nil, nil
	}
	return r, nil
}

// finish finishes what the journal lists, or takes it back.
func (r *Recovery) finish(dead bool) error {
	j, err := readJournal(r.Dir)
	torn := errors.Is(err, errTorn)
	switch {
	case err != nil && !torn:
		return err
	case j == nil && !torn:
		return nil
	case !dead:
		return &UnfinishedError{Dir: r.Dir}
	case torn:
		r.TakenBack = errors.New("nothing had been replaced")
		return removeJournal(r.Dir)
	case j.Hidden == "":
		return r.patch(j.Patches)
	}
	return r.exchange(j)
}

// exchange finishes an exchange of files.
func (r *Recovery) exchange(j *journal) error {
	x := &exchange{dir: r.Dir, hid: filepath.Join(r.Dir, j.Hidden), old: j.Old, new: j.New, rename: r.rename}
	for _, dir := range []string{x.hid, x.replaced()} {
		info, err := os.Lstat(dir)
		if err == nil && !info.IsDir() {
			return &fs.PathError{Op: "recover", Path: dir, Err: errors.New("it is not a folder")}
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := x.conflict(); err != nil {
		return fmt.Errorf("%w: the interrupted run cannot be finished; its new files are in %q and the old ones in %q; move "+
			"the files that you need, and remove %q", err, x.hid, x.replaced(), filepath.Join(r.Dir, JournalName))
	}
	err := x.run()
	var back *takenBackError
	if err != nil && !errors.As(err, &back) {
		return err
	}
	if r.TakenBack = err; err == nil {
		r.Finished = []string{}
		for _, n := range j.New {
			r.Finished = append(r.Finished, string(n.Name))
		}
	}
	return x.discard()
}

// patch overwrites what was not overwritten.
func (r *Recovery) patch(list []Patch) error {
	o, err := openPatches(r.Dir, list, (*patched).isMixed)
	if err != nil {
		return fmt.Errorf("%w: the interrupted run cannot be finished; remove %q to keep the files as they are", err,
			filepath.Join(r.Dir, JournalName))
	}
	defer o.Close()
	if err := o.write(); err != nil {
		return err
	}
	for _, p := range list {
		r.Finished = append(r.Finished, string(p.Name))
	}
	return removeJournal(r.Dir)
}

// clean removes the hidden files and folders whose owner is dead. Those that it may not remove stay.
func (r *Recovery) clean(dead bool) {
	for _, name := range Leftovers(r.Dir) {
		if removeLeftover(filepath.Join(r.Dir, name), dead) {
			r.Removed = append(r.Removed, name)
		}
	}
	if len(r.Removed) > 0 {
		_ = SyncFolder(r.Dir) // otherwise they return, and are removed again
	}
}

// Leftovers returns the names of hidden files and folders in a folder that runs have not removed, or not yet.
func Leftovers(dir string) []string {
	entries, _ := os.ReadDir(dir) // what was read until an error
	var names []string
	for _, e := range entries {
		if IsHidden(e.Name()) && (e.Type().IsRegular() || e.IsDir() && isOurs(filepath.Join(dir, e.Name()))) {
			names = append(names, e.Name())
		}
	}
	return names
}

// isOurs reports whether a hidden folder has only what a Set writes: files, and a folder of replaced ones.
func isOurs(dir string) bool {
	onlyFiles := func(dir string, but string) bool {
		entries, err := os.ReadDir(dir)
		return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && e.Name() != but })
	}
	replaced := filepath.Join(dir, "replaced")
	info, err := os.Lstat(replaced)
	return onlyFiles(dir, "replaced") && (err != nil || !info.IsDir() || onlyFiles(replaced, ""))
}

// removeLeftover removes a hidden file or folder if its owner is known to be dead, or if dead says so, and if the user
// may write it. A process that has just created it notices that.
func removeLeftover(path string, dead bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	held, known := tryLock(f)
	if !held || !known && !dead || Writable(path) != nil {
		return false
	}
	if runtime.GOOS == "windows" {
		f.Close() // it does not remove open files
	}
	return os.RemoveAll(path) == nil
}
