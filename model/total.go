// Totals over the counts of all tensors.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
)

// A Tally has sums over tensors.
type Tally struct {
	Tensors int
	Stored  int64 // elements
	Params  Range // logical parameters
	Bytes   int64 // of data
}

func (t *Tally) add(e *entry) {
	t.Tensors++
	if n := e.NumElems(); e.Info.Shape != nil && n < math.MaxInt64 {
		t.Stored = clamp.Add(t.Stored, n)
	}
	t.Params = t.Params.plus(e.Params)
	t.Bytes = clamp.Add(t.Bytes, max(e.Info.Size(), 0))
}

// Counts are the totals of a model.
type Counts struct {
	Tally

	// Unique is the number of logical parameters without duplicates, which Duplicates lists.
	Unique     Range
	Duplicates []Duplicate // the first 100

	// Scheme names the packing, as in "gptq 4-bit"; "" if the weights are not packed.
	Scheme string

	// Overhead is the size of scales and other bookkeeping in bytes. Buffers is the size of buffers, masks and
	// indices.
	Overhead, Buffers int64

	Groups     []Group // by rule, in the order of the rules
	Dtypes     []Part[safetensors.Dtype]
	Components []Part[Component]
	Layers     []Layer
	Experts    *Routing // nil if there are none

	// Notes are remarks about the configuration and about data that could not be read.
	Notes []string
}

// BitsPerWeight returns the bits per logical parameter, with scales and without buffers. Both numbers are 0 without
// parameters. They differ if the number of parameters is not exact; high is infinite if there may be none.
func (n *Counts) BitsPerWeight() (low, high float64) {
	if n.Params.High == 0 {
		return 0, 0
	}
	bits := 8 * float64(n.Bytes-n.Buffers)
	return bits / float64(n.Params.High), bits / float64(n.Params.Low)
}

// WithoutEmbedding returns the number of logical parameters without embeddings, which many model cards give. The
// output layer is included.
func (n *Counts) WithoutEmbedding() Range { return n.Params.minus(n.of(ComponentEmbedding)) }

// of returns the number of logical parameters of a component.
func (n *Counts) of(c Component) Range {
	for i := range n.Components {
		if n.Components[i].Key == c {
			return n.Components[i].Params
		}
	}
	return Range{}
}

// A Part is the Tally of one dtype or component.
type Part[K any] struct {
	Key K
	Tally
}

// A Layer is the Tally of one layer.
type Layer struct {
	Stack string // the part of the names before the number, as in "model.layers"
	Index int
	Tally
}

// A Group is the tensors that were counted in the same way.
type Group struct {
	Rule   Rule
	Scheme string // the name of the packing, or ""
	Dtype  safetensors.Dtype
	Bits   int64  // of each value; 0 if unknown or different
	Why    string // why Params is not exact
	First  string // the name of the first tensor
	Tally
}

// A Duplicate is a tensor that duplicates another.
type Duplicate struct{ Name, Of string }

// A Routing describes the routed experts of a model.
type Routing struct {
	Tally
	Count  int64 // in each layer; 0 if the configuration does not say
	Chosen int64 // for each token; 0 if the configuration does not say

	// Active is the number of logical parameters that a token uses: with the embedding, and without the experts
	// that are not chosen and MTP layers. ActiveBody is the same without the embedding. Both are zero if Chosen is.
	Active, ActiveBody Range
}

// A groupKey is what the tensors of a Group have in common.
type groupKey struct {
	rule   Rule
	scheme string
	dtype  safetensors.Dtype
	bits   int64
	why    string
}

// A layerKey is what the tensors of a Layer have in common.
type layerKey struct {
	stack string
	index int
}

// A totaler adds up the counts of tensors.
type totaler struct {
	Counts
	groups     map[groupKey]*Group
	dtypes     map[safetensors.Dtype]*Tally
	components map[Component]*Tally
	layers     map[layerKey]*Tally
	atlas      *atlas

	// The group and layer of the previous tensor. The next one often has the same.
	group   groupKey
	inGroup *Group
	layer   layerKey
	inLayer *Tally
}

// total adds up the counts of the selected tensors.
func (c *counter) total() *Counts {
	t := &totaler{
		groups: make(map[groupKey]*Group), dtypes: make(map[safetensors.Dtype]*Tally),
		components: make(map[Component]*Tally), layers: make(map[layerKey]*Tally), atlas: newAtlas(),
	}
	if n := c.context.Size(config.Layers); n > 0 && c.context.Size(config.MTPLayers) > 0 {
		t.atlas.last = int(min(n, 1<<30))
	}
	t.atlas.experts = sizeOf(c.context.Config, config.Experts)
	for i := range c.entries {
		if e := &c.entries[i]; c.Only == nil || c.Only(e.Info) {
			t.add(e)
		}
	}
	t.list()
	t.Scheme = t.scheme()
	t.experts(c.context.Config)
	t.Notes = append(slices.Clone(c.Model.Notes), c.notes.Texts()...)
	return &t.Counts
}

// maxDuplicates bounds the list of duplicates.
const maxDuplicates = 100

func (t *totaler) add(e *entry) {
	t.Tally.add(e)
	if e.DuplicateOf == "" {
		t.Unique = t.Unique.plus(e.Params)
	} else if len(t.Duplicates) < maxDuplicates {
		t.Duplicates = append(t.Duplicates, Duplicate{e.Info.Name, e.DuplicateOf})
	}
	switch size := max(e.Info.Size(), 0); e.Rule {
	case RuleBookkeeping, RuleScaleDtype:
		t.Overhead = clamp.Add(t.Overhead, size)
	case RuleBuffer, RuleMask, RuleIndex:
		t.Buffers = clamp.Add(t.Buffers, size)
	}
	key := groupKey{e.Rule, e.Scheme, e.Info.Dtype, e.Bits, e.Why}
	if t.inGroup == nil || key != t.group {
		t.group, t.inGroup = key, t.groups[key]
		if t.inGroup == nil {
			t.inGroup = &Group{Rule: e.Rule, Scheme: e.Scheme, Dtype: e.Info.Dtype, Bits: e.Bits, Why: e.Why,
				First: e.Info.Name}
			t.groups[key] = t.inGroup
		}
	}
	t.inGroup.add(e)
	of(t.dtypes, e.Info.Dtype).add(e)
	p := t.atlas.place(e.Info.Name, e.Info.Shape)
	of(t.components, p.component).add(e)
	if p.layer >= 0 {
		if key := (layerKey{p.stack, p.layer}); t.inLayer == nil || key != t.layer {
			t.layer, t.inLayer = key, of(t.layers, key)
		}
		t.inLayer.add(e)
	}
}

// of returns the tally of a key, and adds it if there is none.
func of[K comparable](m map[K]*Tally, key K) *Tally {
	t := m[key]
	if t == nil {
		t = new(Tally)
		m[key] = t
	}
	return t
}

// list sorts the sums into lists.
func (t *totaler) list() {
	rank := make(map[Rule]int)
	for r := range Rules() {
		rank[r] = len(rank)
	}
	for _, g := range t.groups {
		t.Groups = append(t.Groups, *g)
	}
	slices.SortFunc(t.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rank[a.Rule], rank[b.Rule]), -cmp.Compare(a.Bytes, b.Bytes),
			cmp.Compare(a.Dtype, b.Dtype),
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

// scheme names the ways in which weights are packed, the one of the most parameters first.
func (t *totaler) scheme() string {
	most := make(map[string]int64)
	for i := range t.Groups {
		if g := &t.Groups[i]; g.Scheme != "" {
			name := g.Scheme
			if g.Bits > 0 && !strings.ContainsAny(name, "0123456789") {
				name = fmt.Sprintf("%s %d-bit", name, g.Bits)
			}
			most[name] = clamp.Add(most[name], g.Params.High)
		}
	}
	names := slices.SortedFunc(maps.Keys(most), func(a, b string) int {
		return cmp.Or(-cmp.Compare(most[a], most[b]), cmp.Compare(a, b))
	})
	return strings.Join(names, ", ")
}

// experts describes the routed experts and the parameters that a token uses.
func (t *totaler) experts(c *config.Config) {
	sums := t.components[ComponentExperts]
	if sums == nil {
		return
	}
	x := &Routing{Tally: *sums, Count: sizeOf(c, config.Experts), Chosen: sizeOf(c, config.ActiveExperts)}
	if x.Count <= 0 || x.Chosen <= 0 || x.Chosen > x.Count {
		x.Chosen = 0
	} else {
		x.Active = t.Params.minus(sums.Params).plus(sums.Params.scaled(x.Chosen, x.Count)).minus(t.of(ComponentMTP))
		x.ActiveBody = x.Active.minus(t.of(ComponentEmbedding))
	}
	t.Experts = x
}
