// Components: the part of a model that a tensor belongs to, by its name.

package model

import (
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// A Component is a part of a model.
type Component string

// The components. Names that tell nothing belong to ComponentOther. An adapter, a vision tower and the layers
// that predict several tokens are components as a whole, including their attention and norms.
const (
	ComponentEmbedding Component = "embedding" // of tokens, positions, patches and time
	ComponentAttention Component = "attention"
	ComponentMLP       Component = "mlp"     // dense and shared feed-forward layers, and routers
	ComponentExperts   Component = "experts" // routed experts
	ComponentSSM       Component = "ssm"     // state-space and other recurrent layers, such as Mamba's
	ComponentNorm      Component = "norm"
	ComponentHead      Component = "head" // the output layer, such as lm_head
	ComponentVision    Component = "vision"
	ComponentAudio     Component = "audio"
	ComponentMTP       Component = "mtp"     // layers that predict several tokens at once
	ComponentAdapter   Component = "adapter" // LoRA and similar
	ComponentOther     Component = "other"
)

// components lists them in the order in which they are shown.
var components = [...]Component{ComponentEmbedding, ComponentAttention, ComponentMLP, ComponentExperts, ComponentSSM,
	ComponentNorm, ComponentHead, ComponentVision, ComponentAudio, ComponentMTP, ComponentAdapter, ComponentOther}

// A place is where in the model a tensor is, by its name.
type place struct {
	component Component
	stack     string // the part of the name before the number of the layer, or ""
	layer     int    // -1 if there is none
}

// An atlas finds places. It caches names without their numbers. A model has some dozens of these, however
// many layers and experts it has.
type atlas struct {
	known   map[string]kind
	name    []byte // scratch space: the name in lower case, with a # for each number
	last    int    // the first layer of the main stack that is an MTP layer; -1 if unknown
	experts int64  // routed experts in each layer; 0 if unknown
}

// A kind is the component of tensors with one name, which may depend on their rank: a norm is a vector, and
// a matrix that is called a norm computes the values of one.
type kind struct {
	vector, matrix Component
	shared         bool // of shared experts
}

// maxKinds bounds the cache, since a header can have any number of names.
const maxKinds = 1 << 12

func newAtlas() *atlas { return &atlas{known: make(map[string]kind), last: -1} }

// maxName bounds the names that are examined. Published ones have about 150 bytes; a header can have one of
// a hundred megabytes.
const maxName = 4 << 10

// place returns where in the model a tensor is.
func (a *atlas) place(name string, shape []int64) place {
	if len(name) > maxName {
		return place{layer: -1, component: ComponentOther}
	}
	var p place
	p.stack, p.layer, _ = parts.Layer(name)
	a.name = a.name[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c-'0' <= 9:
			if i == 0 || name[i-1]-'0' > 9 {
				a.name = append(a.name, '#')
			}
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		a.name = append(a.name, c)
	}
	k, ok := a.known[string(a.name)]
	if !ok {
		k = classify(string(a.name))
		if len(a.known) < maxKinds {
			a.known[string(a.name)] = k
		}
	}
	if p.component = k.matrix; isVector(shape) {
		p.component = k.vector
	}
	// Experts may be stacked in one tensor without a word that says so.
	if p.component == ComponentMLP && len(shape) > 2 && a.experts > 1 && shape[0] == a.experts && !k.shared {
		p.component = ComponentExperts
	}
	if a.last >= 0 && p.layer >= a.last && (strings.HasSuffix(p.stack, "model.layers") || p.stack == "layers") {
		p.component = ComponentMTP
	}
	return p
}

// isVector reports whether at most one dimension differs from 1.
func isVector(shape []int64) bool {
	long := 0
	for _, d := range shape {
		if d != 1 {
			long++
		}
	}
	return long <= 1
}
