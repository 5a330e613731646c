// Sets: files that belong together, and indexes, which say so.

package checkpoint

import (
	"context"
	"io"
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/contents"
	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/store"
)

// A Role is the role of a set in its folder.
type Role string

// The roles. Only a Model counts.
const (
	Model   Role = "model"   // a model, or a part of one
	Copy    Role = "copy"    // a copy of another set
	Adapter Role = "adapter" // an adapter, such as LoRA
	Module  Role = "module"  // a further part of the model in the folder above, by modules.json
	Other   Role = "other"   // none of these
)

// A Set is one set of weights: files that belong together, with or without an index.
type Set struct {
	// Name is the path of the index or of the one file, or the common part of several paths, such
	// as "model-*-of-00004.safetensors". It is unique in a folder.
	Name string

	Role   Role
	CopyOf string   // the Name of the original if this is a copy, or ""
	PartOf string   // the Name of the model that this is a Module of, or ""
	Piped  bool     // whether it is in a folder that a model_index.json above names: a part of a pipeline
	Index  string   // the path of the index, or ""
	Shards []string // the paths of the shards, in order; see [Checkpoint.Shards]

	found  *folder
	proof  contents.Evidence // for CopyOf
	named  *naming.Parts     // nil until it is needed
	index  *Index
	report *safetensors.Report // on the index itself
	byName map[string]int      // indices of Shards by their names in the index
	first  map[string]int      // the first entry of the index for each shard, by its name there
	stale  []*Set              // indexes in the folder whose shards are all missing
	object store.Object        // the one shard, if it was opened to find out whether it exists
}

// file returns the path of a file from which the name of the set is derived.
func (s *Set) file() string {
	if s.Index == "" && len(s.Shards) > 0 {
		return s.Shards[0]
	}
	return s.Index
}

// Stem returns the beginning of the names of the set's files, without number and extension:
// "model" for model-00001-of-00002.safetensors and for its index, and for files without a common
// name. See Stem of [github.com/weightools/safetensors/checkpoint/shards.Writer].
func (s *Set) Stem() string {
	if _, _, isShard := naming.Numbered(s.file()); s.Index == "" && len(s.Shards) != 1 && !isShard {
		return "model"
	}
	return naming.Stem(s.file())
}

// Counted reports whether the set is a model or a part of one, so that a total over the folder
// includes its tensors.
func (s *Set) Counted() bool { return s.Role == Model }

// Fault returns why the index is invalid, for example because of the name of a shard. The error
// wraps a *[safetensors.Violation]. It is nil if the index is valid or there is none. Fault reads
// no shards.
//
// If so little of an index can be read that the files of its folder are taken without it, that is a
// fault of the set, too: these files may not be the whole model.
func (s *Set) Fault() error {
	for _, left := range s.stale {
		if err := left.ownFault(); err != nil {
			return err
		}
	}
	return s.ownFault()
}

// ownFault returns why the set's own index is invalid.
func (s *Set) ownFault() error {
	if s.index == nil {
		return nil
	}
	if v := s.report.First(safetensors.Nonconforming); v != nil {
		return shard.AtPath("open", s.Index, v)
	}
	return nil
}

// home returns the index in Shards of a name in the index, -1 if the name is invalid.
func (s *Set) home(name string) int {
	if i, ok := s.byName[name]; ok {
		return i
	}
	return -1
}

// OpenBeside opens a file in the folder of the set, such as "config.json". The error wraps
// fs.ErrNotExist if the file does not exist.
func (s *Set) OpenBeside(ctx context.Context, name string) (store.Object, error) {
	return s.found.from.Open(ctx, path.Join(path.Dir(s.file()), name))
}

// config returns the text of config.json in the folder of the set, nil if it cannot be read.
func (s *Set) config(ctx context.Context) []byte {
	file, err := s.OpenBeside(ctx, "config.json")
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file.ReaderAt(ctx), 0, min(file.Size(), config.MaxSize)))
	if err != nil {
		return nil
	}
	return text
}

// LeftOver returns the sets of the indexes in the folder of the set whose shards are all
// missing: the folder's files are taken without them.
func (s *Set) LeftOver() []*Set { return s.stale }

// heads returns the expected sizes of the headers of the shards, 0 without an index.
func (s *Set) heads() []int64 {
	if s.index == nil {
		return make([]int64, len(s.Shards))
	}
	return index.HeadSizes(s.index, len(s.Shards), s.home)
}

// An Index says which shard holds each tensor. No specification defines its form: it is
// what the library transformers writes as "model.safetensors.index.json".
type Index = index.Index

// An IndexEntry is one member of the "weight_map" of an [Index].
type IndexEntry = index.Entry

// ParseIndex parses the text of an index of safetensors files. It continues after a fault
// where it can, so the Index has what could be read, and is never nil. The report has the
// violations of the rules index-json, index-path and total-size that need no shards; it
// has no Header. Entries whose shard's name has a fault are in the Index.
func ParseIndex(text []byte) (*Index, *safetensors.Report) { return index.Parse(text) }

// IsIndex reports whether a path is the name of an index of safetensors files.
func IsIndex(name string) bool { return naming.IsIndex(name) }
