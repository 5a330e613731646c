// Twins: parameters that are stored twice, and count once.

package model

import (
	"hash/maphash"
	"slices"
	"strings"
)

// findTwins finds the entries whose parameters another entry has already.
func (c *counter) findTwins() {
	if len(c.files) > 1 {
		c.findCopies()
	}
	if c.config.tied {
		c.findTied()
	}
}

// findCopies finds tensors of one name in several files. There may be a million
// names: it is their hashes that are kept, and a hash that was there before is
// looked into.
func (c *counter) findCopies() {
	seed := maphash.MakeSeed()
	seen := make(map[uint64]int32, len(c.entries))
	for i := range c.entries {
		e := &c.entries[i]
		hash := maphash.String(seed, e.ti.Name)
		j, ok := seen[hash]
		switch {
		case !ok:
			seen[hash] = int32(i)
		case c.entries[j].ti.Name == e.ti.Name && slices.Equal(c.entries[j].ti.Shape, e.ti.Shape):
			e.Twin = c.entries[j].ti.Name
		}
	}
}

// findTied finds an output layer that is the embedding: the configuration says so,
// and both are stored alike. Their bytes are not compared: they may be gigabytes, and
// whoever loads the model by that configuration uses one of them.
func (c *counter) findTied() {
	var head, embedding *entry
	for i := range c.entries {
		switch e := &c.entries[i]; {
		case e.Twin != "" || e.Params.High == 0:
		case hasModule(e.ti.Name, "lm_head", "embed_out"):
			head = e
		case embedding == nil && hasModule(e.ti.Name, "embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in"):
			embedding = e
		}
	}
	if head != nil && embedding != nil && head.Params == embedding.Params && head.Params.Exact() && head.Rule == embedding.Rule && head.ti.Dtype == embedding.ti.Dtype {
		head.Twin = embedding.ti.Name
	}
}

// hasModule says whether a name is that of a weight of one of the given modules.
func hasModule(name string, modules ...string) bool {
	module, r := split(name)
	return r < firstExtra && slices.Contains(modules, module[strings.LastIndexByte(module, '.')+1:])
}
