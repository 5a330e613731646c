// Examining checkpoints that other operations copy.

package convert

import (
	"context"
	"path"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/torch"
)

// Examine returns the error with which Plan refuses the files of a checkpoint: a *[DangerousError], or a
// *[SourceError] for tensors that safetensors cannot represent. Call it before the tensors of a checkpoint are
// copied in another way than by Plan. The name of a shard is the path by which the user can open it. Files of
// other formats, and those that cannot be opened, are left to the caller. The sources have only what is skipped, and
// the reports.
func (c *Conversion) Examine(ctx context.Context, cp *checkpoint.Checkpoint, name func(shard string) string) (
	[]*Source, error) {
	p := &Plan{c: c}
	for _, shard := range cp.Shards() {
		opened, err := cp.Opened(ctx, shard)
		if err != nil {
			continue
		}
		var skipped []torch.Skipped
		switch from := opened.(type) {
		case *torch.Checkpoint:
			skipped = from.Skipped
		case joined:
			skipped = from.Skipped()
			for _, file := range from.Files() {
				if file == path.Base(shard) {
					continue
				}
				part, err := cp.Set().OpenBeside(ctx, file)
				if err != nil {
					return nil, err
				}
				defer part.Close()
				p.Sources = append(p.Sources, &Source{Path: name(path.Join(path.Dir(shard), file)), Size: part.Size(),
					reader: part.ReaderAt(ctx), part: true})
			}
		default:
			continue
		}
		object, err := cp.Object(ctx, shard)
		if err != nil {
			return nil, err
		}
		p.Sources = append(p.Sources, &Source{Path: name(shard), Size: object.Size(), reader: object.ReaderAt(ctx),
			Skipped: skipped})
	}
	if err := p.judge(); err != nil {
		return nil, err
	}
	for _, s := range p.Sources {
		if err := s.unsupported(); err != nil && !c.DropUnsupported {
			return nil, err
		}
	}
	return p.Sources, nil
}
