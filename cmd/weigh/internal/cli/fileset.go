// Sets of files, compared by identity.

package cli

import (
	"io/fs"
	"os"
	"slices"
)

// A FileSet is a set of existing files. Links and relative paths give one file many names, so
// files are compared with os.SameFile.
type FileSet struct {
	bySize map[int64][]fs.FileInfo // os.SameFile is needed only among files of one size
	names  []string                // in the order given
}

// FileSetOf returns the set of the named files that exist.
func FileSetOf(names ...string) *FileSet {
	s := &FileSet{bySize: make(map[int64][]fs.FileInfo), names: names}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			s.bySize[info.Size()] = append(s.bySize[info.Size()], info)
		}
	}
	return s
}

// Has reports whether the named file is in the set, under any name.
func (s *FileSet) Has(name string) bool {
	info, err := os.Stat(name)
	return err == nil && s.hasInfo(info)
}

func (s *FileSet) hasInfo(info fs.FileInfo) bool {
	return slices.ContainsFunc(s.bySize[info.Size()], func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// Remove removes a file from the set.
func (s *FileSet) Remove(name string) {
	if info, err := os.Stat(name); err == nil {
		size := info.Size()
		s.bySize[size] = slices.DeleteFunc(s.bySize[size], func(one fs.FileInfo) bool { return os.SameFile(one, info) })
	}
}

// First returns the first name whose file is in the set, or "".
func (s *FileSet) First() string {
	if i := slices.IndexFunc(s.names, s.Has); i >= 0 {
		return s.names[i]
	}
	return ""
}
