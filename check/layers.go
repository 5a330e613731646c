// Layers: whether all are there, and whether one lacks a tensor that the others have.

package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// layers are the stacks of layers of a set, by their names, such as "model.layers".
type layers struct {
	stacks map[string]*stack
	last   *stack // of the previous tensor, and usually of the next
}

// A stack is a sequence of numbered layers.
type stack struct {
	name    string
	layers  map[int32]*layer
	current *layer           // of the previous tensor
	slots   map[string]*slot // by what follows a layer's number in the names of its tensors

	experts map[uint32]bool // by the number of the layer, in the upper half, and that of the expert
}

// A layer is one of a stack.
type layer struct {
	number  int32
	tensors int
	experts int64
	first   end // its first tensor
}

// A slot is a name that a tensor of any layer may have.
type slot struct{ layers int }

func (l *layers) look(ti *safetensors.TensorInfo, shard int, n name) {
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
	if number, ok := parts.Expert(n.rest); ok && number < maxLayer {
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

func (l *layers) judge(w *weights) {
	m := &w.subject
	if !m.complete || m.single {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.stacks)) {
		l.stacks[name].judgeOdd(m)
	}
	largest := l.largest()
	if m.described && largest != nil && largest.layers[0] != nil { // otherwise it is only the end of a model
		largest.judgeNumber(m)
		largest.judgeExperts(m)
	} else {
		largest = nil
	}
	l.judgeKnown(w, largest)
}

// largest returns the stack whose number of layers a configuration may give, or nil.
func (l *layers) largest() (largest *stack) {
	for _, name := range slices.Sorted(maps.Keys(l.stacks)) {
		if s := l.stacks[name]; slices.Contains(decoders, name) && (largest == nil || len(s.layers) > len(largest.layers)) {
			largest = s
		}
	}
	return largest
}

// areAll reports whether the layers of the configuration are all there.
func (l *layers) areAll(m *subject) bool {
	n, _, ok := m.Int(config.Layers)
	largest := l.largest()
	return ok && n > 0 && n < maxLayer && m.HasOneStack() && largest != nil && largest.missing(int32(n)) == ""
}

// minLayers is the least number of layers of a stack in which one can be called odd.
const minLayers = 8

// judgeOdd reports the only layer that lacks a tensor which each of the others has, if the others are alike.
// The first and the last layer often differ: the first of ModernBERT has no norm before its attention.
func (s *stack) judgeOdd(m *subject) {
	all := s.inOrder()
	if len(all) < minLayers || int(all[len(all)-1].number-all[0].number) != len(all)-1 {
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
		"layer %d of %s lacks %s that each of the other %d layers has, the first %s",
		one.number, quote(s.name), count(len(lacks), "tensor"), len(all)-1, quote(first))
}

// lacks returns the names that one layer lacks and each of the others has, except companions of packed
// weights, which the rules about these report.
func (s *stack) lacks(one *layer, others int) (names []string) {
	total := 0
	for rest, slot := range s.slots {
		if slot.layers != others {
			continue
		}
		total++
		if _, role := parts.Split(rest); role == parts.Weight || role == parts.Activation {
			names = append(names, rest)
		}
	}
	if total != len(s.slots)-one.tensors {
		return nil // a name occurs twice
	}
	return names
}

// decoders are the stacks whose number of layers a configuration may give. Other stacks belong to vision
// towers, drafts and other parts of a model.
var decoders = []string{
	"model.layers", "language_model.model.layers", "model.language_model.layers", "transformer.h", "gpt_neox.layers",
	"bert.encoder.layer", "roberta.encoder.layer", "encoder.layer",
}

// judgeNumber compares the number of layers with the configuration. More layers than configured are usual:
// models that predict several tokens have extra ones.
func (s *stack) judgeNumber(m *subject) {
	n, from, ok := m.Int(config.Layers)
	if !ok || n >= maxLayer || !m.HasOneStack() {
		return
	}
	if missing := s.missing(int32(n)); missing != "" {
		m.found(m.main.Path).Add(RuleLayerMissing, "", spanOf(from), "%s has %s, but the tensors of %s have %s: %s",
			quote(m.main.Path), from.Sentence(), quote(s.name), count(len(s.layers), "layer"), missing)
	}
}

// missing lists the layers below n that have no tensors.
func (s *stack) missing(n int32) string {
	const most = 5 // numbers; the others are counted
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

// judgeExperts compares the number of experts of each layer that has some with the configuration.
func (s *stack) judgeExperts(m *subject) {
	n, from, ok := m.Int(config.Experts)
	if !ok || n < 2 || n > maxLayer {
		return
	}
	for _, l := range s.inOrder() {
		if l.experts == 0 || l.experts >= n {
			continue
		}
		m.found(m.shards[l.first.shard].path).Add(RuleLayerMissing, l.first.info.Name, l.first.info.Entry,
			"layer %d of %s has %s, but %s has %s", l.number, quote(s.name), count(l.experts, "expert"),
			quote(m.main.Path), from.Sentence())
	}
}
