// Architectures: whether a program knows the class or the type of a model.

package load

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// main returns whether a set is the model that the config.json of its folder describes. Parts of a pipeline of
// diffusers are not.
func (m *Model) main() bool {
	root := m.Main.Root
	return !m.Single && m.Set.Counted() && !m.Adapter && root.First("model_type", "architectures").Kind() != 0 &&
		!m.Has(path.Join(tree.FolderOf(m.Folder()), pipelineName))
}

// mains returns the models that the configurations of their folders describe, one for each folder.
func (r *Repository) mains() []*Model {
	var list []*Model
	for _, m := range r.Sets {
		same := func(other *Model) bool { return other.Folder() == m.Folder() }
		if m.main() && !slices.ContainsFunc(list, same) {
			list = append(list, m)
		}
	}
	return list
}

// judgeArchitecture reports models that a program does not know.
func judgeArchitecture(_ context.Context, r *Repository) {
	for _, m := range r.mains() {
		m.judgeClass(loader.LlamaCPP, llamaCPPClass(m.Main.Root), facts.LlamaCPP())
		class, _ := firstText(m.Main.Root.First("architectures"))
		m.judgeClass(loader.Ollama, class, facts.Ollama())
		m.judgeType()
	}
}

// judgeClass reports the class of a model if it is not in a program's table.
func (m *Model) judgeClass(of loader.Name, class string, known map[string]facts.Words) {
	if _, ok := known[class]; ok || len(m.For(of)) == 0 {
		return
	}
	info, _ := loader.Lookup(of)
	at := Fault{Rule: rule.ModelUnknown, File: m.ConfigPath, Span: rule.SpanOf(m.Main.Root.First("architectures"))}
	if class == "" {
		m.Add(at, m.For(of), "config.json names no class in \"architectures\"")
		return
	}
	m.Add(at, m.For(of), "the model's class is %s, which is not among the %d of %s %s", wording.Quote(class), len(known),
		info.Title, info.Version)
}

// judgeType reports a model type that neither mlx-lm nor mlx-vlm knows.
func (m *Model) judgeType() {
	v := m.Main.Root.First("model_type")
	kind, _ := v.Str()
	_, ok := facts.MLX(kind)
	if ok || len(m.For(loader.MLX)) == 0 || m.Main.Root.First("model_file").Kind() != 0 {
		return
	}
	at := Fault{Rule: rule.ModelUnknown, File: m.ConfigPath, Span: rule.SpanOf(v)}
	if kind == "" {
		m.Add(at, m.For(loader.MLX), "config.json has no model_type")
		return
	}
	info, _ := loader.Lookup(loader.MLX)
	m.Add(at, m.For(loader.MLX), "the model type is %s, which is not among those of %s %s", wording.Quote(kind),
		info.Title, info.Version)
}

// whole are the classes that llama.cpp takes from the top of config.json even if the part about text names another.
var whole = []string{
	"StepVLForConditionalGeneration", "Sarashina2VisionForCausalLM", "Exaone4_5_ForConditionalGeneration",
	"Step3p7ForConditionalGeneration", "KimiK3ForConditionalGeneration",
}

// llamaCPPClass returns the class by which llama.cpp chooses how to convert a model.
func llamaCPPClass(root config.Object) string {
	class, ok := firstText(root.First("architectures"))
	if slices.Contains(whole, class) {
		return class
	}
	for _, part := range []string{"lfm", "language_config", "lm_config", "llm_config", "text_config"} {
		o := root.First(part).Object()
		if o == nil {
			continue
		}
		if inner, found := firstText(o.First("architectures")); found {
			return inner
		}
		break
	}
	if ssm := root.First("ssm_cfg").Object(); !ok && ssm != nil {
		class = "MambaForCausalLM"
		if layer := ssm.Text("layer"); layer != "" {
			class = layer + "ForCausalLM"
		}
	}
	return class
}

// firstText returns the first element of a list of strings.
func firstText(v config.Value) (string, bool) {
	for e := range v.Elements() {
		text, ok := e.Str()
		return text, ok
	}
	return "", false
}
