// The layout of output files: order, alignment, room for metadata, and the index.

package edit

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// page is the alignment of data in files that are made to be mapped. An edit keeps it.
const page = 4096

// lay determines the encoder of the new file, and its size.
func (f *file) lay(e *Edit) error {
	if f.changes == nil {
		f.changes = []Change{}
		for _, t := range f.tensors() {
			f.changes = append(f.changes, Change{Was: t, Now: t})
		}
	}
	now := f.now()
	f.encoder = safetensors.Encoder{
		Metadata: f.metadata, Align: e.Align, Slack: f.isRetitled() && !e.Canonical && e.Arrange == nil,
		KeepOrder: !e.Canonical && !f.arranged && (f.sameData(e) || aligned(now)),
	}
	if start := f.header.DataStart(); e.Align == 0 && start%page == 0 && !e.Canonical {
		f.encoder.Align = page
	}
	h, err := f.encoder.Plan(now...)
	if err != nil {
		return err
	}
	f.newHeader, f.newSize = h.Size, h.DataStart()
	for _, t := range now {
		f.newSize += t.Size()
	}
	return nil
}

// sameData reports whether the data stays the same, byte for byte.
func (f *file) sameData(e *Edit) bool {
	return !e.Fix && len(f.added) == 0 && !slices.ContainsFunc(f.changes, func(c Change) bool { return c.Now == nil || c.cast() || c.How != "" })
}

// aligned reports whether tensors, in their order, all begin at a multiple of their element
// size.
func aligned(tensors []*safetensors.Tensor) bool {
	var begin int64
	for _, t := range tensors {
		if size := int64(t.Dtype.Bits() / 8); size > 1 && t.Size() > 0 && begin%size != 0 {
			return false
		}
		begin += t.Size()
	}
	return true
}

// indexChanges reports whether the index changes: a tensor is renamed, dropped, cast or moved,
// or the index is repaired.
func (s *source) indexChanges() bool {
	return s.index != nil && (len(s.faults) > 0 || s.format != "" || slices.ContainsFunc(s.files, func(f *file) bool {
		return f.isTouched() || f.rename != f.name
	}))
}

// indexText returns the text of the index after the edit.
func (s *source) indexText(ctx context.Context) ([]byte, error) {
	if !s.indexChanges() {
		return s.readIndex(ctx)
	}
	x := *s.index
	x.TotalSize, x.Tensors = 0, nil
	add := func(f *file, ti *safetensors.TensorInfo) {
		x.TotalSize += ti.Size()
		x.Tensors = append(x.Tensors, checkpoint.IndexEntry{Tensor: ti.Name, Shard: f.rename})
	}
	for _, f := range s.files {
		for i := range f.changes {
			if now := f.changes[i].Now; now != nil {
				add(f, &now.TensorInfo)
			} else {
				x.TotalParameters = -1 // only its writer knows how it counts
			}
		}
		for i := range f.added {
			add(f, &f.added[i].Now.TensorInfo)
			x.TotalParameters = -1
		}
		for i := 0; f.changes == nil && i < len(f.header.Tensors); i++ {
			add(f, &f.header.Tensors[i])
		}
	}
	return x.AppendText(nil)
}
