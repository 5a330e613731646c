// Indexes.

package checkpoint

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

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
