// The verb edit: tensors renamed, dropped and cast, metadata set, files mended.

// Package change contains the commands that write files: edit, metadata, convert, merge, split
// and get.
package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/store"
)

// editLong is the help of edit.
const editLong = `Rename, drop and cast tensors, change metadata, or repair headers. SRC is a file, a
folder of shards, or an index. The result goes to DST, or replaces SRC with
--in-place. Shards keep their names, and tensors stay in their shards. Patterns match names in
SRC; a GLOB matches whole names, as in info.

  --rename 'RE=>TO'   replace each match of the regular expression RE by TO; $1
                      or ${1} is a group; renames apply in order
  --copy FROM=TO      also write tensor FROM as TO, for loaders that want both
                      names of tied weights
  --names FORM        give tensors the names and layouts of another form:
                      transformers, bare (without the prefix "model."), meta,
                      mistral, mlx, megatron, diffusers, original, comfyui or
                      checkpoint (original, with the prefix that the part has
                      in a file of all parts). Prefixes of wrappers, such as
                      "_orig_mod.", are removed. Nothing is written if FORM
                      lacks a name for a tensor. Forms of adapters: peft,
                      kohya, diffusers, comfyui and mlx; alpha moves to the
                      place where the program expects it
  --map FILE          rename and rearrange by rules, one on each line;
                      placeholders in braces are numbers, and {*} is any text:
                        layers.{n}.attn.wo.weight => model.layers.{n}.o.weight
                        q.{n} + k.{n} + v.{n} => qkv.{n} : fuse(q,k,v)
                        experts.{x}.up => experts.up : stack
                      The guide lists the steps after the colon. FILE can also
                      be a JSON object {"old": "new"}. --reverse exchanges the
                      two sides.
  --untie             also write the embedding as the output layer (lm_head);
                      config.json then says that they are not tied
  --tie               drop an output layer that equals the embedding;
                      config.json then says that they are tied
  --unpack            write packed weights as floats: F32, or the dtype of
                      --cast. Reads FP8, MXFP4, NVFP4, GPTQ, AWQ, bitsandbytes,
                      MLX, HQQ, quanto, compressed-tensors and torchao. Drops
                      scales, and settings in config.json. Nothing is written if
                      a weight cannot be unpacked, as in an unknown scheme
  --cast BF16         cast F64, F32, F16 and BF16 to BF16; keep integers, floats
                      of 8 bits or less, and the scales of packed weights
  --cast I64=I32      cast only I64 to I32
  --fix               repair headers: padding, unknown members, equal
                      duplicates, bytes after or between tensors, alignment,
                      order, missing "format"; repair an index that lacks
                      tensors or has them in other shards, and write one for
                      shards that have none. With --in-place, also remove an
                      index whose shards are all missing, if another file has
                      its tensors; recreate links of the Hub's cache if the
                      blobs exist; and let others read weights if they can
                      read the other files. Nothing else is repaired: the
                      report lists what is left. Damaged data is refused.

Output is re-read and compared before it is renamed into place. The report counts
values that a cast has rounded; with --json it has the SHA-256 of each tensor. Casts
round to nearest, ties to even.

With --in-place, changes to metadata take milliseconds if the header has room for
them: only the header is written. Otherwise the file is rewritten, with up to 4 KiB of
room for later changes. --canonical leaves no room and sorts tensors like the reference
implementation. If anything fails, SRC is unchanged.

DST is a file if it ends in ".safetensors", otherwise a folder, which is created if
needed. Existing files are not overwritten
without --force, and SRC never without --in-place.

` + carriedHelp + `

--recover finishes an edit, split, merge or conversion that was killed while it replaced
the files in SRC, or rolls it back, and removes temporary files of killed runs. Commands
that write to the folder do the same first.`

// Edit returns the verb.
func Edit(sess *cli.Session) *cobra.Command {
	var f editFlags
	cmd := &cobra.Command{
		Use:   "edit SRC {-o DST | --in-place | --recover}",
		Short: "Edit tensors and metadata",
		Long:  editLong,
		Example: `  weigh edit testdata/sample -o bf16 --cast BF16 --cast-keep '**norm**'
  weigh edit testdata/sample -o new --rename '^model\.=>' --drop lm_head.weight
  weigh edit testdata/mlx/quantized.safetensors -o plain.safetensors --unpack
  weigh edit --in-place --fix --dry-run testdata/mlx/quantized.safetensors
  weigh edit --in-place --set license=mit --dry-run testdata/sample`,
		Args: cli.TargetArgs(1, "a source: a file, a folder, or an index"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.recover {
				return runRecover(sess, cmd, target.Name(args[0]))
			}
			e, err := f.edit(sess, cmd)
			if err != nil {
				return err
			}
			return runEdit(cmd.Context(), sess, target.Name(args[0]), e, &f)
		},
	}
	f.register(cmd)
	return cmd
}

// runEdit edits the source, and writes the report.
func runEdit(ctx context.Context, sess *cli.Session, source target.Name, e *edit.Edit, f *editFlags) error {
	if source == "-" {
		return cli.ErrStdin
	}
	if !f.dryRun {
		if err := mend(sess, cmp.Or(f.target, string(source))); err != nil {
			return err
		}
	}
	repaired, done, err := f.repair(sess, source)
	if done || err != nil {
		return err
	}
	progress := newProgress()
	e.Progress, e.Resolve, e.Formats = progress.At, sess.Resolve, target.Copied
	plan, err := planEdit(ctx, source, e, f)
	if err != nil {
		var several *checkpoint.SeveralModelsError
		if errors.As(err, &several) {
			return severalModels(ctx, sess, source, several)
		}
		return editError(err, e)
	}
	defer plan.Close()
	skipped, err := f.examine(ctx, sess, "edit", plan.Checkpoint(), plan.Path)
	if err != nil {
		return err
	}
	beside, err := f.beside(ctx, sess, source, plan)
	if err != nil {
		return err
	}
	defer beside.Abort()
	result := plan.Receipt
	if !f.dryRun {
		stop := sess.ShowWriting(progress)
		result, err = plan.Write(ctx)
		stop()
		if err != nil {
			return editError(err, e)
		}
	}
	result.Mended = append(repaired, result.Mended...)
	if err := beside.commit(f.dryRun); err != nil {
		return err
	}
	r := &receipt.Edit{Receipt: result, Skipped: skipped, Carried: beside.report, All: f.all}
	return sess.Receipt(r, f.json, f.dryRun)
}

// repair carries out, or lists in a dry run, the repairs that write no weights. It returns true if nothing else can be
// done: links of a cache lead to files that are shared.
func (f *editFlags) repair(sess *cli.Session, source target.Name) (mended []edit.Fault, done bool, err error) {
	if !f.fix || !f.inPlace {
		return nil, false, nil
	}
	repairs, err := edit.Repairs(string(source))
	for i := range repairs {
		if err == nil && !f.dryRun {
			err = repairs[i].Apply()
		}
		mended = append(mended, repairs[i].Fault)
		done = done || repairs[i].Rule == checkpoint.RuleCacheLink
	}
	right := len(mended) == 0 && edit.Linked(string(source))
	if err != nil || !done && !right {
		return mended, false, err
	}
	r := &receipt.Edit{Receipt: &edit.Receipt{Source: store.Redact(string(source)), DryRun: f.dryRun, Mended: mended}}
	return mended, true, sess.Receipt(r, f.json, f.dryRun)
}

// severalModels returns the error of a folder with several models, in the words of split.
func severalModels(ctx context.Context, sess *cli.Session, name target.Name, e *checkpoint.SeveralModelsError) error {
	at, err := target.Open(ctx, sess, name, checkpoint.Options{})
	if err != nil {
		return err
	}
	return target.SeveralModels(name, e.Models, at.Path(e.First))
}

// planEdit plans the edit, in place or not.
func planEdit(ctx context.Context, source target.Name, e *edit.Edit, f *editFlags) (*edit.Plan, error) {
	if f.inPlace {
		return e.PlanInPlace(ctx, string(source))
	}
	return e.Plan(ctx, string(source), f.target)
}

// beside stages the files beside the source. In place, there are none to copy.
func (f *editFlags) beside(ctx context.Context, sess *cli.Session, source target.Name, plan *edit.Plan) (*carrying,
	error) {
	if f.inPlace {
		c := &carrying{Companions: new(shards.Companions)}
		c.warnOfConfig(plan, filepath.Join(plan.Dir(), configName))
		c.dir, c.force = plan.Dir(), true // like the weights
		c.write(plan.Texts())
		plan.Accompany(c.Companions)
		return c, c.stage(ctx, f.dryRun)
	}
	c, err := f.find(ctx, sess, []target.Name{source}, f.target, plan.Dir(), f.force)
	if err == nil {
		err = c.correct(ctx, plan)
	}
	if err != nil {
		return nil, err
	}
	if !f.weightsOnly {
		c.write(plan.Texts())
	}
	plan.Accompany(c.Companions)
	return c, c.stage(ctx, f.dryRun)
}

// editError returns the error of an edit in the words of the program: what package
// edit calls a field is a flag here.
func editError(err error, e *edit.Edit) error {
	var v *safetensors.Violation
	var in *fs.PathError
	var unmatched *edit.UnmatchedError
	var unfit *edit.UnfitError
	switch {
	case errors.As(err, &unfit) && unfit.Value != "NaN": // which saturates to nothing
		return cli.Usagef("%w: cast with --saturate, or to another dtype", unfit)
	case errors.As(err, &unmatched):
		return cli.Usagef("%w; %s", err, nearestTo(unmatched))
	case errors.As(err, &v) && v.Rule == safetensors.RuleDuplicateName && !e.Fix:
		return fmt.Errorf("%w; --fix repairs it if the bytes are equal", err)
	case errors.As(err, &v) && edit.Mends(v.Rule) && !e.Fix:
		return fmt.Errorf("%w; --fix repairs it", err)
	case errors.As(err, &in) && errors.As(in.Err, &v):
		return target.FileFault(in.Path, v)
	}
	return writeFault(err, orInPlace)
}

// nearestTo returns advice about something that applies to no tensor.
func nearestTo(e *edit.UnmatchedError) string {
	if e.Pattern == "" {
		return cli.DtypesOf(cli.InfosOf(e.Tensors))
	}
	return cli.NearestTo(e.Pattern, func(yield func(string) bool) {
		for _, t := range e.Tensors {
			if !yield(t.Name) {
				return
			}
		}
	})
}
