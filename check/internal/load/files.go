// Files: which of a folder the programs open.

package load

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// The names of files that programs look for.
const (
	configName = "config.json"
	singleName = "model.safetensors"
	indexName  = "model.safetensors.index.json"
)

// servers are the programs that read every *.safetensors file of a folder.
var servers = []loader.Name{loader.VLLM, loader.SGLang}

// judgeFiles reports weights that programs do not find, and files that they read in addition to the model.
func judgeFiles(ctx context.Context, r *Repository) {
	if r.Sizes == nil {
		return // the target is not a folder, or the store cannot list it
	}
	for _, folder := range r.modelFolders() {
		here := r.here(folder)
		r.judgeNames(folder, here)
		if !here[indexName] {
			r.judgeExtra(folder, here)
		} else if !here[singleName] {
			r.judgeIndex(ctx, folder)
		}
	}
	if here := r.here(r.Path); !here[configName] && !here["params.json"] && !here["adapter_config.json"] {
		r.judgeConfigMissing()
	}
}

// modelFolders returns the folders with the configuration of a model of transformers and weights that count.
func (r *Repository) modelFolders() []string {
	var list []string
	for _, m := range r.Sets {
		folder := m.Folder()
		if m.Set.Counted() && m.Main.Root.First("model_type").Kind() != 0 && !slices.Contains(list, folder) {
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

// here returns the names that In returns as a set.
func (r *Repository) here(folder string) map[string]bool {
	here := make(map[string]bool)
	for _, name := range r.In(folder) {
		here[name] = true
	}
	return here
}

// judgeConfigMissing reports weights in the target's folder itself that are called as those of a model, without a
// configuration.
func (r *Repository) judgeConfigMissing() {
	for _, m := range r.Sets {
		name := path.Base(m.File())
		if m.Set.Counted() && m.Folder() == r.Path && (name == singleName || name == indexName) {
			r.Add(Fault{Rule: rule.ConfigMissing, File: m.File()}, r.Loaders, "there is no %s beside %s",
				wording.Quote(configName), wording.Quote(name))
			return
		}
	}
}

// usual are the names that transformers looks for.
var usual = []string{singleName, indexName, "pytorch_model.bin", "pytorch_model.bin.index.json"}

// judgeNames reports weights whose names a program does not look for. Shards without an index are known already.
func (r *Repository) judgeNames(folder string, here map[string]bool) {
	if slices.ContainsFunc(usual, func(name string) bool { return here[name] }) {
		return
	}
	found, other := here["adapter_config.json"], ""
	for _, m := range r.Sets {
		if m.Folder() != folder {
			continue
		}
		found = found || m.Set.Index == "" && len(m.Set.Shards) > 1 || m.Main.Root.First("transformers_weights").Kind() != 0
		if m.Set.Counted() {
			other = path.Base(m.File())
		}
	}
	if !found && other != "" {
		fault := Fault{Rule: rule.WeightsNotFound, File: path.Join(folder, other)}
		if variant := variantOf(other); variant != "" {
			if folder != r.Path {
				return // a part of a pipeline, which passes the variant to its parts
			}
			fault.Fix = "Rename the file to " + singleName + `, or pass variant="` + variant + `".`
		}
		fault.convert()
		r.Add(fault, r.For(loader.Transformers), "there is %s, but no %s", wording.Quote(other),
			strings.Join(usual, ", and no "))
	}
}

// convert replaces the advice to rename the file if it is in another format.
func (f *Fault) convert() {
	if !strings.HasSuffix(f.File, ".safetensors") && !strings.HasSuffix(f.File, ".safetensors.index.json") {
		f.Fix = "Convert the weights: `weigh convert FILE -o NEW`."
	}
}

// variantOf returns the variant in a name such as model.fp16.safetensors, or "".
func variantOf(name string) string {
	name, ok := strings.CutPrefix(name, "model.")
	name, of := strings.CutSuffix(name, ".safetensors")
	if !ok || !of || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return ""
	}
	return name
}

// judgeIndex reports an index without a member that transformers reads, and that other programs do not.
func (r *Repository) judgeIndex(ctx context.Context, folder string) {
	for _, m := range r.Sets {
		if m.Index == nil || m.Set.Index != path.Join(folder, indexName) || r.Sizes[m.Set.Index] > config.MaxSize ||
			m.Index.TotalSize >= 0 || m.Index.TotalParameters >= 0 || len(m.Index.Metadata) > 0 {
			continue
		}
		text := r.JSON(ctx, folder, indexName)
		if text.Root != nil && text.Root["metadata"].Kind() != jsonscan.Object {
			r.Add(Fault{Rule: rule.IndexMetadata, File: m.Set.Index}, r.For(loader.Transformers),
				"the index has no member %s", wording.Quote("metadata"))
		}
	}
}

// judgeExtra reports files beside the model in a folder without an index, all of which vLLM and SGLang read.
func (r *Repository) judgeExtra(folder string, here map[string]bool) {
	model := r.modelIn(folder)
	if model == nil || len(r.For(servers...)) == 0 {
		return
	}
	for _, m := range r.Sets {
		name := path.Base(m.Set.Name)
		switch {
		case m == model || m.Folder() != folder || m.Set.Index != "" || !strings.HasSuffix(name, ".safetensors"):
		case strings.HasPrefix(name, "consolidated"):
			// vLLM reads these alone, and SGLang drops the file if there is no other.
		case m.Set.CopyOf != "":
			r.Add(Fault{Rule: rule.WeightsTwice, File: m.Set.Name}, r.For(servers...),
				"%s is a copy of %s in a folder without an index", wording.Quote(name), wording.Quote(path.Base(m.Set.CopyOf)))
		default:
			r.judgeBeside(model, m)
		}
	}
}

// modelIn returns the set of a folder that the configuration is about, or nil.
func (r *Repository) modelIn(folder string) *Model {
	for _, m := range r.Sets {
		if m.Folder() == folder && m.Described && m.Complete && !m.Adapter {
			return m
		}
	}
	return nil
}

// judgeBeside reports a file beside a model with tensors of the same names, or of an adapter.
func (r *Repository) judgeBeside(model, m *Model) {
	names := make(map[string]bool)
	for _, ti := range model.Tensors() {
		names[ti.Name] = true
	}
	var first *safetensors.TensorInfo
	same, all := 0, 0
	for _, ti := range m.Tensors() {
		if all++; names[ti.Name] {
			if same++; same == 1 {
				first = ti
			}
		}
	}
	name, of := wording.Quote(path.Base(m.Set.Name)), wording.Quote(path.Base(model.Set.Name))
	fault := Fault{Rule: rule.WeightsExtra, File: m.Set.Name}
	switch {
	case same > 0:
		fault.Tensor = first.Name
		r.Add(fault, r.For(servers...), "%s of %s are in %s, too, the first %s, and there is no index",
			wording.Count(same, "tensor"), name, of, wording.Quote(first.Name))
	case m.Adapter || m.Set.Role == checkpoint.Adapter:
		r.Add(fault, r.For(loader.VLLM), "%s has %s of an adapter in the folder of %s, and there is no index", name,
			wording.Count(all, "tensor"), of)
	}
}
