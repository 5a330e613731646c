// Sets: what belongs together, and what of it is to be counted.

package checkpoint

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/store"
)

// A Role is what a set is to the folder in which it was found.
type Role string

// The roles. A Model is counted, and what is beside it is not.
const (
	Model   Role = "model"   // the model, a part of it, or one of several
	Copy    Role = "copy"    // another set once more: by its name in another form, or byte for byte
	Adapter Role = "adapter" // what is added to a model: LoRA and the like
	Other   Role = "other"   // none of these, as far as can be told
)

// A Set is one set of weights: files that belong together, with or without an
// index that says so.
type Set struct {
	// Name is the path of the index; without one, that of the file, or what the
	// paths of several have in common, as in "model-*-of-00004.safetensors".
	// No two sets of a folder have one name.
	Name string

	Role   Role
	CopyOf string   // the Name of the set of which this is a copy, or ""
	Index  string   // the path of the index, or ""
	Shards []string // the paths of the shards, in order; see [Checkpoint.Shards]

	found  *folder
	proof  evidence   // of what CopyOf says
	named  *nameParts // nil until it is needed
	index  *Index
	report *safetensors.Report // what is wrong with the index itself
	byName map[string]int      // indices of Shards by their names in the index
	stale  []*Set              // indexes beside this set of whose shards none is there
	object store.Object        // the one shard, if it was opened to see whether it is there
}

// file returns the path of a file that tells what the set is called.
func (s *Set) file() string {
	if s.Index == "" && len(s.Shards) > 0 {
		return s.Shards[0]
	}
	return s.Index
}

// Stem returns what the names of the set's files begin with, without number and
// suffix: "model" for model-00001-of-00002.safetensors and for its index, and so for
// files that have no more in common than to be one model. See Stem of [github.com/weightools/safetensors/checkpoint/shards.Writer].
func (s *Set) Stem() string {
	if _, _, isShard := naming.Numbered(s.file()); s.Index == "" && len(s.Shards) != 1 && !isShard {
		return "model"
	}
	return naming.Stem(s.file())
}

// An Index says which shard holds each tensor. No specification defines its form: it is
// what the library transformers writes as "model.safetensors.index.json".
type Index = index.Index

// An IndexEntry is one member of the "weight_map" of an [Index].
type IndexEntry = index.Entry

// ParseIndex parses the text of an index of safetensors files. It continues after a fault
// where it can, so the Index has what could be read, and is never nil. The report has the
// violations of the rules index-json, index-path and total-size that the index alone
// shows; it has no Header. Entries whose shard's name has a fault are in the Index.
func ParseIndex(text []byte) (*Index, *safetensors.Report) { return index.Parse(text) }

// IsIndex reports whether a path is that of an index of safetensors files, by its name.
func IsIndex(name string) bool { return naming.IsIndex(name) }

// Counted says whether the set is the model, or a part of it, so that its
// tensors are to be counted in a total over the folder.
func (s *Set) Counted() bool { return s.Role == Model }

// Fault returns why the index must not be relied on, a shard's name that is refused among
// the reasons: an error that wraps a *[safetensors.Violation]; nil if nothing is wrong
// with it, or there is none. Shards are not looked at.
func (s *Set) Fault() error {
	if s.index == nil {
		return nil
	}
	if v := s.report.First(safetensors.Nonconforming); v != nil {
		return atPath("open", s.Index, v)
	}
	return nil
}

// home returns which shard the index means by a name; -1 if it is refused.
func (s *Set) home(name string) int {
	if i, ok := s.byName[name]; ok {
		return i
	}
	return -1
}
