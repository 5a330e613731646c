// Counting: each tensor gets a rule, and the rules are added up.

package model

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// Count counts the parameters of a model. Problems, such as unreadable data, become notes and make the counts
// inexact.
func Count(m *Model) *Counts {
	return m.count().total()
}

// Judge yields the tensors of a model in the order of its files, each with what was found out about it.
// It ignores Only.
func Judge(m *Model) iter.Seq2[*safetensors.TensorInfo, *TensorCount] {
	return func(yield func(*safetensors.TensorInfo, *TensorCount) bool) {
		c := m.count()
		for i := range c.entries {
			if e := &c.entries[i]; !yield(e.Info, &e.TensorCount) {
				return
			}
		}
	}
}

// count gives every tensor a rule.
func (m *Model) count() *counter {
	c := &counter{Model: m, modules: make(map[string]int32)}
	c.context = m.context(&c.notes)
	c.collect()
	c.learn()
	c.judge()
	c.findDuplicates()
	return c
}

// context returns what the configuration and the metadata say about all modules.
func (m *Model) context(notes *config.Notes) scheme.Context {
	formats := make(map[string]string)
	for i := range m.Files {
		scheme.ComfyFormats(formats, m.Files[i].Header.Metadata)
	}
	return scheme.Context{
		Config:   config.New(m.configs(), notes),
		Comfy:    formats,
		Metadata: func(file int32) map[string]string { return m.Files[file].Header.Metadata },
	}
}

// collect makes an entry for each tensor. Those that may be part of a packed weight, by name or dtype,
// are grouped into modules; in a model that is not packed, none are.
func (c *counter) collect() {
	n := 0
	for i := range c.Files {
		n += len(c.Files[i].Header.Tensors)
	}
	c.entries = make([]entry, 0, n)
	for i := range c.Files {
		tensors := c.Files[i].Header.Tensors
		for j := range tensors {
			ti := &tensors[j]
			e := entry{Tensor: scheme.Tensor{Info: ti, File: int32(i), Kinds: parts.KindOf(ti.Dtype)}, next: -1}
			var module string
			module, e.role = parts.Split(ti.Name)
			c.entries = append(c.entries, e)
			if e.role != parts.Weight || e.Kinds != parts.Float {
				c.put(int32(len(c.entries)-1), module)
			}
		}
	}
	if len(c.modules) == 0 {
		return
	}
	// A float tensor may also hold packed bytes, or be the original of a packed weight.
	for i := range c.entries {
		e := &c.entries[i]
		if e.role != parts.Weight || e.Kinds != parts.Float {
			continue
		}
		if module, ok := strings.CutSuffix(e.Info.Name, ".weight"); ok {
			if _, known := c.modules[module]; known {
				c.put(int32(i), module)
			}
		}
	}
}

// learn finds out what other tensors show about packed weights.
func (c *counter) learn() {
	if len(c.modules) == 0 {
		return
	}
	c.context.Hidden = make(map[string]int64)
	for i := range c.entries {
		if e := &c.entries[i]; e.Kinds == parts.Float && e.role == parts.Weight {
			c.context.LearnNorm(e.Info)
		}
	}
	var m scheme.Module
	for _, name := range c.order {
		c.assemble(&m, name)
		c.context.Learn(&m)
	}
}

// put adds an entry to its module.
func (c *counter) put(i int32, module string) {
	last, ok := c.modules[module]
	if ok {
		c.entries[i].next = last
	} else {
		c.order = append(c.order, module)
	}
	c.modules[module] = i
}

// judge gives each entry its rule: first the packed modules, then all other tensors.
func (c *counter) judge() {
	m := scheme.Module{Texts: c.readTexts()}
	packed := c.context.Method != "" // then a scale of an activation may stand alone
	for _, name := range c.order {
		c.assemble(&m, name)
		s, v := m.Match(&c.context)
		if s == nil {
			c.judgeUnmatched(c.modules[name])
			continue
		}
		packed = true
		e := c.holder(name, m.Parts[s.Holds])
		e.Rule, e.Scheme, e.Params, e.Bits, e.Why = Rule(s.Rule), cmp.Or(v.Name, s.Name), Range(v.N), v.Bits, v.Why
		if e.Params.Exact() {
			e.Why = ""
		}
		for _, f := range []scheme.Finding{v.Fault, v.Conflict} {
			if f.Kind != "" {
				c.notes.AddModule(f.Kind, name, f.Text)
			}
		}
		c.judgeCompanions(c.modules[name], e)
	}
	counted := packed
	c.types, c.proved = modelTypes(c.context.Config), c.prove()
	for i := range c.entries {
		e := &c.entries[i]
		if e.Rule == "" {
			c.judgeAlone(e, packed)
		}
		counted = counted || e.Params.High > 0
	}
	if !counted {
		c.countIndices()
	}
}

// holder returns the entry of a module's tensor.
func (c *counter) holder(module string, t *scheme.Tensor) *entry {
	for i := c.modules[module]; i >= 0; i = c.entries[i].next {
		if &c.entries[i].Tensor == t {
			return &c.entries[i]
		}
	}
	return nil // not reached: the tensor is out of this chain
}

// countIndices counts the integers of a file that has nothing else: such a file was made for them.
func (c *counter) countIndices() {
	for i := range c.entries {
		if e := &c.entries[i]; e.Rule == RuleIndex {
			e.countPlain()
		}
	}
}

// countPlain counts each element as one parameter.
func (e *entry) countPlain() {
	e.Rule, e.Params, e.Bits = RulePlain, exactly(e.NumElems()), int64(e.Info.Dtype.Bits())
	if e.Bits == 0 {
		e.Rule, e.Scheme = RuleStored, string(e.Info.Dtype)
	}
}

// judgeCompanions gives a rule to the parts of a module other than the one with the values.
func (c *counter) judgeCompanions(first int32, values *entry) {
	for i := first; i >= 0; i = c.entries[i].next {
		switch e := &c.entries[i]; {
		case e == values:
		case !e.role.Holds():
			e.Rule = RuleBookkeeping
		case e.role == values.role && e.Info.Name == values.Info.Name && slices.Equal(e.Info.Shape, values.Info.Shape):
			// The same tensor in another file. findCopies marks it.
			e.Rule, e.Scheme, e.Params, e.Bits, e.Why = values.Rule, values.Scheme, values.Params, values.Bits, values.Why
		case e.role == parts.Weight && e.Kinds == parts.Float: // the original of the packed weight
			e.Rule, e.Params = RulePlain, exactly(e.NumElems())
			e.DuplicateOf = values.Info.Name
		}
	}
}

// judgeAlone gives a rule to an entry that belongs to no packed weight. packed reports whether the model
// has packed weights.
func (c *counter) judgeAlone(e *entry, packed bool) {
	switch {
	case !scheme.Countable(e.Info.Shape):
		e.Rule = RuleUnreadable
	case e.Kinds == parts.Scale8:
		e.Rule = RuleScaleDtype
	case isBuffer(e.Info.Name, c.types), c.isProved(e):
		e.Rule = RuleBuffer
	case isMask(e.Info):
		e.Rule = RuleMask
	case packed && e.role.IsAuxiliary() && e.NumElems() <= 1,
		packed && (e.role.IsOnlyPacked() || parts.IsWeightScale(e.Info.Name)):
		e.Rule = RuleBookkeeping
	case e.Kinds&(parts.Int64|parts.Bool) != 0,
		e.Kinds&parts.Integer != 0 && len(e.Info.Shape) <= 1 && !isWeight(e.Info.Name):
		e.Rule = RuleIndex
	case e.Kinds&parts.Integer != 0:
		e.countUnknown()
	case packed && c.isUnclaimed(e.Info.Name):
		e.countUnclaimed()
	default:
		e.countPlain()
	}
}

// judgeUnmatched gives a rule to the companions of integers that are packed in an unknown way.
func (c *counter) judgeUnmatched(first int32) {
	narrow := false
	for i := first; i >= 0; i = c.entries[i].next {
		narrow = narrow || c.entries[i].role.Holds() && c.entries[i].Kinds&(parts.Integer|parts.Int64) != 0
	}
	for i := first; narrow && i >= 0; i = c.entries[i].next {
		if e := &c.entries[i]; !e.role.Holds() {
			e.Rule = RuleBookkeeping
		}
	}
}

// isUnclaimed reports whether a tensor lies beside a packed weight under a name that no scheme has, and is neither a
// bias nor a part of an adapter.
func (c *counter) isUnclaimed(name string) bool {
	leaf := parts.Last(name)
	if leaf == name || strings.Contains(leaf, "bias") || parts.IsAdapter(name) {
		return false
	}
	first, ok := c.modules[name[:len(name)-len(leaf)-1]]
	for i := first; ok && i >= 0; i = c.entries[i].next {
		if c.entries[i].Scheme != "" {
			return true
		}
	}
	return false
}
