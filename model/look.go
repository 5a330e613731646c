// Looking: one pass over the names and shapes of all tensors.

package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// A sight is what the headers show.
type sight struct {
	layers        map[string]map[int]bool // the numbers of each stack
	last          string                  // the stack of the last tensor
	inLast        map[int]bool
	hidden, vocab Number
	adapter       adapterParts
}

// look looks at all tensors.
func look(files []File) *sight {
	l := &sight{layers: make(map[string]map[int]bool)}
	for i := range files {
		tensors := files[i].Header.Tensors
		for j := range tensors {
			ti := &tensors[j]
			if len(ti.Name) > longestName {
				continue
			}
			l.layer(ti.Name)
			l.embedding(ti)
			l.adapter.add(&files[i], ti)
		}
	}
	return l
}

// mostStacks bounds how many stacks are told apart.
const mostStacks = 100

// layer takes note of the first number that stands alone in a name.
func (l *sight) layer(name string) {
	for begin := 0; begin < len(name); {
		end := begin
		for end < len(name) && name[end] != '.' {
			end++
		}
		if n, ok := layerNumber(name[begin:end]); ok {
			stack := name[:max(begin-1, 0)]
			if l.inLast == nil || stack != l.last {
				l.last, l.inLast = stack, l.layers[stack]
			}
			if l.inLast == nil && len(l.layers) < mostStacks {
				l.inLast = make(map[int]bool)
				l.layers[stack] = l.inLast
			}
			if l.inLast != nil {
				l.inLast[n] = true
			}
			return
		}
		begin = end + 1
	}
}

// number returns the value of a text that is all digits, at most nine.
func layerNumber(s string) (int, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// stacks returns the stacks by name. One of a single layer is none: it is a number in
// a name.
func (l *sight) stacks() (list []Stack) {
	for name, numbers := range l.layers {
		if len(numbers) > 1 {
			list = append(list, Stack{name, int64(len(numbers))})
		}
	}
	slices.SortFunc(list, func(a, b Stack) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// embeddings are what the embedding of tokens is called.
var embeddings = []string{"embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in"}

// embedding takes note of the shape of the embedding, [tokens, channels], unless it
// is packed. If there are several of different shapes, it is ambiguous.
func (l *sight) embedding(ti *safetensors.TensorInfo) {
	module, ok := strings.CutSuffix(ti.Name, ".weight")
	if !ok || len(ti.Shape) != 2 || !slices.Contains(embeddings, module[strings.LastIndexByte(module, '.')+1:]) {
		return
	}
	switch ti.Dtype {
	case safetensors.BF16, safetensors.F16, safetensors.F32, safetensors.F64, safetensors.F8_E4M3, safetensors.F8_E5M2:
	default:
		return
	}
	for _, n := range []struct {
		to  *Number
		dim int64
	}{{&l.vocab, ti.Shape[0]}, {&l.hidden, ti.Shape[1]}} {
		switch {
		case n.dim <= 0:
		case n.to.From == Unknown:
			*n.to = Number{n.dim, FromHeaders}
		case n.to.Value != n.dim:
			*n.to = Number{0, Ambiguous}
		}
	}
}
