// Modules: what an adapter has for one module of the base.

package adapter

import (
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/model/adapters"
)

// A matrix is a tensor, and what it was made of.
type matrix struct {
	*safetensors.Tensor
	from []*safetensors.Tensor
	how  string // "" if it is a tensor of the source
}

// is reports whether there is a tensor.
func (m matrix) is() bool { return m.Tensor != nil }

// as returns the matrix with another name, as edit writes it.
func (m matrix) as(name string) (arrange.Made, error) {
	t, err := safetensors.TensorAt(name, m.Dtype, m.Shape, m.ReaderAt)
	return arrange.Made{Tensor: t, From: m.from, How: m.how}, err
}

// made returns a matrix that was made of others.
func made(t *safetensors.Tensor, how string, of ...matrix) matrix {
	m := matrix{Tensor: t, how: how}
	for _, one := range of {
		for _, f := range one.from {
			if !slices.Contains(m.from, f) {
				m.from = append(m.from, f)
			}
		}
		if m.how == "" {
			m.how = one.how
		}
	}
	return m
}

// A module is what an adapter has for one module of the base.
type module struct {
	name      string // of its first tensor in the source, for errors
	key       string // what the names of its tensors in the source begin with
	component adapters.Component
	prefix    string // of its names in the source
	path      string // of the module in the base
	flat      bool   // the dots of the path are replaced by underscores
	label     string // "0", "1" … if a module has several pairs, for parts of its outputs

	down, up  matrix // [rank, in, …] and [out, rank, …]
	mid       matrix
	magnitude matrix // [out]
	bias      matrix
	others    []part // the tensors of a kind other than LoRA, in the order of their names

	alpha  float64 // 0 if it is unknown; loaders then take the rank
	scalar matrix  // of alpha; there may be none
}

// A part is a tensor of a kind of adapters other than LoRA, with what follows the module in its name.
type part struct {
	matrix
	word string
}

// rank returns the rank, or 0 for a kind other than LoRA.
func (m *module) rank() int64 {
	if !m.down.is() {
		return 0
	}
	return m.down.Shape[0]
}

// scale returns alpha divided by the rank.
func (m *module) scale() float64 {
	if m.alpha == 0 || m.rank() == 0 {
		return 1
	}
	return m.alpha / float64(m.rank())
}

// isLoRA reports whether the module has the two matrices of LoRA and no tensors that not every program knows.
func (m *module) isLoRA() bool {
	return m.down.is() && len(m.others) == 0 && !m.mid.is() && !m.bias.is()
}

// isConvolution reports whether the matrices are those of a convolution.
func (m *module) isConvolution() bool { return m.down.is() && len(m.down.Shape) > 2 }

// same reports whether two scales are equal but for rounding.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }
