// Merge and Split: the tensors of checkpoints, unchanged, in other files.

package shards

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
)

// Merge plans one file of the tensors of all inputs: byte for byte the file that the
// reference implementation would write of them. The file's name must end in
// ".safetensors". With InPlace, file is ignored, and the new file replaces the input's. Otherwise "" plans a file for [Plan.Stream].
//
// An invalid input is an error that wraps a *[safetensors.Violation]. Existing files
// wrap [fs.ErrExist], and requests that make no sense [ErrRefused]. Reads of the
// inputs end when ctx is done.
func Merge(ctx context.Context, file string, opts *RewriteOptions, inputs ...*checkpoint.Checkpoint) (*Plan, error) {
	if opts != nil && opts.InPlace {
		return rewriteInPlace(ctx, "", 0, opts, inputs)
	}
	g, err := gather(ctx, opts, inputs)
	if err != nil {
		return nil, err
	}
	stem, ok := strings.CutSuffix(filepath.Base(file), weightsSuffix)
	switch {
	case file == "":
		return g.writer("model", 0).plan("", g.tensors)
	case !ok:
		return nil, refuse("%q does not end in %q, by which readers find weights", file, weightsSuffix)
	}
	return g.plan(filepath.Dir(file), stem, 0)
}

// Split plans shards of at most MaxShard bytes of data each, and their index, in a
// folder, which is created if necessary; or one file without an index, if that is
// enough. With InPlace, the files take the place of the input's, and dir is "" or their
// folder.
// It returns the same errors as Merge.
func Split(ctx context.Context, dir string, opts *RewriteOptions, input *checkpoint.Checkpoint) (*Plan, error) {
	if opts == nil {
		opts = new(RewriteOptions)
	}
	if opts.InPlace {
		return rewriteInPlace(ctx, dir, opts.MaxShard, opts, []*checkpoint.Checkpoint{input})
	}
	g, err := gather(ctx, opts, []*checkpoint.Checkpoint{input})
	if err != nil {
		return nil, err
	}
	return g.plan(dir, cmp.Or(opts.Stem, input.Set().Stem()), opts.MaxShard)
}

// rewriteInPlace plans files that replace the input's.
func rewriteInPlace(ctx context.Context, dir string, maxShard int64, opts *RewriteOptions, inputs []*checkpoint.Checkpoint) (*Plan, error) {
	if len(inputs) != 1 {
		return nil, refuse("InPlace takes one input, and there are %d", len(inputs))
	}
	g, err := gather(ctx, opts, inputs)
	if err != nil {
		return nil, err
	}
	if g.format != "" {
		return nil, refuse("%s is not a safetensors file (%s), and cannot be replaced in place", wording.Quote(g.name(inputs[0], inputs[0].Set().Name)), g.format)
	}
	if len(g.own) == 0 {
		return nil, refuse("%s is not on this machine, and cannot be replaced in place", wording.Quote(g.name(inputs[0], inputs[0].Set().Name)))
	}
	own := filepath.Dir(g.own[len(g.own)-1])
	if dir != "" && !sameFolder(dir, own) {
		return nil, refuse("%q is not the folder of the input, %q: InPlace writes there", dir, filepath.ToSlash(own))
	}
	return g.plan(own, inputs[0].Set().Stem(), maxShard)
}

// writer returns the Writer of the gathered tensors.
func (g *gathering) writer(stem string, maxShard int64) *Writer {
	return &Writer{
		Encoder:  safetensors.Encoder{Metadata: g.metadata, KeepOrder: g.KeepOrder},
		MaxShard: maxShard, Stem: stem, IndexMetadata: g.indexMetadata,
		Overwrite: g.Overwrite || g.InPlace, Verify: g.Verify, Digests: g.Digests, Progress: g.Progress,
	}
}

// plan plans the files, and makes sure that they replace only what they may.
func (g *gathering) plan(dir, stem string, maxShard int64) (*Plan, error) {
	p, err := g.writer(stem, maxShard).Plan(dir, g.tensors...)
	if err != nil {
		return nil, err
	}
	if n, most := len(p.Shards), maxShards; n > most {
		return nil, refuse("%s are more than the %s that readers open: make them larger", wording.Count(n, "shard"), wording.Grouped(most))
	}
	p.from = g.from
	seen := make(map[string]bool)
	for _, name := range g.own {
		if folder := filepath.Dir(name); !seen[folder] {
			seen[folder] = true
			p.NotCopied = append(p.NotCopied, Companions(folder, dir)...)
		}
	}
	if g.InPlace {
		p.hold = g.claimed.Hold
	}
	return p, g.guard(p, newFileSet(g.own))
}

// guard returns an error if the plan would replace or remove files that it must not.
func (g *gathering) guard(p *Plan, own *fileSet) error {
	var others []string // files that are there, and are no inputs
	for _, name := range slices.Concat(p.Replaced, p.Stale) {
		file := filepath.Join(p.Dir, name)
		switch {
		case !own.has(file):
			others = append(others, file)
		case !g.InPlace:
			return &requestError{fmt.Sprintf("%q is an input, and would be %s", filepath.ToSlash(file), p.fate(name)), ErrIsInput}
		default:
			own.remove(file)
		}
	}
	if len(others) > 0 && !g.Overwrite {
		return p.exists(others, g.InPlace)
	}
	if left := own.first(); g.InPlace && left != "" {
		return refuse("%q would remain beside the new files, which are called %q: write to another folder", filepath.ToSlash(left), p.Shards[0].Name)
	}
	return nil
}

// exists returns the error of files that exist.
func (p *Plan) exists(files []string, inPlace bool) error {
	is := "exists, and"
	if inPlace {
		is = "is not part of the model, and"
	}
	more := ""
	if n := len(files) - 1; n > 0 {
		more = " (and " + wording.Count(n, "other file") + ")"
	}
	return &requestError{fmt.Sprintf("%q %s would be %s%s", filepath.ToSlash(files[0]), is, p.fate(filepath.Base(files[0])), more), fs.ErrExist}
}

// fate says what happens to a file that is there.
func (p *Plan) fate(name string) string {
	if slices.Contains(p.Stale, name) {
		return "removed"
	}
	return "replaced"
}
