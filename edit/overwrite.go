// Overwriting headers in place.

package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// patches makes the patches of files that change only in their metadata. It returns true if
// nothing else is to be written. Otherwise nothing is overwritten: all changed files are
// written again, to appear at once.
func (p *Plan) patches() (all bool, err error) {
	some, rewrite := false, p.newIndex
	for _, f := range p.files {
		switch f.action {
		case Overwritten:
			if err := p.patchFile(f); err != nil {
				return false, err
			}
			some, rewrite = true, rewrite || f.patch == nil
		case Written, Removed:
			rewrite = true
		}
	}
	if !rewrite {
		return some, nil
	}
	for _, f := range p.files {
		if f.action == Overwritten {
			f.action, f.patch = Written, nil
		}
	}
	return false, nil
}

// patchFile makes the patch of a file, if it may be overwritten.
func (p *Plan) patchFile(f *file) error {
	alone, err := hasOneName(filepath.Join(p.dir, f.name))
	if err != nil || !alone {
		return err
	}
	start, err := f.start()
	if err != nil {
		return err
	}
	patch, err := patchOf(start, f.metadata)
	if patch == nil || err != nil {
		return err
	}
	f.patch = patch
	return f.tryPatch(start)
}

// tryPatch applies the patch to start, the file up to its data, in memory, and parses the
// result as the header of an untrusted file. A patch that fails is not written.
func (f *file) tryPatch(start []byte) error {
	copy(start[f.patch.at:], f.patch.now)
	h, err := safetensors.ReadHeader(bytes.NewReader(start))
	if err != nil {
		return err
	}
	same := slices.EqualFunc(h.Tensors, f.header.Tensors, func(a, b safetensors.TensorInfo) bool {
		return a.Name == b.Name && a.Dtype == b.Dtype && a.Offsets == b.Offsets && slices.Equal(a.Shape, b.Shape)
	})
	if !same || !maps.Equal(h.Metadata, f.metadata) {
		return fmt.Errorf("edit: the header of %q would be invalid with the new metadata", f.name)
	}
	return nil
}

// overwrite applies the patches of all files. It checks all files before it writes the first.
func (p *Plan) overwrite() error {
	var open []*patched
	defer func() {
		for _, p := range open {
			p.disk.Close()
		}
	}()
	for _, f := range p.files {
		if f.action == Overwritten {
			p, err := f.openPatched(filepath.Join(p.dir, f.name))
			if err != nil {
				return err
			}
			open = append(open, p)
		}
	}
	// Only the bytes that change were compared. Other changes in the header may give them
	// another meaning.
	if err := p.claim.Check(); err != nil {
		return err
	}
	if err := p.source.close(); err != nil {
		return err
	}
	return applyAll(open)
}

// applyAll applies patches. If one fails, it is undone, as are those before it.
func applyAll(open []*patched) error {
	for i, p := range open {
		if err := p.apply(); err != nil {
			for _, done := range open[:i+1] {
				err = errors.Join(err, done.undo())
			}
			return err
		}
	}
	return nil
}

// A patched is a file that is overwritten.
type patched struct {
	*file
	disk *os.File
}

// openPatched opens the named file, which must not have changed since it was read. It locks
// the file until it is closed: two edits that each write a part of a header would make it
// unreadable.
func (f *file) openPatched(name string) (*patched, error) {
	disk, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	p := &patched{f, disk}
	if !atomicfile.Lock(disk) {
		disk.Close()
		return nil, &fs.PathError{Op: "edit", Path: name, Err: atomicfile.ErrLocked}
	}
	info, err := disk.Stat()
	if err == nil && info.Size() != f.size {
		err = &fs.PathError{Op: "edit", Path: name,
			Err: fmt.Errorf("it had %d bytes, and now has %d: another process is writing it", f.size, info.Size())}
	}
	if err == nil {
		err = p.holds(f.patch.was)
	}
	if err != nil {
		disk.Close()
		return nil, err
	}
	return p, nil
}

// holds returns an error unless the file has these bytes at the position of the patch.
func (p *patched) holds(want []byte) error {
	is := make([]byte, len(want))
	if n, err := p.disk.ReadAt(is, p.patch.at); n < len(is) {
		return err
	}
	if !bytes.Equal(is, want) {
		return &fs.PathError{Op: "edit", Path: p.disk.Name(),
			Err: errors.New("its header has just changed: another process is writing it")}
	}
	return nil
}

// apply writes the patch, syncs the file, and reads the bytes again.
func (p *patched) apply() error {
	if _, err := p.disk.WriteAt(p.patch.now, p.patch.at); err != nil {
		return err
	}
	if err := p.disk.Sync(); err != nil {
		return err
	}
	return p.holds(p.patch.now)
}

// undo writes the former bytes.
func (p *patched) undo() error {
	if _, err := p.disk.WriteAt(p.patch.was, p.patch.at); err != nil {
		return fmt.Errorf("edit: the %d bytes at %d of %q could not be written back: %w", len(p.patch.was), p.patch.at,
			p.disk.Name(), err)
	}
	return p.disk.Sync()
}
