// Folders whose safetensors files are of other formats.

package survey

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// mostBeside is how many files beside misnamed ones are inspected.
const mostBeside = 100

// beside inspects the files in other formats of a folder if none of its safetensors files is one. They were passed over,
// because a folder with safetensors files is a safetensors model.
func (s *Survey) beside(ctx context.Context, sess *cli.Session, at *target.Target, files []listing.File) error {
	lister, ok := at.Store.(store.Lister)
	isSafetensors := func(f listing.File) bool { return f.Format != "unknown" }
	if !ok || len(files) == 0 || slices.ContainsFunc(files, isSafetensors) {
		return nil
	}
	folder := path.Dir(files[0].Path)
	s.Findings = slices.DeleteFunc(s.Findings, func(f finding.Finding) bool {
		return f.Rule == check.RuleOtherFormat && path.Dir(f.File) == folder
	})
	var names []string
	for entry, err := range lister.List(ctx, at.Within) {
		if err == nil && len(names) < mostBeside && isOfFormat(entry.Name) && !s.seen[at.Path(entry.Name)] {
			names = append(names, entry.Name)
		}
	}
	for _, name := range names {
		if err := s.target(ctx, sess, target.Name(at.Path(name))); err != nil {
			s.miss(at.Path(name), err)
		}
	}
	return nil
}

// isOfFormat reports whether a file has the extension of a format that the program reads.
func isOfFormat(name string) bool {
	return slices.ContainsFunc(target.Formats, func(f checkpoint.Format) bool {
		return slices.Contains(f.Extensions, path.Ext(name))
	})
}
