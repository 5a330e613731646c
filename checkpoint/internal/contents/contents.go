// The tensors of sets, and whether two sets have the same.

// Package contents compares the tensors of sets.
package contents

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// Contents are the tensors of a set by name. The entry of a tensor that is known only from
// the index is nil. Tensors that the index does not list are left out: several indexes may
// name the same shards.
type Contents map[string]*safetensors.TensorInfo

// OfAdapter reports whether most tensors have names of an adapter's.
func (c Contents) OfAdapter() bool {
	n := 0
	for name := range c {
		if parts.IsAdapter(name) {
			n++
		}
	}
	return n*2 > len(c)
}

// SameTensors reports whether a and b have nine in ten tensors in common. Copies differ in tied
// weights and buffers.
func SameTensors(a, b Contents) bool {
	least := (max(len(a), len(b))*9 + 9) / 10
	return least > 0 && min(len(a), len(b)) >= least && InCommon(a, b) >= least
}

// InCommon returns how many tensors a and b have in common, by name and shape. Dtypes may differ,
// since copies are made to change them.
func InCommon(a, b Contents) int {
	n := 0
	for name, x := range a {
		if y, ok := b[name]; ok && (x == nil || y == nil || slices.Equal(x.Shape, y.Shape)) {
			n++
		}
	}
	return n
}

// Shapes counts tensors by shape.
type Shapes map[string]shaped

// A shaped is the tensors of one shape.
type shaped struct {
	n     int     // number of tensors
	elems float64 // elements of each
}

// ShapesOf counts the tensors of a set by shape.
func ShapesOf(held Contents) Shapes {
	all := make(Shapes)
	for _, ti := range held {
		if ti != nil {
			shape := ti.ShapeString()
			all[shape] = shaped{all[shape].n + 1, float64(ti.NumElems())}
		}
	}
	return all
}

// SameShapes reports whether a has the tensors of b under other names: nine tenths of its elements
// are in tensors of a shape that b has as often, and these are at least half of b's elements. It
// counts elements and not tensors, because norms and biases are many and have the same shape in
// all models of one width.
func SameShapes(a, b Shapes) bool {
	var ofA, ofB, common float64
	for _, y := range b {
		ofB += float64(y.n) * y.elems
	}
	for shape, x := range a {
		ofA += float64(x.n) * x.elems
		common += float64(min(x.n, b[shape].n)) * x.elems
	}
	return common > 0 && common >= 0.9*ofA && common >= 0.5*ofB
}

// Disjoint reports whether no tensor is in two of the contents.
func Disjoint(all []Contents) bool {
	seen := make(map[string]bool)
	for _, held := range all {
		for name := range held {
			if seen[name] {
				return false
			}
			seen[name] = true
		}
	}
	return true
}
