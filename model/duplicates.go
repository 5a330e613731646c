// Duplicates: parameters that are stored twice and count once.

package model

import (
	"hash/maphash"
	"slices"

	"github.com/weightools/safetensors/internal/parts"
)

// findDuplicates finds the entries whose parameters another entry has already.
func (c *counter) findDuplicates() {
	if len(c.Files) > 1 {
		c.findCopies()
	}
	if c.context.Tied() {
		c.findTied()
	}
}

// findCopies finds tensors with the same name in several files. There may be a million names, so it
// stores their hashes, and compares the names of those whose hashes are equal.
func (c *counter) findCopies() {
	seed := maphash.MakeSeed()
	seen := make(map[uint64]int32, len(c.entries))
	for i := range c.entries {
		e := &c.entries[i]
		hash := maphash.String(seed, c.module(int32(i))+e.Info.Name)
		j, ok := seen[hash]
		switch {
		case !ok:
			seen[hash] = int32(i)
		case c.entries[j].Info.Name == e.Info.Name && c.module(j) == c.module(int32(i)) &&
			slices.Equal(c.entries[j].Info.Shape, e.Info.Shape):
			e.DuplicateOf = c.entries[j].Info.Name
		}
	}
}

// module returns the module of the file that an entry is in.
func (c *counter) module(i int32) string { return c.Files[c.entries[i].File].Module }

// findTied finds an output layer that is the embedding: the configuration says so, and both have the same
// shape and dtype. It does not compare their bytes, which can be gigabytes, because a loader that follows
// the configuration uses only one of them.
func (c *counter) findTied() {
	var head, embedding *entry
	for i := range c.entries {
		e := &c.entries[i]
		if e.DuplicateOf != "" || e.Params.High == 0 || !e.role.Holds() {
			continue
		}
		switch module, _ := parts.Split(e.Info.Name); {
		case parts.IsHead(module):
			head = e
		case embedding == nil && parts.IsEmbedding(module):
			embedding = e
		}
	}
	if head != nil && embedding != nil && head.Params == embedding.Params && head.Params.Exact() &&
		head.Rule == embedding.Rule && head.Info.Dtype == embedding.Info.Dtype {
		head.DuplicateOf = embedding.Info.Name
	}
}
