// Formats: folders with weights in several formats.

package tree

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
)

// prefixes are the beginnings of the names of weights whose extension other files have as well.
var prefixes = map[string][]string{
	".bin":     {"pytorch_model", "adapter_model", "diffusion_pytorch_model", "model"},
	".pt":      {"model"},
	".msgpack": {"flax_model"},
	".ot":      {"rust_model"},
	".npz":     {"model"},
	".pb":      {"saved_model"},
	".pkl":     {"model"},
}

// formatOf returns the format of a file of weights that is not a safetensors file, or "".
func formatOf(file string) string {
	base := path.Base(file)
	format := filetype.WeightsFormat(base)
	begins := func(prefix string) bool { return strings.HasPrefix(base, prefix) }
	list, ambiguous := prefixes[path.Ext(base)]
	if format == "safetensors" || begins("rng_state") || ambiguous && !slices.ContainsFunc(list, begins) {
		return ""
	}
	return format
}

// pointerSize is the largest size of a Git LFS pointer in bytes. The file behind a pointer was not
// downloaded.
const pointerSize = 200

// JudgeFormats reports other formats, once for each folder that has a safetensors model.
func (f *Tree) JudgeFormats(sets []*checkpoint.Set) {
	models := make(map[string]*checkpoint.Set)
	for _, s := range sets {
		if s.Counted() && len(s.Shards) > 0 && formatOf(s.Shards[0]) == "" && models[FolderOf(s.Name)] == nil {
			models[FolderOf(s.Name)] = s
		}
	}
	byFolder := make(map[string][]string)
	for _, file := range f.Names {
		folder := FolderOf(file)
		if path.Base(folder) == "original" {
			folder = FolderOf(folder) // the files that the model's makers published
		}
		if models[folder] != nil && formatOf(file) != "" && f.Sizes[file] > pointerSize &&
			!strings.HasPrefix(path.Base(file), ".") {
			byFolder[folder] = append(byFolder[folder], file)
		}
	}
	for folder, files := range byFolder {
		s := models[folder]
		found := f.Found(cmp.Or(s.Index, s.Shards[0]))
		found.Add(rule.OtherFormat, "", safetensors.Span{}, "beside %s, the folder also has %s",
			wording.Quote(path.Base(s.Name)), f.listFormats(files))
		if slices.ContainsFunc(files, func(file string) bool { return formatOf(file) == "PyTorch" }) {
			found.Fix("Keep only the format that your loader reads. Pickle formats can run code when they are loaded.")
		}
	}
}

// listFormats lists the number of files of each format, and their total size.
func (f *Tree) listFormats(files []string) string {
	first := make(map[string]string)
	n, size := make(map[string]int), int64(0)
	for _, file := range files {
		format := formatOf(file)
		if n[format]++; n[format] == 1 {
			first[format] = file
		}
		size += f.Sizes[file]
	}
	var list []string
	for _, format := range slices.Sorted(maps.Keys(first)) {
		text := wording.Count(n[format], format+" file")
		if n[format] > 1 {
			text += ", the first"
		}
		list = append(list, text+" "+wording.Quote(path.Base(first[format])))
	}
	return strings.Join(list, "; ") + "; " + wording.Count(size, "byte") + " in all"
}
