// Comparing a GGUF model with the checkpoint that it may be made of.

package judge

import (
	"context"
	"errors"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/compare"
	"github.com/weightools/safetensors/gguf/origin"
)

// convertedSides returns the index of the side that is a GGUF model if the other is a checkpoint with other names, and
// -1 otherwise. A few names are the same in some architectures, such as output.weight.
func convertedSides(ctx context.Context, sides [2]*side) int {
	gguf := -1
	for i, s := range sides {
		if len(s.from.Parts) != 1 {
			return -1
		}
		cp := s.from.Parts[0]
		if shards := cp.Shards(); len(shards) > 0 {
			about, err := cp.Describe(ctx, shards[0])
			if err == nil && strings.HasPrefix(about.Variant, "gguf") {
				if gguf >= 0 {
					return -1
				}
				gguf = i
			}
		}
	}
	if gguf < 0 {
		return -1
	}
	has := make(map[string]bool)
	for _, t := range sides[gguf].all {
		has[t.Name] = true
	}
	shared := 0
	for _, t := range sides[1-gguf].all {
		if has[t.Name] {
			shared++
		}
	}
	if 2*shared > len(has) {
		return -1
	}
	return gguf
}

// isPlain reports whether no flag asks for a comparison by names.
func (f *diffFlags) isPlain() bool {
	return !f.headers && !f.values && f.Form() != "csv" && len(f.Include)+len(f.Exclude) == 0
}

// runOrigin compares a GGUF model with a checkpoint.
func runOrigin(ctx context.Context, sess *cli.Session, sides [2]*side, gguf int, o *compare.Origin,
	f *diffFlags) error {
	done := new(cli.Progress)
	done.Expect(sides[gguf].all)
	stop := sess.ShowProgress(done)
	c := &origin.Comparer{Progress: done.At}
	report, err := c.Compare(ctx, sides[gguf].from.Parts[0], sides[1-gguf].from.Parts[0])
	stop()
	if errors.Is(err, errors.ErrUnsupported) {
		return cli.Usagef("%s; weigh diff --headers compares by names", strings.TrimPrefix(err.Error(), "origin: "))
	}
	if err != nil {
		return err
	}
	o.Report, o.All, o.Limit = report, f.all, f.limit
	if err := sess.WriteForm(&f.Output, cli.Forms{"": o.Text, "json": o.JSON}); err != nil {
		return err
	}
	if report.Verdict != origin.MadeFrom {
		return cli.ErrFound
	}
	return nil
}
