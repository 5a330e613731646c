// Members of config.json that mlx-lm and ollama read in their own way.

package load

import (
	"context"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// judgeMembers reports members that are missing, and those whose absence a program takes for another value than
// transformers does.
func judgeMembers(_ context.Context, r *Repository) {
	for _, m := range r.mains() {
		root := m.Main.Root
		if w, ok := facts.MLX(root.Text("model_type")); ok && len(m.For(loader.MLX)) > 0 &&
			root.First("model_file").Kind() == 0 {
			m.judgeNeeds(loader.MLX, "of the model type "+wording.Quote(root.Text("model_type")), w.Needs())
			m.judgeTheta(loader.MLX, w)
			m.judgeDropped(w)
		}
		if class := llamaCPPClass(root); len(m.For(loader.LlamaCPP)) > 0 {
			m.judgeNeeds(loader.LlamaCPP, "of the class "+wording.Quote(class), facts.LlamaCPP()[class].Needs())
		}
		class, _ := firstText(root.First("architectures"))
		if w, ok := facts.Ollama()[class]; ok && len(m.For(loader.Ollama)) > 0 {
			m.judgeTheta(loader.Ollama, w)
		}
	}
}

// judgeNeeds reports members without which a program stops.
func (m *Model) judgeNeeds(program loader.Name, of string, needs []string) {
	var lack []string
	for _, name := range needs {
		if _, ok := m.Main.Root[name]; !ok {
			lack = append(lack, name)
		}
	}
	if len(lack) == 0 {
		return
	}
	also := ""
	if _, ok := nestedTheta(m.Main.Root); ok && strings.Contains(strings.Join(lack, " "), "rope_theta") {
		also = "; rope_theta is in rope_parameters, where transformers 5 writes it"
	}
	m.Add(Fault{Rule: rule.ConfigField, File: m.ConfigPath}, m.For(program), "config.json %s lacks %s: %s%s", of,
		wording.Count(len(lack), "member"), strings.Join(lack, ", "), also)
}

// nestedTheta returns the base of the rotary embedding if it is only where transformers 5 writes it, and all layers
// have the same.
func nestedTheta(root config.Object) (config.Value, bool) {
	v := root.First("rope_parameters").Object().First("rope_theta")
	return v, v.Kind() == jsonscan.Number && root.First("rope_theta").Kind() == 0
}

// judgeTheta reports a base of the rotary embedding that the program does not read.
func (m *Model) judgeTheta(of loader.Name, w facts.Words) {
	missing, ok := w.Theta()
	v, nested := nestedTheta(m.Main.Root)
	if !ok || !nested {
		return
	}
	if theta, err := strconv.ParseFloat(string(v.Text()), 64); err == nil && theta == missing {
		return
	}
	m.Add(Fault{Rule: rule.RopeNested, File: m.ConfigPath, Span: rule.SpanOf(v)}, m.For(of),
		"rope_theta, %s, is only in rope_parameters, where transformers 5 writes it", v.Text())
}

// judgeDropped reports an output layer that mlx-lm takes for a copy of the embedding.
func (m *Model) judgeDropped(w facts.Words) {
	if _, ok := m.Main.Root["tie_word_embeddings"]; ok || !w.Has("drops") && !w.Has("refuses") {
		return
	}
	for file, ti := range m.Tensors() {
		if ti.Name == "lm_head.weight" {
			m.Add(Fault{Rule: rule.HeadDropped, File: file, Tensor: ti.Name, Span: ti.Entry}, m.For(loader.MLX),
				"tensor \"lm_head.weight\" is there, and config.json has no tie_word_embeddings")
			return
		}
	}
}
