// Package tree has the files of a repository: what is in its folders, and the rules about that.
package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/store"
)

// A Tree is the folder of a repository, and what is found in it.
type Tree struct {
	From store.Store
	Path string // of the target: a folder, an index or a file; "" is the root
	Dir  string // the local directory of the store, or ""

	Sizes map[string]int64 // of the listed files, by path; nil if there is no list
	Odd   map[string]bool  // the listed paths of circular links, pipes and the like
	Names []string         // the paths of Sizes, in order
	dead  []string         // the listed paths of links that lead nowhere

	unlinked map[string]bool // the files for which JudgeLinks has reported that they should be links

	ByFile   map[string]*checkpoint.Findings
	Problems []Problem
}

// A Problem is a file that could not be read.
type Problem struct {
	File string
	Err  error
}

// Found returns the findings of a file, to add to.
func (f *Tree) Found(file string) *checkpoint.Findings {
	if f.ByFile == nil {
		f.ByFile = make(map[string]*checkpoint.Findings)
	}
	one := f.ByFile[file]
	if one == nil {
		one = rule.Findings()
		f.ByFile[file] = one
	}
	return one
}

// Failed records that a file could not be read.
func (f *Tree) Failed(file string, err error) {
	f.Problems = append(f.Problems, Problem{file, err})
}

// List lists the files, if the store can. Folders that cannot be listed were reported when the files were
// sorted into sets.
func (f *Tree) List(ctx context.Context) {
	lister, ok := f.From.(store.Lister)
	if !ok {
		return
	}
	f.Sizes, f.Odd = make(map[string]int64), make(map[string]bool)
	for e, err := range lister.List(ctx, f.Path) {
		switch {
		case err == nil:
			f.Sizes[e.Name] = e.Size
			f.Names = append(f.Names, e.Name)
		case errors.Is(err, store.ErrNotRegular):
			f.Odd[e.Name] = true
		case e.Name != "" && errors.Is(err, fs.ErrNotExist):
			f.dead = append(f.dead, e.Name)
		}
	}
}

// Has reports whether the list has a file.
func (f *Tree) Has(name string) bool {
	_, ok := f.Sizes[name]
	return ok
}

// HasBelow reports whether there is a file below a folder.
func (f *Tree) HasBelow(name string) bool {
	at, _ := slices.BinarySearch(f.Names, name+"/")
	return at < len(f.Names) && strings.HasPrefix(f.Names[at], name+"/")
}

// Below returns the path of a file inside the target.
func (f *Tree) Below(file string) string {
	return strings.TrimPrefix(strings.TrimPrefix(file, f.Path), "/")
}

// Head reads the first bytes of a file.
func (f *Tree) Head(ctx context.Context, file string) ([]byte, error) {
	object, err := f.From.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), filetype.HeadSize)))
}

// FolderOf returns the folder of a path, "" if that is the root of the store.
func FolderOf(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}
