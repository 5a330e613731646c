// get with --include or --exclude: a new file of some tensors.

package change

import (
	"context"
	"errors"
	"path/filepath"

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
	file, err := shards.Subset(ctx, cp, chosen.Has)
	if err == nil && file.Tensors == 0 {
		err = cli.Usagef("no tensor matches: patterns match the whole name; weigh info lists the names")
	}
	if err != nil {
		return nil, 0, errors.Join(err, cp.Close())
	}
	return []*wanted{{path: filepath.Join(f.dir, "model"+weightsEnd), object: file, from: cp}}, file.Tensors, nil
}
