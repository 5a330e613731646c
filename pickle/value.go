// Values that loading would create.

package pickle

import (
	"io"
	"iter"
	"math/big"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A Kind is the type of a value.
type Kind uint8

// The kinds.
const (
	KindUnknown    Kind = iota // the result of an invalid program
	KindNone                   // None
	KindBool                   // False or True
	KindInt                    // an int of any size
	KindFloat                  // a float
	KindStr                    // a str
	KindBytes                  // bytes
	KindByteArray              // a bytearray
	KindTuple                  // a tuple
	KindList                   // a list
	KindDict                   // a dict
	KindSet                    // a set
	KindFrozenSet              // a frozenset
	KindGlobal                 // an import, with a module and a name
	KindCall                   // the result of a call, which was not made
	KindPersistent             // an object that the loader finds by its ID
	KindBuffer                 // an out-of-band buffer
)

// String returns the name of the Python type, or of the kind if there is none.
func (k Kind) String() string { return heap.Kind(k).String() }

// A Value is one object of a Graph. Two values are == if and only if they would be the same object; None, bool, small
// ints and () exist once each. The zero Value is of KindUnknown.
type Value struct{ v heap.Value }

// wrap adapts a function of Values to heap values.
func wrap(yield func(Value) bool) func(heap.Value) bool {
	return func(v heap.Value) bool { return yield(Value{v}) }
}

// wrapPairs adapts a function of key-value pairs to heap values.
func wrapPairs(yield func(k, w Value) bool) func(k, w heap.Value) bool {
	return func(k, w heap.Value) bool { return yield(Value{k}, Value{w}) }
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return Kind(v.v.Kind()) }

// IsNone reports whether v is None.
func (v Value) IsNone() bool { return v.v.IsNone() }

// Bool returns the bool; ok is false if v is not a bool.
func (v Value) Bool() (b, ok bool) { return v.v.Bool() }

// Int returns the int; ok is false if v is not an int (a bool is not) or does not fit.
func (v Value) Int() (i int64, ok bool) { return v.v.Int() }

// BigInt returns an int of up to 4,096 bytes; it returns nil if v is not an int or is larger.
func (v Value) BigInt() *big.Int { return v.v.BigInt() }

// Float returns the float; ok is false if v is not a float.
func (v Value) Float() (f float64, ok bool) { return v.v.Float() }

// Str returns the str in UTF-8, with surrogates encoded like other characters; a Python 2 str is returned as its bytes.
// ok is false if v is not a str or is longer than 4,096 bytes; use Data for those.
func (v Value) Str() (s string, ok bool) { return v.v.Str() }

// Data returns the contents of a str, bytes or bytearray of any length; it returns nil for other kinds.
func (v Value) Data() *io.SectionReader { return v.v.Data() }

// Bytes returns the bytes of a bytes, bytearray or str; ok is false for other kinds and for more than 4,096 bytes; use
// Data for those.
func (v Value) Bytes() (b []byte, ok bool) { return v.v.Bytes() }

// Len returns the number of items in a tuple, list or set, the number of entries in a dict, or the number of bytes in a
// text; it returns 0 for other kinds. Duplicate keys and duplicate set items count each time they are added.
func (v Value) Len() int64 { return v.v.Len() }

// Items yields the items of a tuple, list, set or frozenset.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.v.Items()(wrap(yield)) }
}

// Item returns item i of a tuple. It returns the zero Value for other kinds and for an index out of range.
func (v Value) Item(i int) Value { return Value{v.v.Item(i)} }

// Pairs yields the keys and values of a dict in insertion order. A key can occur more than once; the last one counts.
func (v Value) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(k, w Value) bool) { v.v.Pairs()(wrapPairs(yield)) }
}

// Global returns the module and name of an import, resolved as Python 3 resolves them; ok is false if v is not an
// import. A code of the extension registry has no module and a name such as "EXT 240".
func (v Value) Global() (module, name string, ok bool) { return v.v.Global() }

// Persistent returns the ID of a persistent object; ok is false if v is not one.
func (v Value) Persistent() (id Value, ok bool) {
	inner, ok := v.v.Persistent()
	return Value{inner}, ok
}

// Called returns the call that would produce v; ok is false if v is not the result of a call.
func (v Value) Called() (c Result, ok bool) {
	inner, ok := v.v.Called()
	return Result{inner}, ok
}

// A Result is a call that a loader would make, and the changes it would make to the result.
type Result struct{ c heap.Result }

// Opcode returns the opcode of the call: REDUCE, NEWOBJ, NEWOBJ_EX, INST or OBJ.
func (c Result) Opcode() Opcode { return Opcode(c.c.Opcode()) }

// Offset returns the offset of that opcode.
func (c Result) Offset() int64 { return c.c.Offset() }

// Callee returns the called value. It is a Global in every well-formed pickle.
func (c Result) Callee() Value { return Value{c.c.Callee()} }

// Args returns the arguments. They are a tuple in every well-formed pickle.
func (c Result) Args() Value { return Value{c.c.Args()} }

// Kwargs returns the keyword arguments of NEWOBJ_EX; ok is false if there are none.
func (c Result) Kwargs() (v Value, ok bool) {
	inner, ok := c.c.Kwargs()
	return Value{inner}, ok
}

// State returns the state that the last BUILD sets; ok is false if there is none.
func (c Result) State() (v Value, ok bool) {
	inner, ok := c.c.State()
	return Value{inner}, ok
}

// Items yields the values that APPEND, APPENDS and ADDITEMS add to the result.
func (c Result) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) { c.c.Items()(wrap(yield)) }
}

// Pairs yields the keys and values that SETITEM and SETITEMS set on the result, for example an OrderedDict.
func (c Result) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(k, w Value) bool) { c.c.Pairs()(wrapPairs(yield)) }
}
