// Files that ollama takes for configurations by their names.

package load

import (
	"context"
	"path"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
)

// judgeJSONText reports files of macOS that end in .json, in the folder of a model and directly below.
func judgeJSONText(ctx context.Context, r *Repository) {
	if r.Sizes == nil || len(r.For(loader.Ollama)) == 0 {
		return
	}
	for _, m := range r.mains() {
		for _, file := range r.Names {
			folder, base := tree.FolderOf(file), path.Base(file)
			if folder != m.Folder() && tree.FolderOf(folder) != m.Folder() || !strings.HasPrefix(base, "._") ||
				!strings.HasSuffix(base, ".json") {
				continue
			}
			head, err := r.Head(ctx, file)
			if err != nil || filetype.DetectHead(head).Kind != filetype.AppleDouble {
				continue
			}
			m.Add(Fault{Rule: rule.JSONText, File: file}, m.For(loader.Ollama), "%s has attributes of %s that macOS keeps",
				wording.Quote(base), wording.Quote(strings.TrimPrefix(base, "._")))
		}
	}
}
