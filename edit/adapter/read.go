// Reading: the modules of an adapter in any spelling.

package adapter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// A source is an adapter as it was read.
type source struct {
	modules  []*module
	spelling adapters.Spelling // of most tensors
	config   *config           // nil if there is none
	metadata map[string]string
	arch     *arch // of the denoiser, if it is known
}

// maxModules bounds the modules. The largest adapters have some thousand.
const maxModules = 100_000

// Is reports whether tensors are those of an adapter: whether most have names of one.
func Is(tensors []*safetensors.Tensor) bool {
	n := 0
	for _, t := range tensors {
		if parts.IsAdapter(t.Name) {
			n++
		}
	}
	return n*2 > len(tensors)
}

// read reads an adapter.
func read(in *edit.Input) (*source, error) {
	s := &source{metadata: in.Metadata}
	byKey := make(map[string]*module)
	count := make(map[adapters.Spelling]int)
	labels := make(map[string]bool)
	tensors := slices.Clone(in.Tensors)
	slices.SortStableFunc(tensors, func(a, b *safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range tensors {
		p, ok := parts.AdapterOf(t.Name)
		if !ok {
			return nil, fmt.Errorf("tensor %s is not of an adapter: only adapters without other tensors can be converted; "+
				"leave it out with --drop", wording.Quote(t.Name))
		}
		n, _ := adapters.Parse(t.Name)
		count[n.Spelling]++
		label := p.Label
		if strings.Trim(label, "0123456789") != "" {
			labels[label], label = true, ""
		}
		key := n.Module() + "\n" + label
		m := byKey[key]
		if m == nil {
			m = &module{name: t.Name, key: n.Module(), component: n.Component, prefix: n.Prefix, path: n.Path, label: label,
				flat: n.Spelling == adapters.Kohya || n.Spelling == adapters.LyCORIS}
			if n.Spelling == adapters.OldDiffusers {
				m.path = newPath(m.path)
			}
			byKey[key] = m
			s.modules = append(s.modules, m)
		}
		if err := m.add(t, p); err != nil {
			return nil, err
		}
		if count[n.Spelling] > count[s.spelling] {
			s.spelling = n.Spelling
		}
	}
	switch {
	case len(s.modules) == 0:
		return nil, fmt.Errorf("there are no tensors of an adapter")
	case len(s.modules) > maxModules:
		return nil, fmt.Errorf("the adapter has %d modules; at most %d can be converted", len(s.modules), maxModules)
	case len(labels) > 1:
		return nil, fmt.Errorf("the file has several adapters, such as %s: keep one with --keep",
			wording.Quote(firstOf(labels)))
	}
	s.join(byKey)
	s.number()
	for _, m := range s.modules {
		if err := m.check(); err != nil {
			return nil, err
		}
	}
	return s, s.readAlphas(in)
}

// oldPaths are the ends of modules in diffusers before 0.22, and today's (utils/state_dict_utils.py at 0.42.1).
var oldPaths = [][2]string{{".self_attn.to_q", ".self_attn.q_proj"}, {".self_attn.to_k", ".self_attn.k_proj"},
	{".self_attn.to_v", ".self_attn.v_proj"}, {".self_attn.to_out", ".self_attn.out_proj"}, {".to_out", ".to_out.0"}}

// newPath returns the path of a module today.
func newPath(path string) string {
	path = strings.Replace(path, ".processor.", ".", 1)
	for _, one := range oldPaths {
		if before, ok := strings.CutSuffix(path, one[0]); ok {
			return before + one[1]
		}
	}
	return path
}

func firstOf(set map[string]bool) string {
	var list []string
	for one := range set {
		list = append(list, one)
	}
	return slices.Min(list)
}

// add adds a tensor to a module.
func (m *module) add(t *safetensors.Tensor, p parts.AdapterPart) error {
	one := matrix{Tensor: t, from: []*safetensors.Tensor{t}}
	to := (*matrix)(nil)
	lora := p.Kind == "LoRA" && p.Leaf != "bias" && !strings.Contains(p.Word, "embedding")
	switch {
	case p.Role == parts.AdapterAlpha && t.NumElems() == 1:
		to = &m.scalar
	case p.Role == parts.AdapterMagnitude:
		to = &m.magnitude
	case lora && p.Role == parts.AdapterDown:
		to = &m.down
	case lora && p.Role == parts.AdapterUp:
		to = &m.up
	case lora && p.Role == parts.AdapterMid:
		to = &m.mid
	case p.Kind == "LoRA" && p.Role == parts.AdapterUp && p.Leaf == "bias":
		to = &m.bias
	default:
		m.others = append(m.others, part{one, strings.TrimPrefix(t.Name[len(p.Module):], ".")})
		return nil
	}
	if to.is() {
		return fmt.Errorf("tensors %s and %s are for one module", wording.Quote(to.Name), wording.Quote(t.Name))
	}
	if p.In {
		turned, err := arrange.Transpose(t, 0, 1)
		if err != nil {
			return err
		}
		one = made(turned, "transposed", one)
	}
	*to = one
	return nil
}

// maxPairs is how many pairs of matrices a module may have for parts of its outputs.
const maxPairs = 16

// join moves the alpha of a module with several pairs to each of them: its name has no number.
func (s *source) join(byKey map[string]*module) {
	s.modules = slices.DeleteFunc(s.modules, func(m *module) bool {
		if m.label != "" || m.down.is() || m.up.is() || len(m.others) > 0 || !m.scalar.is() {
			return false
		}
		found := false
		for i := range maxPairs {
			if pair := byKey[m.key+"\n"+strconv.Itoa(i)]; pair != nil {
				pair.scalar, found = m.scalar, true
			}
		}
		return found
	})
}

// number makes the third text encoder the second if there is no second: ComfyUI names T5 by itself, and it is the
// second of Flux.
func (s *source) number() {
	if slices.ContainsFunc(s.modules, func(m *module) bool { return m.component == adapters.TextEncoder2 }) {
		return
	}
	for _, m := range s.modules {
		if m.component == adapters.TextEncoder3 && m.prefix != "text_encoder_3." && m.prefix != "lora_te3_" {
			m.component = adapters.TextEncoder2
		}
	}
}

// check reports what is wrong with a module.
func (m *module) check() error {
	switch {
	case m.down.is() != m.up.is():
		return fmt.Errorf("module %s lacks one of its two matrices", wording.Quote(m.path))
	case !m.down.is() && len(m.others) == 0:
		return fmt.Errorf("tensor %s belongs to no module of an adapter: leave it out with --drop", wording.Quote(m.name))
	case !m.down.is():
		return nil
	case len(m.down.Shape) < 2 || len(m.up.Shape) < 2:
		return fmt.Errorf("the matrices of module %s have the shapes %s and %s, which are no matrices", wording.Quote(m.path),
			m.down.ShapeString(), m.up.ShapeString())
	case m.down.Shape[0] != m.up.Shape[1] || m.down.Shape[0] == 0:
		return fmt.Errorf("the matrices of module %s have the shapes %s and %s, and no rank in common", wording.Quote(m.path),
			m.down.ShapeString(), m.up.ShapeString())
	}
	return nil
}
