// Checks of folders.

package survey

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// repository checks everything around and between the sets of a target.
func (s *Survey) repository(ctx context.Context, sess *cli.Session, at *target.Target, sets []*checkpoint.Set,
	files []listing.File) error {
	opts := &check.Options{Data: s.opts.Data, For: s.opts.Gate.programs(), Ranks: s.opts.Ranks,
		Described: func(string) { s.described = true }}
	if !at.Remote() {
		opts.Dir = filepath.FromSlash(at.Path(""))
	}
	opts.Base = func(ctx context.Context, folder, name string) (string, []*checkpoint.Set) {
		return s.baseOf(ctx, sess, opts.Dir, folder, name)
	}
	if opts.Data {
		done := progressOf(files)
		defer sess.ShowProgress(done)()
		opts.Progress = done.At
	}
	for r, err := range check.Validate(ctx, at.Store, at.Within, sets, opts) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		file := at.Path(cmp.Or(r.File, at.Within))
		if err != nil {
			s.miss(file, err)
			continue
		}
		s.keep(file, r.Report)
	}
	s.dropUnlinked()
	return nil
}

// dropUnlinked drops what was found in files that should be links of the Hub's cache, and the shards that are missing
// because of them: only the links are to be mended.
func (s *Survey) dropUnlinked() {
	files, folders := make(map[string]bool), make(map[string]bool)
	for _, f := range s.Findings {
		if f.Rule == checkpoint.RuleCacheLink {
			files[f.File], folders[path.Dir(f.File)] = true, true
		}
	}
	s.Findings = slices.DeleteFunc(s.Findings, func(f finding.Finding) bool {
		return f.Rule != checkpoint.RuleCacheLink && files[f.File] ||
			f.Rule == checkpoint.RuleShardMissing && folders[path.Dir(f.File)]
	})
}

// progressOf returns the progress for all tensors of some files.
func progressOf(files []listing.File) *cli.Progress {
	all := new(cli.Progress)
	for i := range files {
		if h := files[i].Header; h != nil {
			all.Tensors += int64(len(h.Tensors))
			for t := range h.Tensors {
				all.Bytes.Add(max(h.Tensors[t].Size(), 0))
			}
		}
	}
	return all
}
