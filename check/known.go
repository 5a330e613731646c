// Known stacks: gaps in the layers of architectures whose tensors are known.

package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/names"
)

// fit returns the architecture of the configuration, and how it fits the names as its own library writes them. Both are
// nil if most names are others.
func (m *weights) fit() (*names.Architecture, *names.Fit) {
	if !m.described || !m.complete {
		return nil, nil
	}
	of := names.Find(m.architecture())
	parts := m.whose().Parts
	if of == nil || len(parts) == 0 || parts[0].Container != "" {
		return nil, nil
	}
	fit := parts[0].Fit(of)
	if fit == nil || fit.Form != of.Form || fit.Patterns < 3 || fit.Known*2 < parts[0].Names {
		return nil, nil
	}
	return of, fit
}

// architecture returns the type and the class of the model in the configuration.
func (m *weights) architecture() (kind, class string) {
	class, kind = m.Architecture()
	return kind, class
}

// judgeKnown reports layers without any tensor in stacks whose layers all have some in the architecture. Done is a
// stack that was compared with the configuration, or nil.
func (l *layers) judgeKnown(m *weights, done *stack) {
	of, fit := m.fit()
	if of == nil || fit.Extra != "" || !m.HasOneStack() {
		return
	}
	required := make(map[string]bool) // patterns
	stacks := make(map[string]bool)   // their beginnings
	for i := range of.Tensors {
		if t := &of.Tensors[i]; t.Need == names.Required && strings.Contains(t.Name, "{n}") {
			body := strings.TrimPrefix(t.Name, of.Prefix)
			required[names.Pattern(t.Name)], required[names.Pattern(body)] = true, true // of classes with and without it
			before, _, _ := strings.Cut(body, ".{")
			stacks[before] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.stacks)) {
		s := l.stacks[name]
		if s == done || !s.hasAny(required) {
			continue
		}
		n := int64(slices.Max(slices.Collect(maps.Keys(s.layers)))) + 1
		groups := strings.HasSuffix(s.name, "groups") // of layers that share weights, as in ALBERT
		if set, from, ok := m.Int(config.Layers); ok && len(stacks) == 1 && set > n && set < maxLayer && !groups {
			m.found(m.main.Path).Add(RuleLayerMissing, "", spanOf(from), "%s has %s, but the tensors of %s have %s: %s",
				quote(m.main.Path), from.Sentence(), quote(s.name), count(len(s.layers), "layer"), s.missing(int32(set)))
		} else if missing := s.missing(int32(n)); missing != "" {
			m.found(m.File()).Add(RuleLayerMissing, "", safetensors.Span{}, "the tensors of %s have %s: %s",
				quote(s.name), count(len(s.layers), "layer"), missing)
		}
	}
}

// hasAny reports whether a layer of the stack has a tensor of one of the patterns, packed or not.
func (s *stack) hasAny(patterns map[string]bool) bool {
	for rest := range s.slots {
		name := s.name + ".0." + rest
		if patterns[names.Pattern(name)] {
			return true
		}
		if module, role := parts.Split(name); role != parts.Weight && patterns[names.Pattern(module+".weight")] {
			return true
		}
	}
	return false
}
