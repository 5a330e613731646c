// Stacks and embeddings: one pass over the names and shapes of all tensors.

package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// A sight is what the headers of a model show.
type sight struct {
	stacks        map[string]map[int]bool // the numbers of each stack
	last          string                  // the stack of the previous tensor
	inLast        map[int]bool
	hidden, vocab Number
	maps          map[[2]int64]bool // the shapes of matrices outside of layers, other than embeddings
	adapter       adapterParts
	embedding     string // the first embedding of tokens
	hasHead       bool
}

// survey looks at all tensors.
func survey(files []File) *sight {
	s := &sight{stacks: make(map[string]map[int]bool), maps: make(map[[2]int64]bool)}
	s.adapter.files = files
	for i := range files {
		tensors := files[i].Header.Tensors
		for j := range tensors {
			ti := &tensors[j]
			if len(ti.Name) > maxName {
				continue
			}
			if !s.addLayer(ti.Name) {
				s.addMatrix(ti)
			}
			s.addEmbedding(ti)
			s.adapter.Add(ti, i)
		}
	}
	return s
}

// maxStacks bounds the number of stacks.
const maxStacks = 100

// addLayer adds the number of a tensor's layer, and reports whether it has one.
func (s *sight) addLayer(name string) bool {
	stack, n, _ := parts.Layer(name)
	if n < 0 {
		return false
	}
	if s.inLast == nil || stack != s.last {
		s.last, s.inLast = stack, s.stacks[stack]
	}
	if s.inLast == nil && len(s.stacks) < maxStacks {
		s.inLast = make(map[int]bool)
		s.stacks[stack] = s.inLast
	}
	if s.inLast != nil {
		s.inLast[n] = true
	}
	return true
}

// addMatrix adds the shape of a matrix that may map an embedding to the hidden size. A model has some dozens
// outside of its layers.
func (s *sight) addMatrix(ti *safetensors.TensorInfo) {
	const most = 1000
	if len(ti.Shape) == 2 && len(s.maps) < most && !strings.Contains(ti.Name, "position") &&
		!parts.IsEmbedding(strings.TrimSuffix(ti.Name, ".weight")) {
		s.maps[[2]int64(ti.Shape)] = true
	}
}

// hasProjection reports whether a matrix maps the embedding to the hidden size, so that its width is another.
func (s *sight) hasProjection(hidden int64) bool {
	return s.maps[[2]int64{hidden, s.hidden.Value}] || s.maps[[2]int64{s.hidden.Value, hidden}]
}

// list returns the stacks by name. A single layer is not a stack but a number in a name.
func (s *sight) list() (list []Stack) {
	for name, numbers := range s.stacks {
		if len(numbers) > 1 {
			list = append(list, Stack{name, int64(len(numbers))})
		}
	}
	slices.SortFunc(list, func(a, b Stack) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// addEmbedding uses the shape of an embedding of tokens, [tokens, channels], unless it is packed. If there
// are several of different shapes, the sizes are ambiguous.
func (s *sight) addEmbedding(ti *safetensors.TensorInfo) {
	module, ok := strings.CutSuffix(ti.Name, ".weight")
	s.hasHead = s.hasHead || parts.IsHead(ti.Name[:max(strings.LastIndexByte(ti.Name, '.'), 0)])
	if !ok || len(ti.Shape) != 2 || !parts.IsEmbedding(module) || parts.KindOf(ti.Dtype)&(parts.Float|parts.Float8) == 0 {
		return
	}
	s.embedding = cmp.Or(s.embedding, ti.Name)
	for _, n := range []struct {
		to  *Number
		dim int64
	}{{&s.vocab, ti.Shape[0]}, {&s.hidden, ti.Shape[1]}} {
		switch {
		case n.dim <= 0:
		case n.to.From == Unknown:
			*n.to = Number{n.dim, FromHeaders}
		case n.to.Value != n.dim:
			*n.to = Number{0, Ambiguous}
		}
	}
}
