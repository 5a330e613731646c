// Sources in several files that make one model, such as those that the processes of a training have saved.

package convert

import (
	"cmp"
	"context"
	"path"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
	"github.com/weightools/safetensors/pickle/dcp"
	"github.com/weightools/safetensors/pickle/fsdp"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/pickle/zero"
	"github.com/weightools/safetensors/store"
)

// formats returns the formats of sources.
func (c *Conversion) formats() []checkpoint.Format {
	return []checkpoint.Format{
		zero.Format(zero.Options{Torch: &c.Torch, Optimizer: c.WithOptimizer}),
		dcp.Format(dcp.Options{Torch: &c.Torch, Optimizer: c.WithOptimizer}),
		fsdp.Format(fsdp.Options{Torch: &c.Torch}),
		torch.PyTorch(&c.Torch), torch.NPZ(&c.Torch), gguf.Format(nil),
	}
}

// Joined are tensors that are read from several files.
type joined interface {
	checkpoint.Tensors

	// Files returns the paths of the files below the folder of the one that was opened, which may be among them.
	Files() []string

	// Skipped returns the values that are not among the tensors.
	Skipped() []torch.Skipped
}

// mayBeJoined reports whether a file with that name may be one of several that make a model.
func mayBeJoined(formats []checkpoint.Format, name string) bool {
	for i := range formats {
		if j := formats[i].Joined; j != nil && j.Heads(path.Base(name)) != nil {
			return true
		}
	}
	return false
}

// openJoined returns the tensors of a shard if they are joined, nil if it is a file by itself.
func openJoined(ctx context.Context, cp *checkpoint.Checkpoint, shard string, o *checkpoint.Options) (joined, error) {
	if !mayBeJoined(o.Formats, shard) {
		return nil, nil
	}
	tensors, err := cp.Opened(ctx, shard)
	if err != nil {
		return nil, err
	}
	all, _ := tensors.(joined)
	return all, nil
}

// openParts opens the files beside the shard that joined tensors are read from.
func (l *located) openParts(ctx context.Context, from store.Store, shard string, all joined,
	named func(string) string) error {
	for _, name := range all.Files() {
		if name == path.Base(shard) {
			continue
		}
		name = path.Join(path.Dir(shard), name)
		object, err := from.Open(ctx, name)
		if err != nil {
			return err
		}
		l.parts = append(l.parts, object)
		l.shards = append(l.shards, locatedShard{path: named(name), object: object, part: true})
	}
	return nil
}

// openJoined takes the tensors that are read from this source and its parts.
func (s *Source) openJoined() error {
	s.cp = &torch.Checkpoint{Skipped: s.joined.Skipped()}
	if d, ok := s.joined.(checkpoint.Describer); ok {
		s.cp.Format = torch.Format(d.Describe().Variant)
	}
	for t, err := range s.joined.All() {
		if err != nil {
			return err
		}
		s.cp.Tensors = append(s.cp.Tensors, t)
	}
	return nil
}

// maxShard returns the maximum size of a file's data, 0 for no limit.
func (p *Plan) maxShard() int64 {
	const usual = 5e9
	if p.oneFile {
		return 0
	}
	return cmp.Or(p.c.MaxShard, usual)
}
