// Required tensors: those that every model of an architecture has, in each layer.

package load

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/names"
)

// maxLayers bounds the layers that are looked for.
const maxLayers = 1 << 12

// judgeRequired reports tensors that the tables of package names require and the set does not have. Packed weights
// have other names, and what is missing from them is found by their companions.
func judgeRequired(_ context.Context, m *Model) {
	class, kind := m.Architecture()
	of := names.Find(kind, class)
	layers := m.Size(config.Layers)
	if of == nil || m.Adapter || !m.Described || !m.Complete || m.Quant != nil || m.remote() != "" || layers > maxLayers ||
		!m.HasOneStack() {
		return
	}
	if _, ok := of.Class(class); !ok || !isDecoder(class) || !m.hasNamesOf(of) || m.isReported(rule.LayerMissing) {
		return
	}
	programs := append(slices.Clone(python), loader.LlamaCPP)
	if _, ok := facts.MLX(m.Main.Root.Text("model_type")); ok {
		programs = append(programs, loader.MLX)
	}
	if m.isReported(rule.EmbeddingMissing) { // which matters to others already
		if programs = []loader.Name{loader.Transformers}; m.Tied() {
			return // it takes the output layer
		}
	}
	have := make(map[string]bool)
	for _, ti := range m.Tensors() {
		have[ti.Name] = true
	}
	var missing []string
	stack := ""
	for i := range of.Tensors {
		t := &of.Tensors[i]
		before, after, inLayer := strings.Cut(t.Name, "{n}")
		switch {
		case t.Need != names.Required || t.Role == names.Head || strings.Contains(after, "{"):
		case !inLayer && !have[t.Name]:
			missing = append(missing, t.Name)
		case inLayer && t.Role == names.Layer && (stack == "" || stack == before):
			stack = before
			for n := range layers {
				if name := before + strconv.FormatInt(n, 10) + after; !have[name] {
					missing = append(missing, name)
				}
			}
		}
	}
	if len(missing) == 0 || len(missing) > len(have) {
		return // of a model that is mostly missing, little can be said
	}
	slices.Sort(missing)
	m.Add(Fault{Rule: rule.TensorRequired, File: m.Set.Name, Tensor: missing[0]}, m.For(programs...),
		"%s that %s has, the first %s, %s not there", wording.Count(len(missing), "tensor"), class,
		wording.Quote(missing[0]), isAre(len(missing)))
}

// isDecoder reports whether a class is a language model that has one stack of layers.
func isDecoder(class string) bool {
	return strings.HasSuffix(class, "ForCausalLM") || strings.HasSuffix(class, "LMHeadModel")
}

// hasNamesOf reports whether the names are those of an architecture in its own form, with nothing before them and
// nothing else.
func (m *Model) hasNamesOf(of *names.Architecture) bool {
	found := names.Recognize(func(yield func(string) bool) {
		for _, ti := range m.Tensors() {
			if !yield(ti.Name) {
				return
			}
		}
	})
	if len(found.Parts) != 1 || len(found.Wrappers) > 0 {
		return false
	}
	fit := found.Parts[0].Fit(of)
	return fit != nil && fit.Form == of.Form && fit.Extra == "" && fit.Lacks == "" && fit.Patterns >= 3 &&
		len(fit.Unknown) == 0
}

// isReported reports whether a violation of one of the rules has been found in the set.
func (m *Model) isReported(rules ...safetensors.Rule) bool {
	for _, file := range append([]string{m.Set.Name, m.File()}, m.Set.Shards...) {
		if found := m.ByFile[file]; found != nil && slices.ContainsFunc(found.Report().Violations,
			func(v *safetensors.Violation) bool { return slices.Contains(rules, v.Rule) }) {
			return true
		}
	}
	return false
}
