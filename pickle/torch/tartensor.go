// The tensors in an archive of version 0.1.

package torch

import (
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// A tarFile has the storages and tensors of an archive by key.
type tarFile struct {
	nowhere
	blocks  map[string]*storage
	tensors map[string]*torchfile.TarTensor
}

// A tarTensor is a tensor of such an archive.
type tarTensor struct {
	in *tarFile
	*torchfile.TarTensor
}

// byKey returns the tensor for a persistent ID in an archive of version 0.1.
func (b *builder) byKey(v pickle.Value) (*tarTensor, bool) {
	t, ok := b.storages.(*tarFile)
	if !ok {
		return nil, false
	}
	id, _ := v.Persistent()
	key, _ := id.Str()
	if t.tensors[key] == nil {
		return nil, false
	}
	return &tarTensor{t, t.tensors[key]}, true
}

// view returns the view for the tensor.
func (t *tarTensor) view() (*view, error) {
	v := &view{storage: t.in.blocks[t.Storage], offset: t.Offset, shape: t.Shape, stride: t.Strides}
	if v.storage == nil {
		return nil, refuse("storage %s is missing", quoted(t.Storage))
	}
	var err error
	if v.dtype, err = dtypeOf(torchfile.DtypeOf(v.storage.class)); err != nil {
		return nil, err
	}
	return v, v.check()
}
