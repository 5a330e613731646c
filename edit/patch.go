// Patches: metadata changed in place, by one write.

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
	"github.com/weightools/safetensors/internal/jsonscan"
)

// block is the unit in which a file is overwritten, in bytes: all changes lie in one aligned
// block. The package comment explains why.
const block = 4096

// lengthSize is the size of the header length at the start of a file.
const lengthSize = 8

// A patch replaces bytes of a file by as many others.
type patch struct {
	at       int64  // where in the file
	was, now []byte // of equal length
}

// span returns the range of bytes that a patch writes.
func (p *patch) span() safetensors.Span {
	return safetensors.Span{Begin: p.at, End: p.at + int64(len(p.now))}
}

// patchOf returns the patch that sets the metadata m in a valid file that begins with start,
// and changes nothing else. It returns nil if m does not fit, or if the changes are not in one
// block.
func patchOf(start []byte, m map[string]string) (*patch, error) {
	text := start[lengthSize:]
	begin, end, err := locate(text)
	if err != nil {
		return nil, err
	}
	member, err := (&safetensors.Header{Metadata: m}).AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	// This is a header with only the metadata: {"__metadata__":{...}}, padded.
	member = bytes.TrimRight(member[lengthSize+1:], " ")
	member = member[:len(member)-1]
	if next := bytes.TrimLeft(text[end:], " \t\r\n"); begin == end && next[0] != '}' {
		member = append(member, ',') // there was no metadata, and an entry follows
	}
	// The text that follows stays where it is if there are spaces before it, and can
	// otherwise move into the spaces at the end.
	spaces := len(text) - len(bytes.TrimRight(text, " "))
	switch missing := len(member) - (end - begin); {
	case missing > spaces:
		return nil, nil
	case missing > 0:
		member, end = append(member, text[end:len(text)-spaces]...), len(text)-spaces+missing
	default:
		member = append(member, bytes.Repeat([]byte{' '}, -missing)...)
	}
	p := &patch{lengthSize + int64(begin), bytes.Clone(text[begin:end]), member}
	p.trim()
	if len(p.now) > 0 && p.at/block != (p.at+int64(len(p.now))-1)/block {
		return nil, nil
	}
	return p, nil
}

// locate returns the range of the metadata in the text of a header, from the quote before its
// name to the spaces after the member. If there is none, the range is empty and is where it
// belongs.
func locate(text []byte) (begin, end int, err error) {
	s := jsonscan.New(text)
	if err := s.Open(jsonscan.Object); err != nil {
		return 0, 0, err
	}
	none := s.Pos()
	for first := true; ; first = false {
		more, err := s.More(jsonscan.Object, first)
		if err != nil || !more {
			return none, none, err
		}
		begin := s.Pos()
		key, err := s.Key()
		if err != nil {
			return 0, 0, err
		}
		name := bytes.Clone(s.Text(key.Begin, key.End))
		if _, _, err := s.Skip(); err != nil {
			return 0, 0, err
		}
		if string(jsonscan.Unescape(name)) == "__metadata__" {
			end := s.Pos()
			for text[end] == ' ' {
				end++
			}
			return begin, end, nil
		}
	}
}

// trim removes unchanged bytes from both ends of a patch.
func (p *patch) trim() {
	for len(p.now) > 0 && p.now[0] == p.was[0] {
		p.at, p.was, p.now = p.at+1, p.was[1:], p.now[1:]
	}
	for n := len(p.now); n > 0 && p.now[n-1] == p.was[n-1]; n-- {
		p.was, p.now = p.was[:n-1], p.now[:n-1]
	}
}

// patches makes the patches of files that change only in their metadata. It returns true if
// nothing else is to be written. Otherwise nothing is overwritten: all changed files are
// written again, to appear at once.
func (p *Plan) patches() (all bool, err error) {
	any, anew := false, p.newIndex
	for _, f := range p.files {
		switch f.action {
		case Overwritten:
			if err := p.patchFile(f); err != nil {
				return false, err
			}
			any, anew = true, anew || f.patch == nil
		case Written, Removed:
			anew = true
		}
	}
	if !anew {
		return any, nil
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
		err = &fs.PathError{Op: "edit", Path: name, Err: fmt.Errorf("it had %d bytes, and now has %d: another process is writing it", f.size, info.Size())}
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
		return &fs.PathError{Op: "edit", Path: p.disk.Name(), Err: errors.New("its header has just changed: another process is writing it")}
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
		return fmt.Errorf("edit: the %d bytes at %d of %q could not be written back: %w", len(p.patch.was), p.patch.at, p.disk.Name(), err)
	}
	return p.disk.Sync()
}
