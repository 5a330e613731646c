// Plans: the files to write, and what is left out.

package convert

import (
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/pickle"
)

// A Plan is a conversion that has yet to be written, or the receipt of one that was. Only one
// goroutine may use it.
type Plan struct {
	Sources []*Source
	Verdict pickle.Verdict // the most severe of the sources

	// Tensors lists the tensors that are written, in the order of the sources.
	Tensors []Tensor

	// Dropped lists tensors that are not written because another is the same. Shared lists the
	// names of tensors that share bytes and are written each with a copy.
	Dropped []Dropped
	Shared  [][]string

	// Dir is the output folder, and Files is the plan of the files in it.
	Dir   string
	Files *shards.Plan

	// Warnings are about an index that is incorrect and, after Write, about unusual values.
	Warnings []string

	close    func() error
	mu       sync.Mutex // of Warnings
	c        *Conversion
	metadata map[string]string
	oneFile  bool                            // whether the output is one file
	rows     map[*safetensors.Tensor]*Tensor // of Tensors
	ahead    int64                           // bytes that are digested before files are written
	read     atomic.Int64                    // how many of these were
}

// A Tensor is one tensor of a conversion.
type Tensor struct {
	*safetensors.Tensor        // with its output name
	Was                 string // its name in the source
	Source              int    // the index of its source

	// Proof says how the copy was compared with the source. It is "" before Write.
	Proof shards.Proof

	// SHA256 is the digest of its bytes; nil before Write, and if Conversion.Digests is not
	// set.
	SHA256 []byte

	index int // in its source
}

// A Dropped is a tensor that is not written.
type Dropped struct {
	Name string // its output name
	Kept string // the name of the tensor that is the same
}

// Close closes the sources.
func (p *Plan) Close() error {
	return p.close()
}
