// Layers: whether all are there, and whether one lacks what the others have.

package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// layers are the stacks of layers of a set, by their names, such as "model.layers".
type layers struct {
	stacks map[string]*stack
	last   *stack // that of the tensor before, which is that of the next as a rule
	shapes shapes
}

// A stack is layers that stand on one another.
type stack struct {
	name    string
	layers  map[int32]*layer
	current *layer           // that of the tensor before
	slots   map[string]*slot // by what follows a layer's number in the names of its tensors

	experts map[uint32]bool // by the number of the layer, in the upper half, and their own
}

// A layer is one of a stack.
type layer struct {
	number  int32
	tensors int
	experts int64
	first   end // its first tensor
}

// A slot is a place that a layer may have a tensor for.
type slot struct{ layers int }

func (l *layers) look(m *weights, ti *safetensors.TensorInfo, shard int, n name) {
	if l.last == nil || l.last.name != n.stack {
		if l.stacks == nil {
			l.stacks = make(map[string]*stack)
		}
		if l.last = l.stacks[n.stack]; l.last == nil {
			l.last = &stack{name: n.stack, layers: make(map[int32]*layer), slots: make(map[string]*slot)}
			l.stacks[n.stack] = l.last
		}
	}
	l.last.look(ti, shard, n)
	l.shapes.look(m, ti, shard, n)
}

func (s *stack) look(ti *safetensors.TensorInfo, shard int, n name) {
	if s.current == nil || s.current.number != n.layer {
		if s.current = s.layers[n.layer]; s.current == nil {
			s.current = &layer{number: n.layer, first: end{ti, shard}}
			s.layers[n.layer] = s.current
		}
	}
	s.current.tensors++
	one := s.slots[n.rest]
	if one == nil {
		one = new(slot)
		s.slots[n.rest] = one
	}
	one.layers++
	if number, ok := expert(n.rest); ok {
		if s.experts == nil {
			s.experts = make(map[uint32]bool)
		}
		if key := uint32(n.layer)<<16 | uint32(number); !s.experts[key] {
			s.experts[key] = true
			s.current.experts++
		}
	}
}

// inOrder returns the layers in the order of their numbers.
func (s *stack) inOrder() []*layer {
	var all []*layer
	for _, number := range slices.Sorted(maps.Keys(s.layers)) {
		all = append(all, s.layers[number])
	}
	return all
}

func (l *layers) judge(m *weights) {
	l.shapes.judge(m)
	if !m.whole || m.isFile() {
		return
	}
	var largest *stack
	for _, name := range slices.Sorted(maps.Keys(l.stacks)) {
		s := l.stacks[name]
		s.odd(m)
		if slices.Contains(decoders, name) && (largest == nil || len(s.layers) > len(largest.layers)) {
			largest = s
		}
	}
	if m.described && largest != nil {
		largest.told(m)
	}
}

// fewest is how many layers a stack has at least of which one can be called odd.
const fewest = 8

// odd reports the one layer of a stack that lacks what each of the others has, if
// those are all alike. The first and the last are often otherwise: the first of
// ModernBERT has no norm before its attention.
func (s *stack) odd(m *weights) {
	all := s.inOrder()
	if len(all) < fewest || int(all[len(all)-1].number-all[0].number) != len(all)-1 {
		return
	}
	var one *layer
	for i, l := range all {
		switch {
		case l.tensors == len(s.slots):
		case one == nil && l.tensors < len(s.slots) && i > 0 && i < len(all)-1:
			one = l
		default:
			return
		}
	}
	if one == nil {
		return
	}
	lacks := s.lacks(one, len(all)-1)
	if len(lacks) == 0 {
		return
	}
	first := fmt.Sprintf("%s.%d.%s", s.name, one.number, slices.Min(lacks))
	m.found(m.shards[one.first.shard].path).Add(RuleLayerMissing, first, safetensors.Span{},
		"layer %d of %s lacks %s that each of its other %d layers has, the first %s",
		one.number, quote(s.name), count(len(lacks), "tensor"), len(all)-1, quote(first))
}

// lacks returns what a layer lacks that each of so many others has. Companions of a
// packed weight are not told once more.
func (s *stack) lacks(one *layer, others int) (names []string) {
	total := 0
	for rest, slot := range s.slots {
		if slot.layers != others {
			continue
		}
		total++
		n := parse(rest)
		if part, _ := partOf(&safetensors.TensorInfo{Name: rest}, n); part == partNone || strings.HasPrefix(n.leaf, "input_") {
			names = append(names, rest)
		}
	}
	if total != len(s.slots)-one.tensors {
		return nil // a name is there twice
	}
	return names
}

// decoders are the stacks of which a configuration may tell the number of layers, and
// tells that of the largest. Other stacks are of vision towers, of drafts, and of
// whatever else a model may have.
var decoders = []string{
	"model.layers", "language_model.model.layers", "model.language_model.layers", "transformer.h", "gpt_neox.layers",
	"bert.encoder.layer", "roberta.encoder.layer", "encoder.layer",
}

// told compares a stack with what the configuration tells of it. More layers than
// it tells are usual: models that predict several tokens have one more for that.
func (s *stack) told(m *weights) {
	if s.layers[0] == nil {
		return // it is the end of a model
	}
	if n, from, ok := m.config.int("num_hidden_layers", "n_layer", "n_layers", "num_layers"); ok && n < maxLayer && m.config.tellsLayers() {
		if gone := s.gone(int32(n)); gone != "" {
			m.found(m.config.path).Add(RuleLayerMissing, "", from.at, "%s has %v, and the tensors of %s are of %s: %s",
				quote(m.config.path), from, quote(s.name), count(len(s.layers), "layer"), gone)
		}
	}
	s.toldExperts(m)
}

// tellsLayers says whether one number can tell how many layers have tensors. It cannot
// if there are two stacks, nor if a search has left some layers without any.
func (c *config) tellsLayers() bool {
	two, _ := c.flag("is_encoder_decoder")
	return !two && c.text.first("block_configs").kind == 0
}

// gone says which of the first n layers are not there.
func (s *stack) gone(n int32) string {
	const most = 5 // numbers; the rest is counted
	var numbers []string
	total := 0
	for i := range n {
		if s.layers[i] != nil {
			continue
		}
		if total++; total <= most {
			numbers = append(numbers, fmt.Sprint(i))
		}
	}
	switch {
	case total == 0:
		return ""
	case total == 1:
		return "layer " + numbers[0] + " is missing"
	case total > most:
		numbers = append(numbers, fmt.Sprintf("and %d more", total-most))
	}
	return "layers " + strings.Join(numbers, ", ") + " are missing"
}

// toldExperts compares the experts of each layer that has some with their number in
// the configuration.
func (s *stack) toldExperts(m *weights) {
	n, from, ok := m.config.int("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
	if !ok || n < 2 || n > maxLayer {
		return
	}
	for _, l := range s.inOrder() {
		if l.experts == 0 || l.experts >= n {
			continue
		}
		m.found(m.shards[l.first.shard].path).Add(RuleLayerMissing, l.first.info.Name, l.first.info.Entry,
			"layer %d of %s has %s, and %s has %v", l.number, quote(s.name), count(l.experts, "expert"), quote(m.config.path), from)
	}
}
