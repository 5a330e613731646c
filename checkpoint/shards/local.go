// Files on this machine: the names of inputs, and whether two names are of one file.

package shards

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/filecopy"
)

// localFiles returns the local file names of a checkpoint, the index last; none if it is
// remote. It leaves out missing files.
func localFiles(ctx context.Context, c *checkpoint.Checkpoint) (names []string, err error) {
	root := ""
	for _, shard := range c.Shards() {
		object, err := c.Object(ctx, shard)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f := fileBehind(object.ReaderAt(ctx))
		if f == nil {
			return nil, nil
		}
		names = append(names, f.Name())
		root = strings.TrimSuffix(f.Name(), filepath.FromSlash(shard))
	}
	if index := c.Set().Index; index != "" && len(names) > 0 {
		names = append(names, root+filepath.FromSlash(index))
	}
	return names, nil
}

// fileBehind returns the file that a reader of a store reads from, or nil.
func fileBehind(r io.ReaderAt) *os.File {
	for {
		switch s := r.(type) {
		case *io.SectionReader:
			r, _, _ = s.Outer()
		case filecopy.Placed:
			f, _ := s.ReadsFile()
			return f
		default:
			return nil
		}
	}
}

// A fileSet is a set of files, by what they are and not by their names: a model has
// several names, by links and by folders.
type fileSet struct {
	bySize map[int64][]fs.FileInfo // only files of one size can be the same
	names  []string                // in the order in which they were added
	err    error                   // of the system, about a file that may be in the set or not
}

// newFileSet returns the set of the regular files among these names.
func newFileSet(names []string) *fileSet {
	s := &fileSet{bySize: make(map[int64][]fs.FileInfo), names: names}
	for _, name := range names {
		if info := s.look(name); info != nil && info.Mode().IsRegular() {
			s.bySize[info.Size()] = append(s.bySize[info.Size()], info)
		}
	}
	return s
}

// look returns what the system knows of a file, or nil. It records an error that does not say whether there is one.
func (s *fileSet) look(name string) fs.FileInfo {
	info, err := os.Stat(name)
	switch {
	case err == nil:
		return info
	case s.err == nil && !errors.Is(err, fs.ErrNotExist):
		s.err = err
	}
	return nil
}

// has reports whether a file is in the set, under that name or another.
func (s *fileSet) has(name string) bool {
	info := s.look(name)
	return info != nil && slices.ContainsFunc(s.bySize[info.Size()],
		func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// remove removes a file from the set.
func (s *fileSet) remove(name string) {
	if info := s.look(name); info != nil {
		size := info.Size()
		s.bySize[size] = slices.DeleteFunc(s.bySize[size], func(one fs.FileInfo) bool { return os.SameFile(one, info) })
	}
}

// first returns the name of the first file in the set, or "".
func (s *fileSet) first() string {
	if i := slices.IndexFunc(s.names, s.has); i >= 0 {
		return s.names[i]
	}
	return ""
}

// sameFolder reports whether two names are of one folder.
func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
