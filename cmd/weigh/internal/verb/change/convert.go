// The verb convert: checkpoints of PyTorch as safetensors files.

package change

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/policy"
	"github.com/weightools/safetensors/pickle/convert"
	"github.com/weightools/safetensors/pickle/torch"
)

// convertFlags are the flags of convert.
type convertFlags struct {
	foreignFlags
	carryFlags
	policy                       policy.Flags
	target, root, shared, values string
	prefixes                     []string
	all, noCRC, withOptimizer    bool
	dense, quantized             bool
	force, dryRun, json          bool
	maxShard                     cli.ByteSize
}

// sharedChoices are what --shared can be.
var sharedChoices = []string{string(convert.Duplicate), string(convert.Drop), string(convert.Refuse)}

// Convert returns the verb.
func Convert(sess *cli.Session) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert SRC -o DST",
		Short: "Convert PyTorch, NumPy and GGUF files to safetensors",
		Long: `Convert a PyTorch checkpoint, a NumPy archive (.npz) or a GGUF model to safetensors. SRC
is a file, a folder of shards, or an index; formats are detected by content. DST is a file
if it ends in ".safetensors", otherwise a folder, which is created if needed. A sharded
checkpoint is written as shards with a new index.

The tensors of a GGUF model keep their names. Types without blocks, such as F16 and BF16,
are copied; types with blocks, such as Q4_K, are decoded to F32.

Nothing is unpickled and no code runs. Each file is scanned first, as by weigh scan. A
dangerous file is refused with exit code 1; --convert-anyway extracts its tensors, also
without running code. A suspicious file is converted with a warning.

In distributed training, each process saves a part of the model. convert joins the parts:
SRC is a folder of torch.distributed.checkpoint (.metadata and .distcp files) or DeepSpeed
ZeRO (model_states.pt and optim_states.pt files), or one of its files. If DST is a folder,
convert writes shards of at most --max-shard-size.

From a training checkpoint, convert takes the weights: the tensors under "state_dict",
"model" and similar keys, or all if the top level has tensors. --root selects another
part by its path, with dots, and --all takes every tensor. The report lists the rest.

Tensors that safetensors cannot represent are an error, unless --drop-unsupported is
set. --dense writes sparse tensors with their zeros. --quantized writes the integers of
a quantized tensor w, and w.scale and w.zero_point; if these vary along a dimension,
also w.axis.

--keep-values writes values other than tensors (numbers, text, lists and dicts) to a
JSON file, which also lists values that it cannot represent.

  --shared duplicate  write tensors that share memory separately (default)
  --shared drop       write equal tensors once, such as tied weights, and
                      record the other names in the metadata
  --shared error      fail

Output is re-read before it is renamed into place, and compared with the checksums in
the archive, or byte by byte with SRC. Existing files are not overwritten without
--force, and SRC never is.

` + carriedHelp,
		Example: `  weigh convert --dry-run testdata/torch/checkpoint.pt -o model.safetensors
  weigh convert --shared drop testdata/torch/checkpoint.pt -o w.safetensors
  weigh convert testdata/torch/sharded -o new
  weigh convert --json testdata/torch/arrays.npz -o arrays.safetensors`,
		Args:              cli.TargetArgs(1, "a source: a file, a folder, or an index"),
		ValidArgsFunction: completeCheckpoints,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.conversion(sess)
			if err != nil {
				return err
			}
			return runConvert(cmd.Context(), sess, target.Name(args[0]), c, &f)
		},
	}
	f.register(cmd)
	return cmd
}

// completeCheckpoints has shells complete the names of files that can be converted.
func completeCheckpoints(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"bin", "pt", "pth", "ckpt", "npz", "pkl", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// register adds the flags to the verb.
func (f *convertFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	cli.OutputVar(fl, &f.target, "write to `DST`, a file or a folder")
	fl.StringVar(&f.root, "root", "", "convert the tensors under `PATH`, names separated by dots")
	fl.BoolVar(&f.all, "all", false, "convert every tensor")
	fl.StringArrayVar(&f.prefixes, "strip-prefix", nil, "remove `PREFIX` from names that begin with it (repeatable)")
	fl.StringVar(&f.shared, "shared", string(convert.Duplicate),
		"handle tensors that share memory by `CHOICE`: duplicate, drop or error")
	fl.StringVar(&f.values, "keep-values", "", "write values other than tensors to `FILE`, as JSON, weigh.values/1")
	fl.BoolVar(&f.dense, "dense", false, "write sparse tensors with their zeros")
	fl.BoolVar(&f.quantized, "quantized", false, "write quantized tensors as integers, scales and zero points")
	f.foreignFlags.register(cmd)
	f.carryFlags.register(cmd)
	f.policy.RegisterPolicy(cmd)
	f.policy.RegisterBudget(cmd, false)
	fl.Var(&f.maxShard, "max-shard-size", "maximum data `SIZE` of a shard, for distributed checkpoints")
	fl.Lookup("max-shard-size").DefValue = "5GB"
	fl.BoolVar(&f.withOptimizer, "with-optimizer", false, "also write the optimizer state of a distributed checkpoint")
	fl.BoolVar(&f.noCRC, "no-crc", false, "compare all bytes instead of the archive's checksums")
	fl.BoolVar(&f.force, "force", false, "overwrite existing files (never SRC)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would be written, but write nothing")
	fl.BoolVar(&f.json, "json", false, "write the report as JSON, weigh.convert/1, with digests")
	cli.CompleteWords(cmd, "shared", sharedChoices)
}

// conversion reads the flags.
func (f *convertFlags) conversion(sess *cli.Session) (*convert.Conversion, error) {
	switch {
	case f.target == "":
		return nil, cli.Usagef("convert needs an output: -o DST")
	case f.all && f.root != "":
		return nil, cli.Usagef("--root and --all exclude each other")
	case !slices.Contains(sharedChoices, f.shared):
		return nil, cli.UnknownValue("--shared", f.shared, sharedChoices)
	case f.values == "-":
		return nil, cli.Usagef("--keep-values needs a file name")
	case slices.Contains(f.prefixes, ""):
		return nil, cli.Usagef("--strip-prefix needs a prefix, as in --strip-prefix module.")
	}
	scanner, err := f.policy.Scanner(sess)
	if err != nil {
		return nil, err
	}
	return &convert.Conversion{
		Torch: torch.Options{Root: f.root, All: f.all, NoChecksum: f.noCRC, Values: f.values != "", Dense: f.dense,
			Quantized: f.quantized, Budget: f.policy.Budget},
		Scanner: *scanner, MaxShard: int64(f.maxShard), WithOptimizer: f.withOptimizer, Anyway: f.anyway,
		StripPrefix: f.prefixes, Shared: convert.Shared(f.shared), DropUnsupported: f.unsupported, Overwrite: f.force, Digests: f.json,
	}, nil
}

// runConvert converts the source, and writes the receipt.
func runConvert(ctx context.Context, sess *cli.Session, source target.Name, c *convert.Conversion,
	f *convertFlags) error {
	if source == "-" {
		return cli.ErrStdin
	}
	values := &cli.Output{File: f.values, Force: f.force, New: true}
	if err := values.Check(); err != nil {
		return err
	}
	if !f.dryRun {
		if err := mend(sess, f.target); err != nil {
			return err
		}
	}
	done := newProgress()
	c.Progress, c.Resolve = done.At, sess.Resolve
	plan, err := c.Plan(ctx, string(source), f.target)
	if err != nil {
		return convertError(sess, "convert", err)
	}
	defer plan.Close()
	if err := spareForValues(sess, values, plan); err != nil {
		return err
	}
	beside, err := f.find(ctx, sess, []target.Name{source}, f.target, plan.Dir, f.force)
	if err != nil {
		return err
	}
	defer beside.Abort()
	if err := beside.stage(ctx, f.dryRun); err != nil {
		return err
	}
	beside.without(plan.Sources)
	plan.Files.Beside = beside.Companions
	out := plan.Files.Receipt()
	out.Written = !f.dryRun
	r := &receipt.Convert{Plan: plan, Out: receipt.Files{Receipt: out}, Source: source.String(),
		Target: f.target, Values: f.values, Version: cli.Build().Version}
	if !f.dryRun {
		if err := carryOutConversion(ctx, sess, plan, done); err != nil {
			return convertError(sess, "convert", err)
		}
		if f.values != "" {
			if err := sess.Write(values, r.ValuesJSON); err != nil {
				return err
			}
		}
	}
	if err := beside.commit(f.dryRun); err != nil {
		return err
	}
	r.Out.Carried = beside.report
	return sess.Receipt(r, f.json, f.dryRun)
}

// spareForValues returns why the file of values must not be written: it is a source, or
// one of the new files.
func spareForValues(sess *cli.Session, o *cli.Output, plan *convert.Plan) error {
	if o.File == "" {
		return nil
	}
	for _, s := range plan.Sources {
		sess.AddInputs(s.Path)
	}
	for i := range plan.Files.Shards {
		if name := filepath.Join(plan.Dir, plan.Files.Shards[i].Name); name == filepath.Clean(o.File) {
			return cli.Usagef("--keep-values and -o name the same file %q", o.File)
		}
	}
	return sess.ProtectInputs(o)
}

// carryOutConversion writes the files, and shows how far it is.
func carryOutConversion(ctx context.Context, sess *cli.Session, plan *convert.Plan, done *cli.Progress) error {
	sess.CheckSpace(plan.Dir, plan.Files.Size())
	defer sess.ShowWriting(done)()
	err := plan.Write(ctx)
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: the output needs %s", err, typeset.Bytes(plan.Files.Size()))
	}
	return err
}
