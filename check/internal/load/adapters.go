// Adapters of language models, as llama.cpp, mlx-lm and ollama read them.

package load

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
)

const adapterName = "adapter_config.json"

// judgeAdapters reports adapters with an adapter_config.json whose files, members or tensors a program does not read.
func judgeAdapters(ctx context.Context, m *Model) {
	if m.Single || !m.Adapter || m.Sizes == nil || !m.Has(path.Join(m.Folder(), adapterName)) {
		return
	}
	about := m.JSON(ctx, m.Folder(), adapterName)
	names := m.In(m.Folder())
	for of, looks := range map[loader.Name][]pattern{
		loader.LlamaCPP: {{"adapter_model.safetensors", ""}, {"adapter_model.bin", ""}},
		loader.MLX:      {{"adapters.safetensors", ""}},
		loader.Ollama:   patterns[loader.Ollama],
	} {
		found := slices.ContainsFunc(looks, func(p pattern) bool { return slices.ContainsFunc(names, p.match) })
		if !found && len(m.For(of)) > 0 {
			what := looks[0].begin
			if looks[0].end != "" {
				what = looks[0].words()
			}
			m.Add(Fault{Rule: rule.WeightsNotFound, File: m.File(), Fix: "Rename the file to " +
				strings.Replace(what, "*", "", 1) + "."}, m.For(of), "the adapter is in %s, and no file is called %s",
				wording.Quote(path.Base(m.Set.Name)), what)
		}
	}
	m.judgeAdapterMembers(about, loader.LlamaCPP, "lora_alpha")
	if about.Root.Text("fine_tune_type") != "full" {
		m.judgeAdapterMembers(about, loader.MLX, "num_layers", "lora_parameters")
	}
	m.judgeAdapterTensors()
}

// judgeAdapterMembers reports members of adapter_config.json without which a program stops.
func (m *Model) judgeAdapterMembers(about JSON, of loader.Name, needs ...string) {
	lack := slices.DeleteFunc(needs, func(name string) bool { _, ok := about.Root[name]; return ok })
	if len(lack) == 0 || about.Root == nil {
		return
	}
	also := ""
	if of == loader.MLX && about.Root.First("peft_type").Kind() != 0 {
		also = ": the adapter is one of PEFT"
	}
	m.Add(Fault{Rule: rule.ConfigField, File: about.Path}, m.For(of), "adapter_config.json lacks %s%s",
		strings.Join(lack, " and "), also)
}

// ofLoRA are parts of the names that the converter of llama.cpp accepts or ignores in an adapter.
var ofLoRA = []string{
	".lora_A.weight", ".lora_B.weight", ".lora_embedding_A", ".lora_embedding_B", ".base_layer.weight",
	"_layernorm", ".norm",
}

// beside are parts of the names of towers that the converter of llama.cpp leaves out.
var beside = []string{"visual", "vision", "audio", "projector", "image_newline", "patch_"}

// judgeAdapterTensors reports tensors at which the converter of llama.cpp stops.
func (m *Model) judgeAdapterTensors() {
	if len(m.For(loader.LlamaCPP)) == 0 {
		return
	}
	n, where := 0, Fault{Rule: rule.AdapterTensor}
	for file, ti := range m.Tensors() {
		contains := func(part string) bool { return strings.Contains(ti.Name, part) }
		if slices.ContainsFunc(ofLoRA, contains) || slices.ContainsFunc(beside, contains) {
			continue
		}
		if n++; n == 1 {
			where.File, where.Tensor, where.Span = file, ti.Name, ti.Entry
		}
	}
	if n > 0 {
		m.Add(where, m.For(loader.LlamaCPP), "%s neither lora_A nor lora_B, the first %s", counted(n, "is", "are"),
			wording.Quote(where.Tensor))
	}
}

// counted returns a number of tensors and the verb that follows.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 tensor " + one
	}
	return wording.Count(n, "tensor") + " " + several
}
