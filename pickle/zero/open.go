// Opening a checkpoint: its files, and what they say.

package zero

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/store"
)

// parallel is how many files are opened at once.
const parallel = 8

// A reader opens one checkpoint.
type reader struct {
	*Options
	beside  checkpoint.Beside
	stage   int
	head    *file
	weights [][]weight // the groups in which they are divided
	parts   []*part    // of each process
	made    *Checkpoint
	names   map[string]*safetensors.Tensor // of the made tensors
	state   map[string]bool                // the paths of optimizer state that is taken
}

// open opens the checkpoint whose names and shapes are in the object.
func (o *Options) open(ctx context.Context, base string, object store.Object, beside checkpoint.Beside) (*Checkpoint, error) {
	head, err := o.openFile(ctx, base, object)
	if err != nil {
		return nil, err
	}
	r := &reader{Options: o, beside: beside, head: head, names: make(map[string]*safetensors.Tensor),
		state: make(map[string]bool)}
	if groups := get(head.top, "param_shapes"); groups.Len() == 0 {
		return nil, fmt.Errorf("%w: %s does not record shapes of divided weights", checkpoint.ErrNotFormat, wording.Quote(base))
	}
	for shapes := range get(head.top, "param_shapes").Items() {
		group, err := weightsOf(shapes)
		if err != nil {
			return nil, checkpoint.Damaged("%s: %v", wording.Quote(base), err)
		}
		r.weights = append(r.weights, group)
	}
	r.made = &Checkpoint{files: []string{base}}
	err = r.openParts(ctx)
	switch {
	case errors.Is(err, checkpoint.ErrNotFormat) && r.has(ctx, weightKey):
		err = r.universal(ctx)
	case err == nil:
		if err = r.undivided(); err == nil {
			r.made.Stage, r.made.Ranks = r.stage, len(r.parts)
			err = r.join(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	r.describe()
	return r.made, nil
}

// headless returns the error for a file whose head is missing.
func (o *Options) headless(ctx context.Context, base string, object store.Object) error {
	f, err := o.openFile(ctx, base, object)
	if err != nil {
		return err
	}
	head := sharedHead
	if stage, _ := whole(get(get(f.top, partKey), "zero_stage")); stage == 3 || f.top.Kind() == pickle.KindDict &&
		get(f.top, "param_shapes").Len() > 0 {
		head = dividedHead
	} else if get(f.top, partKey).Kind() == pickle.KindUnknown {
		return fmt.Errorf("%w: %s has no part of a divided model", checkpoint.ErrNotFormat, wording.Quote(base))
	}
	return missing("%s is missing: it has the names and shapes of the weights", wording.Quote(head))
}

// undivided returns an error for a model that is divided in other ways, too.
func (r *reader) undivided() error {
	n, _ := whole(get(r.head.top, "mp_world_size"))
	if dims := get(r.head.top, "checkpoint_parallel_dimensions"); n <= 1 {
		tensors, _ := whole(get(dims, "tp_degree"))
		pipeline, _ := whole(get(dims, "pp_degree"))
		n = max(tensors, pipeline)
	}
	if n > 1 {
		return checkpoint.Unsupported("Join it with DeepSpeed: `ds_to_universal.py --input_folder FOLDER --output_folder NEW`.",
			"each weight is divided among %d ranks by tensor or pipeline parallelism, and the checkpoint does not say how", n)
	}
	return nil
}

// A part is the file of one process with its part of the weights and of the optimizer state.
type part struct {
	*file
	stage  int
	counts []int64               // the number of processes, for all groups of weights or for each
	flats  []*safetensors.Tensor // the weights of each group
}

// The keys of a part. (deepspeed/checkpoint/constants.py of DeepSpeed 0.19.8.)
const (
	partKey    = "optimizer_state_dict"
	groupsKey  = "single_partition_of_fp32_groups" // stages 1 and 2
	groupsKey3 = "fp32_flat_groups"                // stage 3
)

// openPart opens the file of a process.
func (r *reader) openPart(ctx context.Context, name, why string) (*part, error) {
	f, err := r.openBeside(ctx, name, r.beside, why)
	if err != nil {
		return nil, err
	}
	p := &part{file: f}
	state := get(f.top, partKey)
	stage, ok := whole(get(state, "zero_stage"))
	if !ok && get(state, groupsKey).Len() > 0 {
		stage = 1 // BF16_Optimizer records none
	}
	p.stage = int(stage)
	if stage < 1 || stage > 3 {
		return nil, checkpoint.Damaged("%s: zero_stage is not a number from 1 to 3", wording.Quote(name))
	}
	if p.counts, ok = wholes(get(state, "partition_count")); !ok || len(p.counts) == 0 {
		return nil, checkpoint.Damaged("%s: partition_count is not a number of ranks", wording.Quote(name))
	}
	key := groupsKey
	if stage == 3 {
		key = groupsKey3
	}
	for i := range int(get(state, key).Len()) {
		t := f.at(partKey, key, fmt.Sprint(i))
		if t == nil {
			return nil, checkpoint.Damaged("%s: item %d of %s is not a readable tensor", wording.Quote(name), i, key)
		}
		p.flats = append(p.flats, t)
	}
	return p, nil
}

// openParts opens the files of all processes. It returns [checkpoint.ErrNotFormat] if there is none of the first.
func (r *reader) openParts(ctx context.Context) error {
	var first *part
	var precision string
	for _, precision = range precisions {
		var err error
		if first, err = r.openPart(ctx, optimizerFile(precision, 0), "it has the part of rank 0"); err == nil {
			break
		} else if !errors.Is(err, checkpoint.RuleShardMissing) {
			return err
		}
	}
	if first == nil {
		if _, err := r.beside(ctx, optimizerFile(precisions[0], 1)); err != nil {
			return fmt.Errorf("%w: the folder has no file *%s", checkpoint.ErrNotFormat, optimizerEnd)
		}
		return missing("%s is missing: other ranks have such a file", wording.Quote(optimizerFile(precisions[0], 0)))
	}
	ranks, err := first.ranks()
	if err != nil {
		return err
	}
	if err := r.openOthers(ctx, first, precision, ranks); err != nil {
		return err
	}
	if _, err := r.beside(ctx, optimizerFile(precision, ranks)); err == nil {
		v := checkpoint.Damaged("%s is in the folder, but the checkpoint was saved by %s: the files of two checkpoints "+
			"are mixed", wording.Quote(optimizerFile(precision, ranks)), wording.Count(ranks, "rank"))
		v.Fix = "Move the files of the other checkpoint to a folder of their own."
		return v
	}
	r.stage = first.stage
	return nil
}

// maxRanks bounds the number of processes.
const maxRanks = 1 << 16

// ranks returns the number of processes that the weights are divided among.
func (p *part) ranks() (int, error) {
	n := slices.Max(p.counts)
	switch {
	case n != slices.Min(p.counts):
		return 0, checkpoint.Unsupported("", "experts are not divided among the same ranks as other weights (partition_count %d "+
			"and %d)", slices.Min(p.counts), n)
	case n < 1 || n > maxRanks:
		return 0, checkpoint.Damaged("%s: partition_count is %d, and should be between 1 and %d", wording.Quote(p.name), n,
			maxRanks)
	}
	return int(n), nil
}

// openOthers opens the files of the other processes. An error names all files that are missing.
func (r *reader) openOthers(ctx context.Context, first *part, precision string, ranks int) error {
	const mostMissing = 20
	type opened struct {
		*part
		err error
	}
	why := fmt.Sprintf("partition_count of %s is %d", wording.Quote(first.name), ranks)
	open := func(_ context.Context, i int) opened {
		p, err := r.openPart(ctx, optimizerFile(precision, i+1), why)
		return opened{p, err}
	}
	r.parts = append(r.parts, first)
	var faults []error
	for _, p := range bytesio.Ahead(ctx, parallel, ranks-1, open) {
		switch {
		case errors.Is(p.err, checkpoint.RuleShardMissing):
			if faults = append(faults, p.err); len(faults) == mostMissing {
				return errors.Join(faults...)
			}
		case p.err != nil:
			return p.err
		case p.stage != first.stage || !slices.Equal(p.counts, first.counts) || len(p.flats) != len(first.flats):
			return checkpoint.Damaged("%s and %s are of different checkpoints: stage %d and %d, partition_count %v and %v, %s "+
				"and %d", wording.Quote(first.name), wording.Quote(p.name), first.stage, p.stage, first.counts, p.counts,
				wording.Count(len(first.flats), "group"), len(p.flats))
		default:
			r.parts = append(r.parts, p.part)
		}
	}
	return errors.Join(faults...)
}
