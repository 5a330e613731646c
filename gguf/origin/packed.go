// Checkpoints with packed weights, which the converter unpacks.

package origin

import (
	"context"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/model/unpack"
)

// mostConfig is the size of the largest configuration file, in bytes.
const mostConfig = 16 << 20

// weightsOf finds the packed weights of a checkpoint.
func weightsOf(ctx context.Context, cp *checkpoint.Checkpoint) (*unpack.Weights, error) {
	src := &unpack.Source{Beside: func(name string) ([]byte, error) {
		object, err := cp.Set().OpenBeside(ctx, name)
		if err != nil {
			return nil, err
		}
		defer object.Close()
		return bytesio.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), mostConfig)))
	}}
	for _, shard := range cp.Shards() {
		h, err := cp.Header(ctx, shard)
		if err != nil {
			return nil, err
		}
		f := unpack.File{Metadata: h.Metadata}
		for i := range h.Tensors {
			t, err := cp.Tensor(ctx, h.Tensors[i].Name)
			if err != nil {
				return nil, err
			}
			f.Tensors = append(f.Tensors, t)
		}
		src.Files = append(src.Files, f)
	}
	return unpack.Of(src), nil
}

// nameOf returns the name under which the map has a tensor of the checkpoint: for the packed values of a weight, that of
// the weight, and "" for the other parts.
func (m *matcher) nameOf(t *safetensors.TensorInfo) string {
	switch w := m.packed.Of(t.Name); {
	case w == nil:
		return t.Name
	case w.Parts[0].Name == t.Name:
		return w.Name
	}
	return ""
}

// open opens a tensor of the checkpoint, unpacked. Why says why it stays packed.
func (m *matcher) open(ctx context.Context, name string) (t *safetensors.Tensor, why string, err error) {
	if w := m.packed.Of(name); w != nil {
		if t, err = w.Tensor(); err != nil {
			return nil, err.Error(), nil
		}
		return t, "", nil
	}
	t, err = m.from.Tensor(ctx, name)
	return t, "", err
}
