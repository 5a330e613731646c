// DeepSpeed as a format of package checkpoint.

package zero

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// Options configure [Format]. The zero value is the default.
type Options struct {
	// Torch are the options for each file. With a Root, or All, its files are read one by one, as package torch reads
	// them. It may be nil.
	Torch *torch.Options

	// Optimizer includes the optimizer state, as tensors named "optimizer.state.WEIGHT.exp_avg" and similar.
	Optimizer bool
}

// Format returns the format of checkpoints of DeepSpeed ZeRO, for [checkpoint.Options]. List it before
// [torch.PyTorch], which reads the files one by one. Its tensors are a *[Checkpoint].
func Format(o Options) checkpoint.Format {
	single := torch.PyTorch(o.Torch)
	return checkpoint.Format{
		Name: "DeepSpeed",
		Rank: rank,
		Match: func(head []byte, name string) bool {
			_, ok := parse(path.Base(name))
			return ok && single.Match(head, name)
		},
		Joined: &checkpoint.Joined{Heads: heads,
			Open: func(ctx context.Context, name string, from store.Object, beside checkpoint.Beside) (
				checkpoint.Tensors, error) {
				if o.Torch != nil && (o.Torch.All || o.Torch.Root != "") {
					return nil, checkpoint.ErrNotFormat
				}
				if base := path.Base(name); !isHead(base) {
					return nil, o.headless(ctx, base, from)
				}
				return o.open(ctx, path.Base(name), from, beside)
			}},
	}
}

// rank implements Rank of [checkpoint.Format]. If the head is missing, one of the parts represents the model.
func rank(name string) int {
	switch n, ok := parse(path.Base(name)); {
	case isHead(path.Base(name)):
		return 1
	case !ok && !strings.HasSuffix("/"+path.Dir(path.Dir(name)), "/"+universalFolder):
		return 0 // another file of that name
	case n.optimizer && n.data == 0 && n.model == 0:
		return 0
	}
	return -1
}

// A Checkpoint has the tensors of a model that is stored in several files. It is safe for concurrent use and must not
// be modified.
type Checkpoint struct {
	// Stage is the stage of ZeRO, 1 to 3, and Ranks is the number of processes that the weights are divided among.
	Stage, Ranks int

	// Tensors are in the order of the model. They read from the files, which must stay open.
	Tensors []*safetensors.Tensor

	files     []string
	skipped   []torch.Skipped
	dangerous string                // as in checkpoint.Description
	state     []*safetensors.Tensor // of the optimizer, if it is not among the tensors
	universal bool                  // every weight has its own file
	hasState  bool                  // the universal checkpoint has optimizer state, which is not among the tensors
}

// All yields the tensors. It implements [checkpoint.Tensors].
func (cp *Checkpoint) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, t := range cp.Tensors {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// Close does nothing. The tensors read files that the caller closes.
func (cp *Checkpoint) Close() error { return nil }

// Files returns the base names of the files that the tensors are in.
func (cp *Checkpoint) Files() []string { return cp.files }

// Skipped returns the values that are not among the tensors. Their paths are those in the files, and a value that
// several files have is listed once.
func (cp *Checkpoint) Skipped() []torch.Skipped { return cp.skipped }

// Describe implements [checkpoint.Describer].
func (cp *Checkpoint) Describe() checkpoint.Description {
	d := checkpoint.Description{Variant: fmt.Sprintf("deepspeed-zero%d", cp.Stage),
		Metadata: map[string]string{"format": "pt"}, Dangerous: cp.dangerous}
	if cp.dangerous != "" {
		d.Notes = append(d.Notes, "dangerous to load: weigh scan says why")
	}
	files := wording.Count(len(cp.files), "file")
	if cp.universal {
		d.Variant = "deepspeed-universal"
		d.Notes = append(d.Notes, "joins the weights of a universal checkpoint of DeepSpeed from "+files)
	} else {
		d.Notes = append(d.Notes, fmt.Sprintf("joins the weights of DeepSpeed ZeRO-%d from %s: the parts of %s are in *%s",
			cp.Stage, files, wording.Count(cp.Ranks, "rank"), optimizerEnd))
	}
	switch n := len(cp.state); {
	case cp.hasState:
		d.Notes = append(d.Notes, "skips the state of the optimizer"+withOptimizer)
	case n > 0:
		d.Notes = append(d.Notes, "skips "+wording.Count(n, "tensor")+" of optimizer state"+withOptimizer)
	}
	return d
}

// withOptimizer is the advice for optimizer state.
const withOptimizer = ": `weigh convert --with-optimizer FILE -o NEW.safetensors` writes it"
