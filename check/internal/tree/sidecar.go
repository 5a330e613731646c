// Sidecars: what macOS writes beside files on other file systems.

package tree

import (
	"context"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
)

// JudgeSidecars reports files in the format AppleDouble that end like weights.
func (f *Tree) JudgeSidecars(ctx context.Context) {
	for _, file := range f.Names {
		base := path.Base(file)
		if !strings.HasPrefix(base, "._") || !strings.HasSuffix(base, weightsSuffix) {
			continue
		}
		head, err := f.Head(ctx, file)
		if err != nil || filetype.DetectHead(head).Kind != filetype.AppleDouble {
			continue
		}
		f.Found(file).Add(rule.Sidecar, "", safetensors.Span{}, "%s has attributes of %s that macOS keeps, and no tensors",
			wording.Quote(base), wording.Quote(strings.TrimPrefix(base, "._")))
	}
}
