// Zip archives by what is in them.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// formatZip is the format of an archive of an unknown kind.
const formatZip = "zip"

// A box is a zip archive under analysis.
type box struct {
	*part
	*zipwalk.Archive
	kind   *kind
	folder string           // of the checkpoint in it, with a slash
	named  []namedStorage   // storages that its pickles refer to
	keys   map[string]bool  // their names
	sizes  map[string]int64 // sizes in bytes of those present, by name
}

// A kind is a kind of archive, recognized by the names of its members.
type kind struct {
	format string
	is     func(names map[string]bool) bool
}

// kinds are the known kinds. Names are relative to the archive's folder.
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
	{"skops", func(names map[string]bool) bool { return names["schema.json"] && !names["data.pkl"] }},
	{"torchserve-mar", func(names map[string]bool) bool {
		return names["mar-inf/manifest.json"] || names["manifest.json"] && names["mar-inf/"]
	}},
	{"npz", func(names map[string]bool) bool { return names["*.npy"] }},
}

// classify sets the kind of the archive.
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
			arrays = arrays && (extensionOf(name) == ".npy" || len(views) > 0 && strings.HasPrefix(string(views[0].Head),
				npy.Magic))
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

// format returns the name of the archive's format.
func (b *box) format() string {
	if b.kind == nil {
		return formatZip
	}
	return b.kind.format
}

// torch reports whether PyTorch reads tensors from the archive.
func (b *box) torch() bool {
	return b.kind != nil && (b.kind.format == "pytorch-zip" || b.kind.format == "torchscript" ||
		b.kind.format == "torch-package")
}

// A namedStorage is a storage and the name of the member that should contain it.
type namedStorage struct {
	name string
	torchfile.Storage
}

// relative returns the name of a member relative to the archive's folder, and false if it is
// elsewhere. The name is in lower case, as PyTorch compares names.
func (b *box) relative(name string) (string, bool) {
	return strings.CutPrefix(strings.ToLower(name), strings.ToLower(b.folder))
}
