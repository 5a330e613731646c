// Files by what they are, not by what they are called: a model has many names, by
// links and by folders.

package cli

import (
	"io/fs"
	"os"
	"slices"
)

// A fileSet is some files that there are.
type fileSet struct {
	bySize map[int64][]fs.FileInfo // only of those of one size os.SameFile has to tell
	names  []string                // of all that were added, in order
}

// FileSetOf returns the files of these names, as far as there are such.
func FileSetOf(names ...string) *fileSet {
	s := &fileSet{bySize: make(map[int64][]fs.FileInfo), names: names}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			s.bySize[info.Size()] = append(s.bySize[info.Size()], info)
		}
	}
	return s
}

// Has says whether a file is in the set, by that name or another.
func (s *fileSet) Has(name string) bool {
	info, err := os.Stat(name)
	return err == nil && s.hasInfo(info)
}

func (s *fileSet) hasInfo(info fs.FileInfo) bool {
	return slices.ContainsFunc(s.bySize[info.Size()], func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// Remove removes a file from the set.
func (s *fileSet) Remove(name string) {
	if info, err := os.Stat(name); err == nil {
		size := info.Size()
		s.bySize[size] = slices.DeleteFunc(s.bySize[size], func(one fs.FileInfo) bool { return os.SameFile(one, info) })
	}
}

// First returns the name of a file in the set, the first that was added, or "".
func (s *fileSet) First() string {
	if i := slices.IndexFunc(s.names, s.Has); i >= 0 {
		return s.names[i]
	}
	return ""
}
