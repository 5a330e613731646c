// Sources: the tensors of an open shard, read on behalf of one task.

package checkpoint

import (
	"context"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// A source reads an open shard on behalf of one task.
type source struct {
	ctx    context.Context
	other  *opened // nil for a safetensors file
	object store.Object
}

// reader returns the bytes that the shard's header describes. A store ends no object
// early without an error, so a tensor is never short unnoticed.
func (s *source) reader() io.ReaderAt {
	if s.other != nil {
		return s.other.image(s.ctx)
	}
	return s.object.ReaderAt(s.ctx)
}

// A tensorReader returns the tensors of one header.
type tensorReader struct {
	source *source
	header *safetensors.Header
	r      io.ReaderAt // of the file; nil if the format reads it
}

// tensors returns what gives the tensors of the shard's header.
func (s *source) tensors(h *safetensors.Header) *tensorReader {
	t := &tensorReader{source: s, header: h}
	if s.other == nil {
		t.r = s.object.ReaderAt(s.ctx)
	}
	return t
}

// tensor returns the tensor of an entry of the header.
func (t *tensorReader) tensor(ti *safetensors.TensorInfo) *safetensors.Tensor {
	if t.r == nil {
		return t.ofFormat(ti)
	}
	at := t.header.FileSpan(ti)
	return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: io.NewSectionReader(t.r, at.Begin, at.Len())}
}

// ofFormat returns a tensor of a file of another format. If the file has changed since
// its header was read, and lacks the tensor, reading gives an error.
func (t *tensorReader) ofFormat(ti *safetensors.TensorInfo) *safetensors.Tensor {
	o := t.source.other
	i, ok := o.byName[ti.Name]
	if !ok || o.list[i].Size() != ti.Size() || o.list[i].Dtype != ti.Dtype {
		return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: failing{errChanged}}
	}
	return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: bind(t.source.ctx, o.list[i].ReaderAt)}
}

// A failing reader gives an error.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }
