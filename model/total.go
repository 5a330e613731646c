// Totals: what the counts of all tensors come to.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// A Tally is sums over tensors.
type Tally struct {
	Tensors int
	Stored  int64 // elements
	Params  Range // logical parameters
	Bytes   int64 // of data
}

func (t *Tally) add(e *entry) {
	t.Tensors++
	if n := e.stored(); e.ti.Shape != nil && n < math.MaxInt64 {
		t.Stored = sum(t.Stored, n)
	}
	t.Params = t.Params.plus(e.Params)
	t.Bytes = sum(t.Bytes, max(e.ti.Size(), 0))
}

// Counts is what a model comes to.
type Counts struct {
	Tally

	// Unique is the number of logical parameters without those that are stored
	// twice; Twins says which are.
	Unique Range
	Twins  []Twin // the first 100

	// Scheme says how weights are packed, as in "gptq 4-bit"; "" if they are not.
	Scheme string

	// Overhead is the size in bytes of scales and other bookkeeping. Buffers is that
	// of buffers, masks and indices.
	Overhead, Buffers int64

	Groups     []Group // by rule, in the order of the rules
	Dtypes     []Part[safetensors.Dtype]
	Components []Part[Component]
	Layers     []Layer
	Experts    *Routing // nil if there are none

	// Notes are remarks on the configuration and on what could not be read.
	Notes []string
}

// BitsPerWeight returns how many bits a logical parameter takes, scales included
// and buffers not. It is 0 if there are none; if their number is not known exactly,
// it is taken for the greatest that it can be.
func (n *Counts) BitsPerWeight() float64 {
	if n.Params.High == 0 {
		return 0
	}
	return 8 * float64(n.Bytes-n.Buffers) / float64(n.Params.High)
}

// A Part is the Tally of what is of one dtype or component.
type Part[K any] struct {
	Key K
	Tally
}

// A Layer is the Tally of one layer.
type Layer struct {
	Stack string // what the names have before the number, as in "model.layers"
	Index int
	Tally
}

// A Group is tensors that were counted in one way.
type Group struct {
	Rule   Rule
	Scheme string // what the packing is called; "" if there is none
	Dtype  safetensors.Dtype
	Bits   int64  // each value takes; 0 if that is not known, or differs
	Why    string // why Params is not exact
	First  string // the name of the first tensor
	Tally
}

// A Twin is a tensor whose parameters are those of another.
type Twin struct{ Name, Of string }

// A Routing is the routed experts of a model.
type Routing struct {
	Tally
	Count  int64 // in each layer, 0 if the configuration does not say
	Chosen int64 // for each token, 0 if the configuration does not say

	// Active is how many of all logical parameters a token passes through: not the
	// experts that are not chosen, nor what is MTP. It is only known if Chosen is.
	Active Range
}

// groupKey is what tensors of a Group have in common.
type groupKey struct {
	rule   Rule
	scheme string
	dtype  safetensors.Dtype
	bits   int64
	why    string
}

// layerKey is what tensors of a Layer have in common.
type layerKey struct {
	stack string
	index int
}

// A totaler adds up.
type totaler struct {
	Counts
	groups     map[groupKey]*Group
	dtypes     map[safetensors.Dtype]*Tally
	components map[Component]*Tally
	layers     map[layerKey]*Tally
	atlas      *atlas

	// Of the last tensor: the next is often alike.
	group   groupKey
	inGroup *Group
	layer   layerKey
	inLayer *Tally
}

// total adds up what was counted.
func (c *counter) total() *Counts {
	t := &totaler{
		groups: make(map[groupKey]*Group), dtypes: make(map[safetensors.Dtype]*Tally),
		components: make(map[Component]*Tally), layers: make(map[layerKey]*Tally), atlas: newAtlas(),
	}
	if c.config.mtp > 0 && c.config.layers > 0 {
		t.atlas.last = int(min(c.config.layers, 1<<30))
	}
	for i := range c.entries {
		if e := &c.entries[i]; c.Only == nil || c.Only(e.ti) {
			t.add(e)
		}
	}
	t.list()
	t.Scheme = t.scheme()
	t.experts(c.config)
	t.Notes = c.notes.texts()
	return &t.Counts
}

// mostTwins bounds the list of twins.
const mostTwins = 100

func (t *totaler) add(e *entry) {
	t.Tally.add(e)
	if e.Twin == "" {
		t.Unique = t.Unique.plus(e.Params)
	} else if len(t.Twins) < mostTwins {
		t.Twins = append(t.Twins, Twin{e.ti.Name, e.Twin})
	}
	switch size := max(e.ti.Size(), 0); e.Rule {
	case RuleBookkeeping, RuleScaleDtype:
		t.Overhead = sum(t.Overhead, size)
	case RuleBuffer, RuleMask, RuleIndex:
		t.Buffers = sum(t.Buffers, size)
	}
	key := groupKey{e.Rule, e.Scheme, e.ti.Dtype, e.Bits, e.Why}
	if t.inGroup == nil || key != t.group {
		t.group, t.inGroup = key, t.groups[key]
		if t.inGroup == nil {
			t.inGroup = &Group{Rule: e.Rule, Scheme: e.Scheme, Dtype: e.ti.Dtype, Bits: e.Bits, Why: e.Why, First: e.ti.Name}
			t.groups[key] = t.inGroup
		}
	}
	t.inGroup.add(e)
	of(t.dtypes, e.ti.Dtype).add(e)
	p := t.atlas.place(e.ti.Name, e.ti.Shape)
	of(t.components, p.component).add(e)
	if p.layer >= 0 {
		if key := (layerKey{p.stack, p.layer}); t.inLayer == nil || key != t.layer {
			t.layer, t.inLayer = key, of(t.layers, key)
		}
		t.inLayer.add(e)
	}
}

// of returns the tally of a key, which it makes if there is none.
func of[K comparable](m map[K]*Tally, key K) *Tally {
	t := m[key]
	if t == nil {
		t = new(Tally)
		m[key] = t
	}
	return t
}

// list makes lists of what was added up, in an order that does not depend on
// chance.
func (t *totaler) list() {
	rank := make(map[Rule]int)
	for r := range Rules() {
		rank[r] = len(rank)
	}
	for _, g := range t.groups {
		t.Groups = append(t.Groups, *g)
	}
	slices.SortFunc(t.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rank[a.Rule], rank[b.Rule]), -cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Dtype, b.Dtype),
			cmp.Compare(a.Scheme, b.Scheme), cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.Why, b.Why))
	})
	for d, sums := range t.dtypes {
		t.Dtypes = append(t.Dtypes, Part[safetensors.Dtype]{d, *sums})
	}
	slices.SortFunc(t.Dtypes, func(a, b Part[safetensors.Dtype]) int {
		return cmp.Or(-cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range components {
		if sums := t.components[c]; sums != nil {
			t.Components = append(t.Components, Part[Component]{c, *sums})
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(t.layers), func(a, b layerKey) int {
		return cmp.Or(cmp.Compare(a.stack, b.stack), cmp.Compare(a.index, b.index))
	}) {
		t.Layers = append(t.Layers, Layer{key.stack, key.index, *t.layers[key]})
	}
}

// scheme says how weights are packed: every way by name, that of the most
// parameters first.
func (t *totaler) scheme() string {
	most := make(map[string]int64)
	for i := range t.Groups {
		if g := &t.Groups[i]; g.Scheme != "" {
			name := g.Scheme
			if g.Bits > 0 && !strings.ContainsAny(name, "0123456789") {
				name = fmt.Sprintf("%s %d-bit", name, g.Bits)
			}
			most[name] = sum(most[name], g.Params.High)
		}
	}
	names := slices.SortedFunc(maps.Keys(most), func(a, b string) int {
		return cmp.Or(-cmp.Compare(most[a], most[b]), cmp.Compare(a, b))
	})
	return strings.Join(names, ", ")
}

// experts adds up what is routed, and what a token passes through.
func (t *totaler) experts(c *config) {
	sums := t.components[ComponentExperts]
	if sums == nil {
		return
	}
	x := &Routing{Tally: *sums, Count: c.experts, Chosen: c.active}
	if x.Count <= 0 || x.Chosen <= 0 || x.Chosen > x.Count {
		x.Chosen = 0
	} else {
		x.Active = t.Params.minus(sums.Params).plus(sums.Params.scaled(x.Chosen, x.Count))
		if mtp := t.components[ComponentMTP]; mtp != nil {
			x.Active = x.Active.minus(mtp.Params)
		}
	}
	t.Experts = x
}
