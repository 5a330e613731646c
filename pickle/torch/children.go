// The named contents of values.

package torch

import (
	"iter"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A child is a value inside another.
type child struct {
	name string
	v    pickle.Value
	odd  string // description of the key if it cannot be part of a name
	// aside marks values of a module that are not saved with its parameters.
	aside bool
}

// A looker lists the contents of values and counts the entries it reads, which can be more than it returns: a dict can
// set one key many times.
type looker struct{ parts int }

// children returns the contents of a value, nil if it is not a container.
func (l *looker) children(v pickle.Value) []child {
	switch v.Kind() {
	case pickle.KindDict:
		return l.keyed(v.Pairs())
	case pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet:
		return l.indexed("", v.Items())
	case pickle.KindCall:
		c, _ := v.Called()
		if state, _ := c.State(); l.isModule(state) {
			return l.module(state)
		}
		return l.object(c)
	}
	return nil
}

// object returns the contents of an object created by a call: arguments, items and attributes.
func (l *looker) object(c pickle.Result) []child {
	var list []child
	switch first := c.Args().Item(0); {
	case isMapping(c) && first.Kind() == pickle.KindDict:
		list = l.keyed(first.Pairs())
	case isMapping(c): // Python 2 writes OrderedDict([[key, value], …])
		list = l.keyed(l.pairsIn(first))
	case isSequence(c):
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
func (l *looker) attributes(state pickle.Value) []child {
	switch {
	case state.Kind() == pickle.KindDict:
		return l.keyed(state.Pairs())
	case state.Kind() == pickle.KindTuple && state.Len() == 2 && state.Item(1).Kind() == pickle.KindDict:
		return append(l.keyed(state.Item(0).Pairs()), l.keyed(state.Item(1).Pairs())...)
	case state.Kind() == pickle.KindUnknown || state.IsNone():
		return nil
	}
	return []child{{name: "state", v: state}}
}

// isMapping reports whether a call creates a dict from its first argument.
func isMapping(c pickle.Result) bool {
	switch calledName(c) {
	case "collections.OrderedDict", "collections.Counter", "builtins.dict":
		return true
	}
	return false
}

// isSequence reports whether a call creates a list, tuple or set from its first argument.
func isSequence(c pickle.Result) bool {
	switch calledName(c) {
	case "builtins.set", "builtins.frozenset", "builtins.list", "builtins.tuple", "collections.deque", "torch.Size":
		return true
	}
	return false
}

// calledName returns the name of the called function, "" if it has none.
func calledName(c pickle.Result) string {
	module, name, ok := c.Callee().Global()
	if !ok {
		return ""
	}
	return module + "." + name
}

// pairsIn yields the pairs of a list of pairs.
func (l *looker) pairsIn(list pickle.Value) iter.Seq2[pickle.Value, pickle.Value] {
	return func(yield func(k, v pickle.Value) bool) {
		for item := range list.Items() {
			l.parts++
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
func (l *looker) keyed(pairs iter.Seq2[pickle.Value, pickle.Value]) []child {
	var list []child
	index := make(map[string]int)
	for k, v := range pairs {
		l.parts++
		name, odd := nameOf(k)
		c := child{name: name, v: v, odd: odd}
		if odd != "" {
			list = append(list, c)
			continue
		}
		key := k.Kind().String() + " " + name // 1 and "1" are different keys
		if i, twice := index[key]; twice {
			list[i] = c
			continue
		}
		index[key] = len(list)
		list = append(list, c)
	}
	return list
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
	return "", whatIs(key)
}

// indexed returns the contents of a list.
func (l *looker) indexed(prefix string, items iter.Seq[pickle.Value]) []child {
	var list []child
	for v := range items {
		l.parts++
		list = append(list, child{name: prefix + strconv.Itoa(len(list)), v: v})
	}
	return list
}

// isModule reports whether a state is that of a torch.nn.Module.
func (l *looker) isModule(state pickle.Value) bool {
	var parameters, modules bool
	for k := range state.Pairs() {
		l.parts++
		name, _ := k.Str()
		parameters = parameters || name == "_parameters"
		modules = modules || name == "_modules"
	}
	return parameters && modules
}

// module returns the contents of a module with the names and order of state_dict: parameters, buffers, modules. Other
// attributes follow, marked as aside.
func (l *looker) module(state pickle.Value) []child {
	attrs := make(map[string]pickle.Value)
	var rest []child
	for _, c := range l.keyed(state.Pairs()) {
		switch c.name {
		case "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set":
			attrs[c.name] = c.v
		default:
			c.aside = true
			rest = append(rest, c)
		}
	}
	unsaved := make(map[string]bool)
	for _, c := range l.children(attrs["_non_persistent_buffers_set"]) {
		name, _ := c.v.Str()
		unsaved[name] = true
	}
	var list []child
	for _, part := range [...]string{"_parameters", "_buffers", "_modules"} {
		for _, c := range l.children(attrs[part]) {
			c.aside = part == "_buffers" && unsaved[c.name]
			list = append(list, c)
		}
	}
	return append(list, rest...)
}

// whatIs describes a value, with its article.
func whatIs(v pickle.Value) string {
	switch v.Kind() {
	case pickle.KindNone:
		return "None"
	case pickle.KindCall:
		c, _ := v.Called()
		if name := calledName(c); name != "" {
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
