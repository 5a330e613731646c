// The tensors of an adapter.

package model

import (
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// adapterParts are the tensors of an adapter.
type adapterParts struct {
	modules    map[string]*pair
	kinds      map[string]bool
	alphas     []scalar
	metadata   map[string]string // of the first file that has any
	magnitudes bool              // DoRA
	remote     bool              // alphas are not worth a request each
}

// A pair is the two matrices of a module.
type pair struct{ down, up matrix }

// A matrix is one of a pair, with its rank, or 0 if the shape does not show it.
type matrix struct {
	found bool
	rank  int64
}

// A scalar is a tensor of one element.
type scalar struct {
	file *File
	ti   *safetensors.TensorInfo
}

// add adds a tensor, if it is part of an adapter.
func (p *adapterParts) add(f *File, ti *safetensors.TensorInfo) {
	if strings.HasSuffix(ti.Name, ".alpha") && ti.Shape != nil && ti.NumElems() == 1 {
		p.alphas = append(p.alphas, scalar{f, ti})
		return
	}
	if strings.Contains(ti.Name, "lora_magnitude_vector") || strings.HasSuffix(ti.Name, ".dora_scale") {
		p.magnitudes = true
		return
	}
	m, ok := parts.MatrixOf(ti.Name)
	if !ok || len(ti.Shape) < 2 {
		return
	}
	if p.modules == nil {
		p.modules, p.kinds = make(map[string]*pair), make(map[string]bool)
	}
	if p.metadata == nil {
		p.metadata = f.Header.Metadata
	}
	one := p.modules[m.Module]
	if one == nil {
		one = new(pair)
		p.modules[m.Module] = one
	}
	p.kinds[m.Kind] = true
	if found := (matrix{true, m.Rank(ti.Shape)}); m.Down {
		one.down = found
	} else {
		one.up = found
	}
}
