// Files of processes as a format of package checkpoint.

package fsdp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// Options configure the format. The zero value is the default.
type Options struct {
	// Torch has the limits of pickles, and selects the root. Nil selects the defaults.
	Torch *torch.Options
}

// Format returns the format, for [checkpoint.Options]. List it before other formats of PyTorch. Its tensors are
// *[Tensors].
func Format(o Options) checkpoint.Format {
	pytorch := torch.PyTorch(o.Torch)
	return checkpoint.Format{
		Name: "PyTorch of several processes",
		Rank: func(name string) int {
			if n, ok := parse(path.Base(name)); ok && n.stem != "model" {
				return -1
			}
			return 1
		},
		Match: func(head []byte, name string) bool {
			_, ok := parse(path.Base(name))
			return ok && pytorch.Match(head, name)
		},
		Joined: &checkpoint.Joined{
			Heads: heads,
			Open: func(ctx context.Context, name string, head store.Object, beside checkpoint.Beside) (
				checkpoint.Tensors, error) {
				t, err := open(ctx, &o, path.Base(name), head, beside)
				if err != nil {
					return nil, err
				}
				return t, nil
			},
		},
	}
}

// A numbered is the name of a file of a process.
type numbered struct {
	stem        string // such as "model" or "optim"
	world, rank int
}

// maxWorld is the maximum number of processes.
const maxWorld = 65536

// parse parses a name such as model_world_size_8_rank_0.pt.
func parse(base string) (n numbered, ok bool) {
	rest, ok := strings.CutSuffix(base, ".pt")
	stem, rest, is := strings.Cut(rest, "_world_size_")
	world, rank, both := strings.Cut(rest, "_rank_")
	if !ok || !is || !both || stem == "" {
		return n, false
	}
	n.stem = stem
	var err, failed error
	n.world, err = strconv.Atoi(world)
	n.rank, failed = strconv.Atoi(rank)
	return n, errors.Join(err, failed) == nil && n.world > 1 && n.world <= maxWorld && n.rank >= 0 && n.rank < n.world &&
		n.name(n.rank) == base
}

// name returns the name of the file of a process.
func (n numbered) name(rank int) string {
	return fmt.Sprintf("%s_world_size_%d_rank_%d.pt", n.stem, n.world, rank)
}

// heads implements Heads of [checkpoint.Joined]. If the file of the first process is missing, that of one of the next
// is the head, so that Open can say which are missing.
func heads(base string) []string {
	const most = 8
	n, ok := parse(base)
	if !ok {
		return nil
	}
	var list []string
	for rank := range min(n.world, most) {
		list = append(list, n.name(rank))
	}
	if n.rank >= most {
		list = append(list, base)
	}
	return list
}

// open opens the files of all processes.
func open(ctx context.Context, o *Options, base string, head store.Object, beside checkpoint.Beside) (*Tensors, error) {
	own, _ := parse(base)
	opts := torch.Options{}
	if o.Torch != nil {
		opts = *o.Torch
	}
	opts.Parts = true
	t := &Tensors{names: own}
	var missing []string
	for rank := range own.world {
		object, err := head, error(nil)
		if rank != own.rank {
			object, err = beside(ctx, own.name(rank))
		}
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, own.name(rank))
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(missing) > 0 {
			continue
		}
		cp, err := torch.Open(object.ReaderAt(ctx), object.Size(), &opts)
		var fault *torch.FormatError
		switch {
		case errors.Is(err, torch.ErrNotCheckpoint) && rank == own.rank:
			return nil, checkpoint.ErrNotFormat
		case errors.As(err, &fault) && !errors.Is(err, torch.ErrNoRoot):
			v := fault.Violation()
			v.Detail = wording.Quote(own.name(rank)) + ": " + v.Detail
			return nil, v
		case err != nil:
			return nil, err
		}
		t.ranks = append(t.ranks, cp)
	}
	if n := len(missing); n > 0 {
		v := checkpoint.Damaged("the files of %d of %d processes are missing, the first %s: each has a part of the tensors",
			n, own.world, wording.Quote(missing[0]))
		v.Rule, v.Fix = checkpoint.RuleShardMissing, "Copy the files of all processes into one folder."
		return nil, v
	}
	return t, t.join()
}
