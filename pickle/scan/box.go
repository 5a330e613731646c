// Zip archives by what is in them.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// formatZip is the format of an archive of no kind that is known.
const formatZip = "zip"

// A box is a zip archive that is looked at.
type box struct {
	*part
	*zipwalk.Archive
	kind   *kind
	folder string           // of the checkpoint that is in it, with a slash
	named  []namedStorage   // the storages that its pickles name
	keys   map[string]bool  // the names of these
	sizes  map[string]int64 // of those that are there, in bytes, by their names
}

// A kind is a kind of archive, told by the names in it.
type kind struct {
	format string
	is     func(names map[string]bool) bool
}

// kinds are those that are known. The names are without the archive's folder.
var kinds = []kind{
	{"torchscript", func(names map[string]bool) bool {
		return names["constants.pkl"] && names["data.pkl"] || names["code/"] && names["data.pkl"]
	}},
	{"torch-package", func(names map[string]bool) bool {
		return names[".data/extern_modules"] || names[".data/python_version"]
	}},
	{"pytorch-zip", func(names map[string]bool) bool { return names["data.pkl"] }},
	{"keras", func(names map[string]bool) bool {
		return names["config.json"] && (names["metadata.json"] || names["model.weights.h5"])
	}},
	{"torchserve-mar", func(names map[string]bool) bool {
		return names["mar-inf/manifest.json"] || names["manifest.json"] && names["mar-inf/"]
	}},
	{"npz", func(names map[string]bool) bool { return names["*.npy"] }},
}

// classify finds out of which kind the archive is.
func (b *box) classify() {
	for _, folder := range []string{b.Root() + "/", ""} {
		names := make(map[string]bool)
		arrays := len(b.Members) > 0
		for i := range b.Members {
			name, ok := strings.CutPrefix(b.Members[i].Name, folder)
			if folder == "/" || !ok {
				arrays = false
				continue
			}
			name = strings.ToLower(name)
			names[name] = true
			if top, _, ok := strings.Cut(name, "/"); ok {
				names[top+"/"] = true
			}
			views := b.Members[i].Views
			arrays = arrays && (extensionOf(name) == ".npy" || len(views) > 0 && strings.HasPrefix(string(views[0].Head), npy.Magic))
		}
		names["*.npy"] = arrays
		for i := range kinds {
			if kinds[i].is(names) {
				b.kind, b.folder = &kinds[i], folder
				return
			}
		}
	}
}

// format returns what the archive is called.
func (b *box) format() string {
	if b.kind == nil {
		return formatZip
	}
	return b.kind.format
}

// torch says whether the archive is one that PyTorch reads tensors from.
func (b *box) torch() bool {
	return b.kind != nil && (b.kind.format == "pytorch-zip" || b.kind.format == "torchscript" || b.kind.format == "torch-package")
}

// A namedStorage is a storage, and the name of the member that it is to be.
type namedStorage struct {
	name string
	torchfile.Storage
}

// relative returns the name of a member within the archive's folder, in lower case, as
// PyTorch compares names, and false if it is in another.
func (b *box) relative(name string) (string, bool) {
	return strings.CutPrefix(strings.ToLower(name), strings.ToLower(b.folder))
}
