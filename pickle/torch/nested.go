// Storages inside strings of a pickle.

package torch

import (
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// inner returns the storage that torch.storage._load_from_bytes would create from a string: a stream whose object is a
// storage. Pickles without a container store their storages this way.
func inner(v pickle.Value, o *pickle.Options) (*storage, error) {
	data := v.Data()
	if data == nil {
		return nil, refuse("a storage is loaded from %s instead of bytes", tree.WhatIs(v))
	}
	s, err := torchfile.ReadStream(data, data.Size(), o)
	if err != nil {
		return nil, err
	}
	switch {
	case s == nil:
		return nil, refuse("a storage is loaded from bytes that are not a PyTorch stream")
	case len(s.Faults) > 0 && s.Faults[0].Rule != torchfile.RuleMagic:
		return nil, refuse("the stream of a nested storage is invalid: %s (%s)", s.Faults[0].Detail, s.Faults[0].Rule)
	case !s.Complete:
		return nil, refuse("the stream of a nested storage is incomplete")
	}
	persistent, _ := s.Object.Persistent()
	id, ok := torchfile.StorageOf(persistent)
	if !ok || len(s.Blocks) != 1 {
		return nil, refuse("the stream of a nested storage contains %s and %s",
			tree.WhatIs(s.Object), wording.Count(len(s.Blocks), "storage"))
	}
	b := s.Blocks[0]
	st := &storage{key: b.Key, class: b.Class, r: data, base: b.Begin, size: b.Size}
	return st.viewed(&id)
}
