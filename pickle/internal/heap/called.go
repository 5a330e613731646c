// Accessors for imports, persistent objects and calls.

package heap

import (
	"iter"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Global returns the module and name of an import, resolved as Python 3 resolves them; ok is false if v is not an
// import. A code of the extension registry has no module and a name such as "EXT 240".
func (v Value) Global() (module, name string, ok bool) {
	n := v.node()
	if n.Kind != KindGlobal {
		return "", "", false
	}
	module, name = v.a.names[n.A].Resolved()
	return module, name, true
}

// Persistent returns the ID of a persistent object; ok is false if v is not one.
func (v Value) Persistent() (id Value, ok bool) {
	n := v.node()
	if n.Kind != KindPersistent {
		return Value{}, false
	}
	return Value{v.a, Ref(n.A)}, true
}

// noCall is the call of values that are not the result of one. Its parts are unknown.
var noCall Call

// Called returns the call that would produce v; ok is false if v is not the result of a call.
func (v Value) Called() (c Result, ok bool) {
	n := v.node()
	if n.Kind != KindCall {
		return Result{v.a, &noCall}, false
	}
	return Result{v.a, v.a.CallAt(n.A)}, true
}

// A Result is a call that a loader would make, and the changes it would make to the result.
type Result struct {
	a *Heap
	c *Call
}

// Opcode returns the opcode of the call: REDUCE, NEWOBJ, NEWOBJ_EX, INST or OBJ.
func (c Result) Opcode() opcode.Code { return c.c.Op }

// Offset returns the offset of that opcode.
func (c Result) Offset() int64 { return c.c.Off }

// Callee returns the called value. It is a Global in every well-formed pickle.
func (c Result) Callee() Value { return Value{c.a, c.c.Callee} }

// Args returns the arguments. They are a tuple in every well-formed pickle.
func (c Result) Args() Value { return Value{c.a, c.c.Args} }

// Kwargs returns the keyword arguments of NEWOBJ_EX; ok is false if there are none.
func (c Result) Kwargs() (v Value, ok bool) {
	return Value{c.a, c.c.Kwargs}, c.c.Kwargs != Unknown
}

// State returns the state that the last BUILD sets; ok is false if there is none.
func (c Result) State() (v Value, ok bool) { return Value{c.a, c.c.State}, c.c.Built }

// Items yields the values that APPEND, APPENDS and ADDITEMS add to the result.
func (c Result) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) { c.a.runs(c.c.items, Value{a: c.a}.items(yield)) }
}

// Pairs yields the keys and values that SETITEM and SETITEMS set on the result, for example an OrderedDict.
func (c Result) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) { c.a.runs(c.c.pairs, Value{a: c.a}.pairs(yield)) }
}
