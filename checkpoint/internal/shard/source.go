// The tensors of an open shard, read on behalf of one task.

package shard

import (
	"context"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/store"
)

// A Source reads an open shard on behalf of one task.
type Source struct {
	Object store.Object
	ctx    context.Context
	other  *Opened // nil for a safetensors file
}

// Value returns what the format made of the file, nil for a safetensors file.
func (s *Source) Value() any {
	if s.other == nil {
		return nil
	}
	return s.other.Value
}

// Reader returns the bytes that the shard's header describes. A store never ends an object
// early without an error, so a short tensor is always an error.
func (s *Source) Reader() io.ReaderAt {
	if s.other != nil {
		return &image{s.other, s.ctx}
	}
	return s.Object.ReaderAt(s.ctx)
}

// A TensorReader returns the tensors of one header.
type TensorReader struct {
	source *Source
	header *safetensors.Header
	r      io.ReaderAt // of the file; nil if the format reads it
}

// Tensors returns a reader of the tensors of the shard's header.
func (s *Source) Tensors(h *safetensors.Header) *TensorReader {
	t := &TensorReader{source: s, header: h}
	if s.other == nil {
		t.r = s.Object.ReaderAt(s.ctx)
	}
	return t
}

// Tensor returns the tensor of an entry of the header.
func (t *TensorReader) Tensor(ti *safetensors.TensorInfo) *safetensors.Tensor {
	if t.r == nil {
		return t.ofFormat(ti)
	}
	at := t.header.FileSpan(ti)
	return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: io.NewSectionReader(t.r, at.Begin, at.Len())}
}

// ofFormat returns a tensor of a file of another format. If the file has changed since its
// header was read, and lacks the tensor, reading gives an error.
func (t *TensorReader) ofFormat(ti *safetensors.TensorInfo) *safetensors.Tensor {
	o := t.source.other
	i, ok := o.byName[ti.Name]
	if !ok || o.List[i].Size() != ti.Size() || o.List[i].Dtype != ti.Dtype {
		return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: bytesio.Failing{Err: store.ErrChanged}}
	}
	return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: bind(t.source.ctx, o.List[i].ReaderAt)}
}
