// Files: which of a folder the programs open.

package load

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
)

// The names of files that programs look for.
const (
	configName = "config.json"
	indexName  = "model.safetensors.index.json"
)

// judgeFiles reports weights whose names the programs do not look for.
func judgeFiles(_ context.Context, r *Repository) {
	for _, folder := range r.modelFolders() {
		if name := r.unfound(folder); name != "" {
			r.Add(Fault{Rule: rule.WeightsNotFound, File: path.Join(folder, name)}, r.For(loader.Transformers),
				"there is %s, but no model.safetensors, model.safetensors.index.json or pytorch_model.bin",
				wording.Quote(name))
		}
	}
}

// modelFolders returns the folders with the configuration of a model of transformers and at least one set.
func (r *Repository) modelFolders() []string {
	var list []string
	for _, m := range r.Sets {
		folder := m.Folder()
		if r.Sizes != nil && m.Main.Root.First("model_type").Kind() != 0 && m.Set.Counted() && !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// In returns the names of the files directly in a folder.
func (r *Repository) In(folder string) []string {
	var list []string
	for _, file := range r.Names {
		if tree.FolderOf(file) == folder {
			list = append(list, path.Base(file))
		}
	}
	return list
}

// unfound returns the weights of a folder if transformers finds none of them.
func (r *Repository) unfound(folder string) string {
	var other string
	for _, name := range r.In(folder) {
		switch {
		case name == "model.safetensors", strings.HasSuffix(name, ".safetensors.index.json"),
			name == "pytorch_model.bin", name == "pytorch_model.bin.index.json":
			return ""
		case strings.HasSuffix(name, ".safetensors") && !strings.HasPrefix(name, "."):
			other = name
		}
	}
	if strings.Contains(other, "-of-") {
		return "" // index-missing
	}
	return other
}
