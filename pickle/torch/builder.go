// What rebuilding tensors needs.

package torch

import (
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// A builder creates tensors from values.
type builder struct {
	storages storages
	opts     *Options
	within   map[pickle.Value]*storage // storages from bytes or text in the pickle

	composing bool // the tensor is part of another
}

// once returns the storage for a value in the pickle. It creates the storage once, even if several tensors use it.
func (b *builder) once(v pickle.Value, make func(pickle.Value) (*storage, error)) (*storage, error) {
	if st := b.within[v]; st != nil {
		return st, nil
	}
	st, err := make(v)
	if err == nil {
		b.within[v] = st
	}
	return st, err
}

// ints returns a tuple of non-negative ints.
func ints(v pickle.Value, what string) ([]int64, error) {
	if c, ok := v.Called(); ok { // torch.Size, which is a tuple
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList {
		return nil, refuse("the %s are %s instead of a tuple", what, tree.WhatIs(v))
	}
	if v.Len() > maxRank {
		return nil, refuse("the tensor has %d dimensions; the maximum is %d", v.Len(), maxRank)
	}
	list := make([]int64, 0, v.Len())
	for item := range v.Items() {
		n, ok := item.Int()
		if !ok || n < 0 {
			return nil, refuse("the %s contain %s instead of a non-negative int", what, tree.WhatIs(item))
		}
		list = append(list, n)
	}
	return list, nil
}

// nowhere is used for pickles without a container, which have no storages.
type nowhere struct{}

func (nowhere) find(id *torchfile.Storage) (*storage, error) {
	return nil, refuse("storage %s is in another file; a pickle without container has no tensor data", quoted(id.Key))
}
