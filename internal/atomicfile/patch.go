// Overwriting a few bytes of files that stay.

package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Patch replaces bytes of a file by as many others.
type Patch struct {
	Name element `json:"name"` // of the file in its folder
	Size int64   `json:"size"` // of the file
	At   int64   `json:"at"`   // where in the file
	Was  []byte  `json:"was"`
	Now  []byte  `json:"now"`
}

// NewPatch returns a patch of the file of that name.
func NewPatch(name string, size, at int64, was, now []byte) Patch {
	return Patch{element(name), size, at, was, now}
}

// An Overwriting is a list of patches whose files are open and locked.
type Overwriting struct {
	dir  string
	open []*patched
	lock folderLock
}

// A patched is a file that is overwritten.
type patched struct {
	*Patch
	disk *os.File
}

// Overwrite opens the files of patches, which are in one folder, and locks them until Close: two runs that each write a
// part of a header would make it unreadable. The files must have the bytes that the patches replace.
func Overwrite(dir string, patches []Patch) (*Overwriting, error) {
	var lock folderLock
	if len(patches) > 1 {
		var err error
		if lock, err = lockFolder(dir); err != nil {
			return nil, err
		}
		if Unfinished(dir) != nil {
			lock.release()
			return nil, &UnfinishedError{Dir: dir}
		}
	}
	o, err := openPatches(dir, patches, (*patched).isWas)
	if err != nil {
		lock.release()
		return nil, err
	}
	o.lock = lock
	return o, nil
}

// openPatches opens the files, and checks their bytes.
func openPatches(dir string, patches []Patch, check func(*patched) error) (*Overwriting, error) {
	o := &Overwriting{dir: dir}
	for i := range patches {
		p, err := openPatch(filepath.Join(dir, string(patches[i].Name)), &patches[i], check)
		if err != nil {
			o.Close()
			return nil, err
		}
		o.open = append(o.open, p)
	}
	return o, nil
}

// openPatch opens one file.
func openPatch(name string, patch *Patch, check func(*patched) error) (*patched, error) {
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "edit", Path: name, Err: fmt.Errorf("it is not a regular file: %w", fs.ErrInvalid)}
	}
	if err != nil {
		return nil, err
	}
	disk, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	p := &patched{patch, disk}
	is, err := disk.Stat()
	switch {
	case err != nil:
	case !os.SameFile(info, is):
		err = p.fault("another process is replacing it")
	case !Lock(disk):
		err = &fs.PathError{Op: "edit", Path: name, Err: ErrLocked}
	case is.Size() != patch.Size:
		err = p.fault(fmt.Sprintf("it had %d bytes, and now has %d: another process is writing it", patch.Size, is.Size()))
	default:
		err = check(p)
	}
	if err != nil {
		disk.Close()
		return nil, err
	}
	return p, nil
}

// Close closes the files.
func (o *Overwriting) Close() {
	for _, p := range o.open {
		p.disk.Close()
	}
	o.lock.release()
}

// Apply applies the patches. If one fails, all are undone. A run that is killed between two of them leaves a journal,
// by which [Recover] applies the others.
func (o *Overwriting) Apply() error {
	if len(o.open) == 1 {
		return o.writeOrUndo()
	}
	j := new(journal)
	for _, p := range o.open {
		j.Patches = append(j.Patches, *p.Patch)
	}
	if err := j.create(o.dir); err != nil {
		return err
	}
	if err := o.writeOrUndo(); err != nil {
		return err
	}
	return removeJournal(o.dir)
}

// writeOrUndo applies the patches, or none. It removes the journal if they are undone.
func (o *Overwriting) writeOrUndo() error {
	err := o.write()
	if err == nil {
		return nil
	}
	for _, p := range o.open {
		if p.isWas() == nil {
			continue
		}
		if undone := p.put(p.Was); undone != nil {
			return fmt.Errorf("%w; the %d bytes at %d of %q could not be written back: %w", err, len(p.Was), p.At,
				p.disk.Name(), undone)
		}
	}
	if len(o.open) > 1 {
		err = errors.Join(err, removeJournal(o.dir))
	}
	return err
}

// write applies the patches.
func (o *Overwriting) write() error {
	for _, p := range o.open {
		if err := p.put(p.Now); err != nil {
			return err
		}
		if err := p.holds(p.Now); err != nil {
			return err
		}
	}
	return nil
}

// put writes bytes at the position of the patch, and syncs the file.
func (p *patched) put(b []byte) error {
	if _, err := p.disk.WriteAt(b, p.At); err != nil {
		return err
	}
	return p.disk.Sync()
}

// holds returns an error unless the file has these bytes at the position of the patch.
func (p *patched) holds(want []byte) error {
	is, err := p.read()
	if err == nil && !bytes.Equal(is, want) {
		err = p.fault("its header has just changed: another process is writing it")
	}
	return err
}

// isWas returns an error unless the file has the bytes from before the patch.
func (p *patched) isWas() error { return p.holds(p.Was) }

// isMixed returns an error unless each byte of the file is the one from before the patch or the one after it. After a
// power failure there may be some of each.
func (p *patched) isMixed() error {
	is, err := p.read()
	for i := 0; err == nil && i < len(is); i++ {
		if is[i] != p.Was[i] && is[i] != p.Now[i] {
			err = p.fault("its header has been changed since")
		}
	}
	return err
}

// read returns the bytes at the position of the patch.
func (p *patched) read() ([]byte, error) {
	is := make([]byte, len(p.Was))
	if n, err := p.disk.ReadAt(is, p.At); n < len(is) {
		return nil, err
	}
	return is, nil
}

// fault returns an error about the file.
func (p *patched) fault(text string) error {
	return &fs.PathError{Op: "edit", Path: p.disk.Name(), Err: errors.New(text)}
}
