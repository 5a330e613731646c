// Children: what is in a value, by name.

package torch

import (
	"iter"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A child is a value in another.
type child struct {
	name string
	v    pickle.Value
	odd  string // what the key is, if it is none that a name can be made of
	// aside says that the value belongs to a module, which does not save it with its
	// parameters.
	aside bool
}

// A looker lists what is in values, and counts what it has looked at for that: there may
// be more than comes of it, as in a dict with one key that is put in many times.
type looker struct{ parts int }

// children returns what is in a value, nil if it is no container.
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

// object returns what is in an object that a call makes: in the arguments, in what is
// put into it, and in its attributes.
func (l *looker) object(c pickle.Result) []child {
	var list []child
	switch first := c.Args().Item(0); {
	case isMapping(c) && first.Kind() == pickle.KindDict:
		list = l.keyed(first.Pairs())
	case isMapping(c): // Python 2 writes one as OrderedDict([[key, value], …])
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

// attributes returns what BUILD sets: a dict of attributes, or a tuple of that and of a
// dict of slots. Anything else is for the class to understand.
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

// isMapping says whether a call makes a dict of its first argument, if it has one.
func isMapping(c pickle.Result) bool {
	switch calledName(c) {
	case "collections.OrderedDict", "collections.Counter", "builtins.dict":
		return true
	}
	return false
}

// isSequence says whether a call makes a list, a tuple or a set of its first argument.
func isSequence(c pickle.Result) bool {
	switch calledName(c) {
	case "builtins.set", "builtins.frozenset", "builtins.list", "builtins.tuple", "collections.deque", "torch.Size":
		return true
	}
	return false
}

// calledName returns the name of what is called, "" if it has none.
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

// keyed returns what is in a dict. Of two values of one key Python keeps the last, in the
// place of the first.
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
		key := k.Kind().String() + " " + name // 1 and "1" are two keys
		if i, twice := index[key]; twice {
			list[i] = c
			continue
		}
		index[key] = len(list)
		list = append(list, c)
	}
	return list
}

// nameOf returns the name that a key gives, and what the key is if it gives none.
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

// indexed returns what is in a list.
func (l *looker) indexed(prefix string, items iter.Seq[pickle.Value]) []child {
	var list []child
	for v := range items {
		l.parts++
		list = append(list, child{name: prefix + strconv.Itoa(len(list)), v: v})
	}
	return list
}

// isModule says whether a state is that of a torch.nn.Module.
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

// module returns what is in a module, by the names and in the order of state_dict:
// parameters, buffers, modules. What is not in that comes after, and aside.
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

// whatIs says what kind of thing a value is, with its article.
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
		return "a storage by itself"
	case pickle.KindUnknown:
		return "an unknown value"
	}
	name := v.Kind().String()
	if strings.HasPrefix(name, "i") {
		return "an " + name
	}
	return "a " + name
}
