// Merge and Split: the tensors of checkpoints, unchanged, in other files.

package shards

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
)

// Merge plans one file of the tensors of all inputs: byte for byte the file that the reference
// implementation would write. A name that does not end in ".safetensors" is that of a folder, and
// the file in it is named after the input. With InPlace, file is ignored, and the new file replaces the input's.
// Otherwise "" plans a file for [Plan.Stream].
//
// An invalid input is an error that wraps a *[safetensors.Violation]. Existing files wrap
// [fs.ErrExist], and requests that make no sense [ErrRefused]. Reads of the inputs end when
// ctx is done.
func Merge(
	ctx context.Context, file string, opts *RewriteOptions, inputs ...*checkpoint.Checkpoint,
) (*Plan, error) {
	if opts != nil && opts.InPlace {
		return rewriteInPlace(ctx, "", 0, opts, inputs)
	}
	g, err := gather(ctx, opts, inputs)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return g.writer("model", 0).plan("", g.tensors)
	}
	out, err := FindOutput(file, weightsSuffix, "")
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(out.File, weightsSuffix)
	if out.File == "" {
		stem = "model"
		if len(inputs) == 1 {
			stem = g.stem(inputs[0])
		}
	}
	return g.plan(filepath.Clean(out.Dir), stem, 0)
}

// Split plans shards of at most MaxShard bytes of data each, and their index, in a folder,
// which is created if necessary; or one file without an index, if that is enough. With
// InPlace, the files replace the input's, and dir is "" or their folder. It returns the same
// errors as Merge.
func Split(ctx context.Context, dir string, opts *RewriteOptions, input *checkpoint.Checkpoint) (*Plan, error) {
	if opts == nil {
		opts = new(RewriteOptions)
	}
	if opts.InPlace {
		return rewriteInPlace(ctx, dir, opts.MaxShard, opts, []*checkpoint.Checkpoint{input})
	}
	if _, err := FindOutput(dir, "", "shards and an index to write"); err != nil {
		return nil, err
	}
	g, err := gather(ctx, opts, []*checkpoint.Checkpoint{input})
	if err != nil {
		return nil, err
	}
	return g.plan(dir, cmp.Or(opts.Stem, g.stem(input)), opts.MaxShard)
}

// stem returns the stem of new files of the input's tensors.
func (g *gathering) stem(input *checkpoint.Checkpoint) string {
	if g.format != "" {
		return StemOf(input.Set().Stem())
	}
	return input.Set().Stem()
}

// rewriteInPlace plans files that replace the input's.
func rewriteInPlace(ctx context.Context, dir string, maxShard int64, opts *RewriteOptions,
	inputs []*checkpoint.Checkpoint) (*Plan, error) {
	if len(inputs) != 1 {
		return nil, refuse("InPlace takes one input, and there are %d", len(inputs))
	}
	g, err := gather(ctx, opts, inputs)
	if err != nil {
		return nil, err
	}
	if g.format != "" {
		return nil, refuse("%s is not a safetensors file (%s), and cannot be replaced in place",
			wording.Quote(g.name(inputs[0], inputs[0].Set().Name)), g.format)
	}
	if len(g.own) == 0 {
		return nil, refuse("%s is not on this machine, and cannot be replaced in place",
			wording.Quote(g.name(inputs[0], inputs[0].Set().Name)))
	}
	own := filepath.Dir(g.own[len(g.own)-1])
	if dir != "" && !sameFolder(dir, own) {
		return nil, refuse("%q is not the folder of the input, whose files are to be replaced: name %q", dir,
			filepath.ToSlash(own))
	}
	return g.plan(own, inputs[0].Set().Stem(), maxShard)
}

// writer returns the Writer of the gathered tensors.
func (g *gathering) writer(stem string, maxShard int64) *Writer {
	return &Writer{
		Encoder:  safetensors.Encoder{Metadata: g.metadata, KeepOrder: g.KeepOrder},
		MaxShard: maxShard, Stem: stem, IndexMetadata: g.indexMetadata,
		Overwrite: g.Overwrite || g.InPlace, Verify: g.Verify, Digests: g.Digests, Progress: g.Progress,
		Ready: g.unchanged,
	}
}

// plan plans the files, and makes sure that they replace only what they may.
func (g *gathering) plan(dir, stem string, maxShard int64) (*Plan, error) {
	w := g.writer(stem, maxShard)
	if !g.InPlace {
		w.Inputs = g.own
	}
	p, err := w.Plan(dir, g.tensors...)
	if err != nil {
		return nil, err
	}
	if n, most := len(p.Shards), maxShards; n > most {
		return nil, refuse("%s are more than the %s that readers open: make them larger", wording.Count(n, "shard"),
			wording.Grouped(most))
	}
	p.from = g.from
	if g.InPlace {
		p.hold, p.recheck = g.claimed.Hold, g.inPlaceFault
		return p, g.inPlaceFault(p)
	}
	return p, nil
}

// unchanged returns an error if an input has changed since it was opened.
func (g *gathering) unchanged() error {
	for _, c := range g.inputs {
		if err := c.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// inPlaceFault returns an error if a plan in place would replace files of others, or leave
// some of the input.
func (g *gathering) inPlaceFault(p *Plan) error {
	own := newFileSet(g.own)
	var others []string // names of files that are not inputs
	for _, name := range slices.Concat(p.Replaced, p.Stale) {
		if file := filepath.Join(p.Dir, name); own.has(file) {
			own.remove(file)
		} else {
			others = append(others, name)
		}
	}
	left := own.first()
	if own.err != nil {
		return own.err // EIO, for example: it is not known whose file it is
	}
	if len(others) > 0 && !g.Overwrite {
		return p.exists("is not part of the model, and", others)
	}
	if left != "" {
		return refuse("%q would remain with the new files, which are called %q: write to another folder",
			filepath.ToSlash(left), p.Shards[0].Name)
	}
	return nil
}
