// The folder of a repository, and the files in it.

package check

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/store"
)

// A folder is the folder of a repository.
type folder struct {
	findings
	from store.Store
	path string // of the target: a folder, an index or a file; "" is the root
	dir  string // the local directory of the store, or ""

	sizes map[string]int64 // of the listed files, by path; nil if there is no list
	odd   map[string]bool  // the listed paths of circular links, pipes and the like
	names []string         // the same paths, in order
}

// list lists the files, if the store can. Folders that cannot be listed were reported when the files were
// sorted into sets.
func (f *folder) list(ctx context.Context) {
	lister, ok := f.from.(store.Lister)
	if !ok {
		return
	}
	f.sizes, f.odd = make(map[string]int64), make(map[string]bool)
	for e, err := range lister.List(ctx, f.path) {
		switch {
		case err == nil:
			f.sizes[e.Name] = e.Size
			f.names = append(f.names, e.Name)
		case errors.Is(err, store.ErrNotRegular):
			f.odd[e.Name] = true
		}
	}
}

// has reports whether the list has a file.
func (f *folder) has(name string) bool {
	_, ok := f.sizes[name]
	return ok
}

// hasBelow reports whether there is a file below a folder.
func (f *folder) hasBelow(name string) bool {
	at, _ := slices.BinarySearch(f.names, name+"/")
	return at < len(f.names) && strings.HasPrefix(f.names[at], name+"/")
}

// below returns the path of a file inside the target.
func (f *folder) below(file string) string {
	return strings.TrimPrefix(strings.TrimPrefix(file, f.path), "/")
}

// head reads the first bytes of a file.
func (f *folder) head(ctx context.Context, file string) ([]byte, error) {
	object, err := f.from.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), filetype.HeadSize)))
}

// folderOf returns the folder of a path, "" if that is the root of the store.
func folderOf(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}
