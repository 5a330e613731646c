// Zip archives by what is in them.

package scan

import (
	"cmp"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// formatZip is the format of an archive of an unknown kind.
const formatZip = "zip"

// A box is a zip archive under analysis.
type box struct {
	*part
	*zipwalk.Archive
	kind   string           // "" if it is unknown
	folder string           // of the checkpoint in it, with a slash
	named  []namedStorage   // storages that its pickles refer to
	keys   map[string]bool  // their names
	sizes  map[string]int64 // sizes in bytes of those present, by name
	cut    string           // the one within which the file ends

	placed []placedTensor      // sparse and nested tensors
	opened map[string]openPart // the data of their storages, or the arrays of a matrix, by name

	bigEndian bool // the numbers in storages begin with the most significant byte
}

// format returns the name of the archive's format.
func (b *box) format() string { return cmp.Or(b.kind, formatZip) }

// torch reports whether PyTorch reads tensors from the archive.
func (b *box) torch() bool {
	return b.kind == "pytorch-zip" || b.kind == "torchscript" || b.kind == "torch-package"
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
