// get with --include or --exclude: a new file of some tensors.

package change

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// wantedTensors returns a file of the selected tensors, and their number.
func wantedTensors(ctx context.Context, sess *cli.Session, at *target.Target, sets []*checkpoint.Set,
	f *getFlags) ([]*wanted, int, error) {
	if len(sets) > 1 {
		return nil, 0, cli.Usagef("the target has %d models; name one of them", len(sets))
	}
	chosen, err := f.NameFlags.Compile()
	if err != nil {
		return nil, 0, err
	}
	cp := sets[0].Open()
	var names []string
	file, err := shards.Subset(ctx, cp, func(name string) bool {
		names = append(names, name)
		return chosen.Has(name)
	})
	if err == nil {
		err = cli.CheckMatched(chosen.Include, slices.Values(names))
	}
	if err == nil && file.Tensors == 0 {
		err = cli.ErrNoneSelected
	}
	if err != nil {
		cp.Close()
		return nil, 0, at.Fault(err)
	}
	return []*wanted{{path: filepath.Join(f.dir, "model"+weightsEnd), object: file, from: cp}}, file.Tensors, nil
}
