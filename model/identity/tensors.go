// The tensors of a model, by name.

package identity

import (
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model"
)

// An inventory is the tensors of a model, its metadata and its configuration.
type inventory struct {
	names    map[string]*safetensors.TensorInfo
	order    []string                           // all names
	numbered map[string]*safetensors.TensorInfo // the first of those that differ in their numbers
	packed   map[string]*safetensors.TensorInfo // packed weights, by the name that the plain weight would have
	prefixes map[string]bool                    // the first words of names, with the dot after them
	counts   map[string]int64                   // different numbers after a prefix
	ends     map[string]int                     // tensors by the last element of the name
	metadata []map[string]string
	config   config.Object
	facts    *model.Facts
	modules  int // files of modules that follow the model, as in sentence-transformers

	known     []string // types of architectures; nil before they are needed
	knownFrom string
}

// A tensorInfo is a tensor.
type tensorInfo = safetensors.TensorInfo

// inventoryOf returns the tensors of a model. The maps refer to the names of its headers.
func inventoryOf(m *model.Model) *inventory {
	n := 0
	for i := range m.Files {
		n += len(m.Files[i].Header.Tensors)
	}
	v := &inventory{names: make(map[string]*safetensors.TensorInfo, n), order: make([]string, 0, n),
		numbered: make(map[string]*safetensors.TensorInfo), packed: make(map[string]*safetensors.TensorInfo),
		prefixes: make(map[string]bool), counts: make(map[string]int64), ends: make(map[string]int)}
	seen := make(map[string]bool)
	var b []byte
	for i := range m.Files {
		h := m.Files[i].Header
		if m.Files[i].Module != m.Files[0].Module {
			v.modules++
			continue
		}
		if len(h.Metadata) > 0 {
			v.metadata = append(v.metadata, h.Metadata)
		}
		for t := range h.Tensors {
			ti := &h.Tensors[t]
			if v.names[ti.Name] != nil {
				continue
			}
			v.names[ti.Name] = ti
			v.order = append(v.order, ti.Name)
			v.ends[ti.Name[strings.LastIndexAny(ti.Name, "./")+1:]]++
			b = appendNumbered(b[:0], ti.Name)
			if v.numbered[string(b)] == nil {
				v.numbered[string(b)] = ti
			}
			v.countLayers(ti.Name, seen)
			if module, r := parts.Split(ti.Name); r.Holds() && r != parts.Weight {
				v.packed[module+".weight"] = ti
			}
		}
	}
	v.config = config.Parse("config.json", m.Config).Root
	v.facts = model.FactsOf(m)
	return v
}

// maxLayerElements limits the elements of a name in which layers are counted. Published names have at most 16.
const maxLayerElements = 64

// countLayers counts the numbers in a name that stand between dots, and remembers prefixes.
func (v *inventory) countLayers(name string, seen map[string]bool) {
	for begin, words := 0, 1; begin < len(name) && words < maxLayerElements; words++ {
		end := strings.IndexByte(name[begin:], '.')
		if end < 0 {
			return
		}
		end += begin
		if word := name[begin:end]; isNumber(word) && !seen[name[:end]] {
			seen[name[:end]] = true
			v.counts[name[:begin]]++
		}
		begin = end + 1
		if words < prefixElements && !v.prefixes[name[:begin]] {
			v.prefixes[name[:begin]] = true
		}
	}
}

// below returns the name of a pattern below a root.
func (p *pattern) below(root string) string {
	if p.absolute {
		return p.name
	}
	return root + p.name
}

// find returns the tensor of a pattern below a root, and whether its values are packed, so that the shape of the weight
// is unknown.
func (v *inventory) find(root string, p *pattern) (ti *safetensors.TensorInfo, packed bool) {
	name := p.below(root)
	if p.numbered {
		return v.numbered[string(appendNumbered(nil, name))], false
	}
	if ti := v.names[name]; ti != nil {
		return ti, false
	}
	ti = v.packed[name]
	return ti, ti != nil
}

// text returns the value of a key in the metadata.
func (v *inventory) text(key string) (string, bool) {
	for _, m := range v.metadata {
		if text, ok := m[key]; ok {
			return text, true
		}
	}
	return "", false
}
