// The named contents of values.

// Package tree lists the contents of saved values by name, as PyTorch names them.
package tree

import (
	"iter"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A Child is a value inside another.
type Child struct {
	Name string
	V    pickle.Value
	Odd  string // description of the key if it cannot be part of a name

	// Aside marks values of a module that are not saved with its parameters.
	Aside bool
}

// A Looker lists the contents of values and counts the entries it reads, which can be more than it returns: a dict can
// set one key many times.
type Looker struct {
	Parts int

	// Few is the maximum number of children that are listed; 0 means no limit. Over reports whether the last list was
	// cut off at it.
	Few  int
	Over bool

	// Class returns the attributes that modules of a TorchScript class save, nil for other classes. It may be nil.
	Class func(name string) Saved
}

// Saved has the names of the attributes that are parameters and buffers.
type Saved map[string]bool

// Children returns the contents of a value, nil if it is not a container.
func (l *Looker) Children(v pickle.Value) []Child {
	l.Over = false
	return l.children(v)
}

func (l *Looker) children(v pickle.Value) []Child {
	switch v.Kind() {
	case pickle.KindDict:
		return l.keyed(v.Pairs())
	case pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet:
		return l.indexed("", v.Items())
	case pickle.KindCall:
		c, _ := v.Called()
		state, _ := c.State()
		if saved := l.saved(c); saved != nil {
			return l.script(state, saved)
		}
		if l.isModule(state) {
			return l.module(state)
		}
		return l.object(c)
	}
	return nil
}

// object returns the contents of an object created by a call: arguments, items and attributes.
func (l *Looker) object(c pickle.Result) []Child {
	var list []Child
	switch first := c.Args().Item(0); {
	case isTagged(c) && (first.Kind() == pickle.KindDict || first.Kind() == pickle.KindList):
		return l.children(first)
	case isMapping(c) && first.Kind() == pickle.KindDict:
		list = l.keyed(first.Pairs())
	case isMapping(c): // Python 2 writes OrderedDict([[key, value], …])
		list = l.keyed(l.pairsIn(first))
	case IsSequence(c):
		list = l.indexed("", first.Items())
	default:
		list = l.indexed("args.", c.Args().Items())
	}
	if kwargs, ok := c.Kwargs(); ok {
		list = append(list, l.keyed(kwargs.Pairs())...)
	}
	list = append(list, l.indexed("", c.Items())...)
	list = append(list, l.keyed(c.Pairs())...)
	state, _ := c.State()
	return append(list, l.attributes(state)...)
}

// attributes returns the attributes that BUILD sets: a dict, or a tuple of a dict and a dict of slots. Other states
// have a meaning only for the class.
func (l *Looker) attributes(state pickle.Value) []Child {
	switch {
	case state.Kind() == pickle.KindDict:
		return l.keyed(state.Pairs())
	case state.Kind() == pickle.KindTuple && state.Len() == 2 && state.Item(1).Kind() == pickle.KindDict:
		return append(l.keyed(state.Item(0).Pairs()), l.keyed(state.Item(1).Pairs())...)
	case state.Kind() == pickle.KindUnknown || state.IsNone():
		return nil
	}
	return []Child{{Name: "state", V: state}}
}

// IsDict reports whether a value is a dict, an OrderedDict or similar.
func IsDict(v pickle.Value) bool {
	c, ok := v.Called()
	return v.Kind() == pickle.KindDict || ok && isMapping(c)
}

// isMapping reports whether a call creates a dict from its first argument.
func isMapping(c pickle.Result) bool {
	switch CalledName(c) {
	case "collections.OrderedDict", "collections.Counter", "builtins.dict":
		return true
	}
	return false
}

// IsSequence reports whether a call creates a list, tuple or set from its first argument.
func IsSequence(c pickle.Result) bool {
	switch CalledName(c) {
	case "builtins.set", "builtins.frozenset", "builtins.list", "builtins.tuple", "collections.deque", "torch.Size",
		"torch.jit._pickle.build_intlist", "torch.jit._pickle.build_doublelist", "torch.jit._pickle.build_boollist",
		"torch.jit._pickle.build_tensorlist":
		return true
	}
	return false
}

// isTagged reports whether a call returns its first argument, whose type in TorchScript is the second.
func isTagged(c pickle.Result) bool { return CalledName(c) == "torch.jit._pickle.restore_type_tag" }

// CalledName returns the name of the called function, "" if it has none.
func CalledName(c pickle.Result) string {
	module, name, ok := c.Callee().Global()
	if !ok {
		return ""
	}
	return module + "." + name
}

// pairsIn yields the pairs of a list of pairs.
func (l *Looker) pairsIn(list pickle.Value) iter.Seq2[pickle.Value, pickle.Value] {
	return func(yield func(k, v pickle.Value) bool) {
		for item := range list.Items() {
			l.Parts++
			var pair []pickle.Value
			for v := range item.Items() {
				if pair = append(pair, v); len(pair) > 2 {
					break
				}
			}
			if len(pair) == 2 && !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// keyed returns the contents of a dict. For duplicate keys Python keeps the last value at the position of the first.
func (l *Looker) keyed(pairs iter.Seq2[pickle.Value, pickle.Value]) []Child {
	var list []Child
	type key struct { // 1 and "1" are different keys
		kind pickle.Kind
		name string
	}
	index := make(map[key]int)
	for k, v := range pairs {
		if l.Parts++; l.full(len(list)) {
			break
		}
		name, odd := nameOf(k)
		c := Child{Name: name, V: v, Odd: odd}
		if odd != "" {
			list = append(list, c)
			continue
		}
		at := key{k.Kind(), name}
		if i, twice := index[at]; twice {
			list[i] = c
			continue
		}
		index[at] = len(list)
		list = append(list, c)
	}
	return list
}

// full reports whether a list of n children must not grow.
func (l *Looker) full(n int) bool {
	if l.Few > 0 && n >= l.Few {
		l.Over = true
	}
	return l.Over
}

// nameOf returns the name for a key, or a description of the key if it cannot be part of a name.
func nameOf(key pickle.Value) (name, odd string) {
	if s, ok := key.Str(); ok {
		return s, ""
	}
	if n, ok := key.Int(); ok {
		return strconv.FormatInt(n, 10), ""
	}
	if key.Kind() == pickle.KindStr {
		return "", "a str of " + wording.Count(key.Len(), "byte")
	}
	return "", WhatIs(key)
}

// indexed returns the contents of a list.
func (l *Looker) indexed(prefix string, items iter.Seq[pickle.Value]) []Child {
	var list []Child
	for v := range items {
		if l.Parts++; l.full(len(list)) {
			break
		}
		list = append(list, Child{Name: prefix + strconv.Itoa(len(list)), V: v})
	}
	return list
}

// isModule reports whether a state belongs to a torch.nn.Module.
func (l *Looker) isModule(state pickle.Value) bool {
	var parameters, modules bool
	for k := range state.Pairs() {
		l.Parts++
		name, _ := k.Str()
		parameters = parameters || name == "_parameters"
		modules = modules || name == "_modules"
	}
	return parameters && modules
}

// module returns the contents of a module with the names and order of state_dict: parameters, buffers, modules. Other
// attributes follow, marked as aside.
func (l *Looker) module(state pickle.Value) []Child {
	attrs := make(map[string]pickle.Value)
	var rest []Child
	for _, c := range l.keyed(state.Pairs()) {
		switch c.Name {
		case "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set":
			attrs[c.Name] = c.V
		default:
			c.Aside = true
			rest = append(rest, c)
		}
	}
	unsaved := make(map[string]bool)
	for _, c := range l.children(attrs["_non_persistent_buffers_set"]) {
		name, _ := c.V.Str()
		unsaved[name] = true
	}
	var list []Child
	for _, part := range [...]string{"_parameters", "_buffers", "_modules"} {
		for _, c := range l.children(attrs[part]) {
			c.Aside = part == "_buffers" && unsaved[c.Name]
			list = append(list, c)
		}
	}
	return append(list, rest...)
}

// saved returns the attributes that a TorchScript module saves, nil for other objects.
func (l *Looker) saved(c pickle.Result) Saved {
	if l.Class == nil {
		return nil
	}
	return l.Class(CalledName(c))
}

// script returns the attributes of a TorchScript module. Those that are not saved with its parameters are marked as
// aside.
func (l *Looker) script(state pickle.Value, saved Saved) []Child {
	list := l.attributes(state)
	for i := range list {
		c, called := list[i].V.Called()
		list[i].Aside = !saved[list[i].Name] && !(called && l.saved(c) != nil)
	}
	return list
}

// WhatIs describes a value, with its article.
func WhatIs(v pickle.Value) string {
	switch v.Kind() {
	case pickle.KindNone:
		return "None"
	case pickle.KindCall:
		c, _ := v.Called()
		if name := CalledName(c); name != "" {
			return "an object of " + name
		}
		return "an object"
	case pickle.KindGlobal:
		module, name, _ := v.Global()
		return "the name " + module + "." + name
	case pickle.KindPersistent:
		return "a storage"
	case pickle.KindUnknown:
		return "an unknown value"
	case pickle.KindInt:
		if i, ok := v.Int(); ok && i < 0 {
			return "a negative int"
		}
	}
	name := v.Kind().String()
	if strings.HasPrefix(name, "i") {
		return "an " + name
	}
	return "a " + name
}
