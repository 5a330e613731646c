// Sets: the tensors of an adapter by module.

package adapters

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// A Set is the tensors of an adapter by module. The zero Set is empty.
type Set struct {
	modules map[string]*Module // by name and, behind a line break, the label if there is one
	weak    []Tensor           // count only in a file that has other tensors of an adapter
	labels  map[string]int
	kinds   map[string]int
	forms   map[Spelling]int
	files   map[int]bool
	tensors int
	dora    bool
}

// A Module is what an adapter has for one module of the base.
type Module struct {
	Name    Name // of its first tensor
	Tensors []Tensor
}

// A Tensor is a tensor of an adapter.
type Tensor struct {
	Name Name
	Info *safetensors.TensorInfo
	File int // as passed to Add
}

// Add adds a tensor, and reports whether it is one of an adapter. The file is the caller's number for the file that
// has it.
func (s *Set) Add(ti *safetensors.TensorInfo, file int) bool {
	p, ok := parts.AdapterOf(ti.Name)
	if !ok || p.Role == parts.AdapterAlpha && ti.NumElems() != 1 {
		return false
	}
	t := Tensor{nameOf(p), ti, file}
	if p.Weak {
		s.weak = append(s.weak, t)
		return false
	}
	s.add(t)
	return true
}

// Close adds the tensors that are part of an adapter only because others are. Call it after the last Add.
func (s *Set) Close() {
	for _, t := range s.weak {
		if m := s.modules[keyOf(&t.Name)]; m != nil || len(s.modules) > 0 && t.Name.parts.Kind == full {
			s.add(t)
		}
	}
	s.weak = nil
}

const full = "full"

func (s *Set) add(t Tensor) {
	if s.modules == nil {
		s.modules, s.kinds = make(map[string]*Module), make(map[string]int)
		s.labels, s.forms, s.files = make(map[string]int), make(map[Spelling]int), make(map[int]bool)
	}
	key := keyOf(&t.Name)
	m := s.modules[key]
	if m == nil {
		m = &Module{Name: t.Name}
		s.modules[key] = m
	}
	m.Tensors = append(m.Tensors, t)
	s.tensors++
	s.files[t.File] = true
	s.forms[t.Name.Spelling]++
	s.labels[t.Name.Label()]++
	if kind := t.Name.Kind(); kind == "OFT" && t.Name.parts.Word == "oft_blocks" && len(t.Info.Shape) == 4 {
		s.kinds["BOFT"]++ // lycoris/modules/boft.py
	} else if kind != "" {
		s.kinds[kind]++
	}
	s.dora = s.dora || t.Name.parts.Role == parts.AdapterMagnitude
}

// keyOf returns what the tensors of one adapter for one module have in common.
func keyOf(n *Name) string {
	if n.Label() == "" {
		return n.Module()
	}
	return n.Module() + "\n" + n.Label()
}

// Len returns the number of modules.
func (s *Set) Len() int {
	n, last := 0, ""
	for m := range s.All() {
		if name := m.Name.Module(); n == 0 || name != last {
			n, last = n+1, name
		}
	}
	return n
}

// Tensors returns the number of tensors.
func (s *Set) Tensors() int { return s.tensors }

// Has reports whether a file has tensors of the adapter.
func (s *Set) Has(file int) bool { return s.files[file] }

// All returns the modules in the order of their names. A module for which the file has several adapters comes once for
// each.
func (s *Set) All() iter.Seq[*Module] {
	return func(yield func(*Module) bool) {
		for _, name := range slices.Sorted(maps.Keys(s.modules)) {
			if !yield(s.modules[name]) {
				return
			}
		}
	}
}

// Kind returns the kind: "LoRA", "DoRA", "LoHa", "LoKr", "OFT", "IA3" and others, or several, separated by commas. It
// is "" for an empty set.
func (s *Set) Kind() string {
	kinds := slices.Sorted(maps.Keys(s.kinds))
	if len(kinds) == 0 || !s.dora {
		return strings.Join(kinds, ", ")
	}
	if kinds[0] == "LoRA" {
		kinds[0] = "DoRA"
		return strings.Join(kinds, ", ")
	}
	return strings.Join(kinds, ", ") + " with DoRA"
}

// Spelling returns whose names most tensors have.
func (s *Set) Spelling() Spelling {
	if all := s.Spellings(); len(all) > 0 {
		return all[0]
	}
	return Unknown
}

// Spellings returns all spellings, those of most tensors first.
func (s *Set) Spellings() []Spelling { return byCount(s.forms) }

// Labels returns the names of adapters that are part of tensors' names, such as "default".
func (s *Set) Labels() []string {
	return slices.DeleteFunc(byCount(s.labels), func(label string) bool {
		return strings.Trim(label, "0123456789") == "" // numbers are several matrices of one module
	})
}

// Components returns the parts of the base that the adapter modifies.
func (s *Set) Components() []Component {
	found := make(map[Component]int)
	for _, m := range s.modules {
		found[m.Name.Component]++
	}
	delete(found, Other)
	return slices.Sorted(maps.Keys(found))
}

// byCount returns the keys, those with the largest counts first.
func byCount[K cmp.Ordered](counts map[K]int) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
