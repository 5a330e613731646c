// Modules: rank, sizes and the part of the name that tells what a module does.

package adapters

import (
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// Kind returns the kind of adapter that the module has, or "" if its tensors do not tell.
func (m *Module) Kind() string {
	for i := range m.Tensors {
		if kind := m.Tensors[i].Name.Kind(); kind != "" {
			return kind
		}
	}
	return ""
}

// find returns the tensor of a module with a role, or nil.
func (m *Module) find(role parts.AdapterRole) *Tensor {
	for i := range m.Tensors {
		if t := &m.Tensors[i]; t.Name.parts.Role == role && t.Name.parts.Leaf != "bias" {
			return t
		}
	}
	return nil
}

// Down returns the matrix that maps the inputs to as many channels as the rank, or nil. Up returns the one that
// maps these to the outputs, Alpha the scalar that scales the module, and Magnitude the lengths that DoRA learns.
func (m *Module) Down() *Tensor      { return m.find(parts.AdapterDown) }
func (m *Module) Up() *Tensor        { return m.find(parts.AdapterUp) }
func (m *Module) Alpha() *Tensor     { return m.find(parts.AdapterAlpha) }
func (m *Module) Magnitude() *Tensor { return m.find(parts.AdapterMagnitude) }

// rank returns the rank by the shape of a tensor, or 0 if the shape does not show it.
func (m *Module) rank(t *Tensor) int64 {
	if t.Name.parts.Role == parts.AdapterUp && m.isTucker() {
		return t.Info.Shape[0] // lycoris/modules/loha.py and lokr.py: [rank, out] beside a core
	}
	return t.Name.parts.Rank(t.Info.Shape)
}

// isTucker reports whether a LoHa or LoKr has a core: hada_t1, lokr_t2.
func (m *Module) isTucker() bool {
	for i := range m.Tensors {
		if w := m.Tensors[i].Name.parts.Word; w == "hada_t1" || w == "lokr_t2" {
			return true
		}
	}
	return false
}

// Ranks returns the rank by each of the two matrices of a module; 0 if there is none, or if its shape does not
// show it.
func (m *Module) Ranks() (down, up int64) {
	if t := m.Down(); t != nil && len(t.Info.Shape) > 0 {
		down = m.rank(t)
	}
	if t := m.Up(); t != nil && len(t.Info.Shape) > 0 {
		up = m.rank(t)
	}
	return down, up
}

// IsHalf reports whether one of the two matrices of a module is missing.
func (m *Module) IsHalf() bool { return (m.Down() == nil) != (m.Up() == nil) }

// Rank returns the rank of a module, or 0 if it is unknown or if its matrices contradict each other.
func (m *Module) Rank() int64 {
	if t := m.find(parts.AdapterRank); t != nil && len(t.Info.Shape) > 0 {
		return t.Info.Shape[0]
	}
	down, up := m.Ranks()
	if down != up {
		return 0
	}
	return down
}

// Sizes returns the number of inputs and outputs of a module that a LoRA shows, or 0.
func (m *Module) Sizes() (in, out int64) {
	d, u := m.Down(), m.Up()
	if d == nil || u == nil || d.Name.Kind() != "LoRA" || m.Rank() <= 0 {
		return 0, 0
	}
	in, out = d.Info.Shape[1], u.Info.Shape[0]
	if d.Name.parts.In {
		in, out = d.Info.Shape[0], u.Info.Shape[1]
	}
	return in, out
}

// Target returns the end of the module's name, as adapters' configurations list it: "q_proj". In kohya's names it is
// the part after the last numbered block or layer: "attn1_to_q".
func (m *Module) Target() string {
	if m.Name.Prefix == "" || !strings.HasSuffix(m.Name.Prefix, "_") {
		return TargetOf(m.Name.Path)
	}
	name := m.Name.Module()
	for i := len(name); i > 0; {
		if i = strings.LastIndexByte(name[:i], '_'); i < 0 {
			break
		}
		// "blocks_0_attn1_to_q": a word and a number come before the underscore.
		digits := len(name[:i]) - len(strings.TrimRight(name[:i], "0123456789"))
		before := name[:i-digits]
		if digits > 0 && (strings.HasSuffix(before, "blocks_") || strings.HasSuffix(before, "layers_") ||
			strings.HasSuffix(before, "attentions_")) {
			return name[i+1:]
		}
	}
	return name
}

// TargetOf returns the end of a path with dots: its last word, with the word before it if that is a number, as in
// "to_out.0".
func TargetOf(path string) string {
	last := parts.Last(path)
	for at := len(path) - len(last); at > 0 && strings.Trim(last, ".0123456789") == ""; {
		at = strings.LastIndexByte(path[:at-1], '.') + 1
		last = path[at:]
	}
	return last
}
