// The tree of a repository in the words of this package.

package check

import (
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/checkpoint"
)

// FileNames are the names of the files in the folder of a model that Validate reads in addition to the weights,
// because loaders do. Each costs a round trip on a network, unless it is requested together with others.
var FileNames = tree.FileNames

// A folder is the folder of a repository.
type folder struct{ tree.Tree }

func (f *folder) found(file string) *checkpoint.Findings { return f.Found(file) }
func (f *folder) failed(file string, err error)          { f.Failed(file, err) }
func (f *folder) has(name string) bool                   { return f.Has(name) }

// folderOf returns the folder of a path, "" if that is the root of the store.
func folderOf(p string) string { return tree.FolderOf(p) }
