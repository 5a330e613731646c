// The index: which shard holds each tensor.

// Package index reads and writes the index of a set of shards.
package index

import (
	"cmp"
	"slices"

	"github.com/weightools/safetensors"
)

// An Index says which shard holds each tensor. No specification defines its form: it is
// what the library transformers writes as "model.safetensors.index.json".
type Index struct {
	// TotalSize is the sum of the tensors' sizes in bytes, or -1 if unknown.
	TotalSize int64

	// TotalParameters is the number of parameters by the writer, or -1 if unknown. Nothing
	// here depends on it.
	TotalParameters int64

	// Metadata has the other members of "metadata", each value as JSON.
	Metadata map[string]string

	// Tensors is the "weight_map", in the order in which it was written. No two entries
	// have the same name.
	Tensors []Entry

	ascending   bool              // Tensors were parsed, and are in the order of their names
	byName      map[string]uint32 // indices of Tensors if they were parsed in another order, or nil
	totalSizeAt safetensors.Span  // where TotalSize is
	truncated   bool              // it could not be parsed to its end
}

// An Entry is one member of the "weight_map".
type Entry struct {
	Tensor string // the tensor's name
	Shard  string // the shard's path, relative to the folder of the index

	// Span is the entry's place in the index, from the quote before the one name to the
	// quote after the other. It is zero if the entry was not read from a file.
	Span safetensors.Span
}

// Lookup returns the entry of the named tensor, or nil. It takes about constant time in an
// index that was parsed, and linear time in any other.
func (x *Index) Lookup(tensor string) *Entry {
	if i, ok := Find(x, tensor); ok {
		return &x.Tensors[i]
	}
	return nil
}

// Find returns the index of the entry of the named tensor. Libraries write an index in
// the order of names, in which a hash table would be the largest part of it.
func Find(x *Index, tensor string) (at uint32, ok bool) {
	switch {
	case x.byName != nil:
		at, ok = x.byName[tensor]
		return at, ok
	case x.ascending:
		i, ok := slices.BinarySearchFunc(x.Tensors, tensor,
			func(e Entry, name string) int { return cmp.Compare(e.Tensor, name) })
		return uint32(i), ok
	}
	i := slices.IndexFunc(x.Tensors, func(e Entry) bool { return e.Tensor == tensor })
	return uint32(max(i, 0)), i >= 0
}

// Truncated reports whether an index could not be parsed to its end.
func Truncated(x *Index) bool { return x.truncated }

// TotalSizeAt returns where TotalSize is in the text of an index.
func TotalSizeAt(x *Index) safetensors.Span { return x.totalSizeAt }
