// Reading a checkpoint again that was written, before it has its name.

package checkpoint

import (
	"context"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/ahead"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// verify has every tensor of a set verified that was written.
func (p *Plan) verify(ctx context.Context, set *atomicfile.Set) error {
	if p.w.Verify == nil {
		return nil
	}
	for i := range p.Shards {
		if err := p.verifyShard(ctx, set, &p.Shards[i]); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// verifyShard has the tensors of one shard verified. Its header is judged as that of
// any other file.
func (p *Plan) verifyShard(ctx context.Context, set *atomicfile.Set, shard *PlannedShard) error {
	disk, err := set.Open(shard.Name)
	if err != nil {
		return err
	}
	defer disk.Close()
	f, err := safetensors.NewFile(disk, shard.Size)
	if err != nil {
		return fmt.Errorf("checkpoint: shard %s, as it was written: %w", quote(shard.Name), err)
	}
	one := func(ctx context.Context, i int) error {
		is, err := f.Tensor(shard.Tensors[i].Name)
		if err != nil {
			return err
		}
		return p.w.Verify(ctx, shard.Tensors[i], is)
	}
	const atOnce = 4 // for as many cores to work on one shard
	for i, err := range ahead.Each(ctx, atOnce, len(shard.Tensors), one) {
		if err != nil {
			return fmt.Errorf("checkpoint: tensor %s, as it was written to shard %s: %w", quote(shard.Tensors[i].Name), quote(shard.Name), err)
		}
	}
	return nil
}
