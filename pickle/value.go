// Values: what loading would have built, as others see it.

package pickle

import (
	"io"
	"iter"
	"math/big"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A Kind is what kind of thing a value is.
type Kind uint8

// The kinds.
const (
	KindUnknown    Kind = iota // what a broken program would have had
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
	KindGlobal                 // an import: a module and a name, and nothing more
	KindCall                   // the result of a call that was not made
	KindPersistent             // an object that the loader is to find by its id
	KindBuffer                 // a buffer that comes with the pickle, outside of it
)

// String returns the kind's name, that of the type in Python if there is one.
func (k Kind) String() string { return heap.Kind(k).String() }

// A Value is one object of a Graph. Two values are == if and only if they would
// be the same object, but for None, bool, small ints and (), of which there is
// one each. The zero Value is of KindUnknown.
type Value struct{ v heap.Value }

// wrap makes a function of values one of what is in them.
func wrap(yield func(Value) bool) func(heap.Value) bool {
	return func(v heap.Value) bool { return yield(Value{v}) }
}

// wrapPairs makes a function of pairs of values one of what is in them.
func wrapPairs(yield func(k, w Value) bool) func(k, w heap.Value) bool {
	return func(k, w heap.Value) bool { return yield(Value{k}, Value{w}) }
}

// Kind returns what kind of thing v is.
func (v Value) Kind() Kind { return Kind(v.v.Kind()) }

// IsNone is whether v is None.
func (v Value) IsNone() bool { return v.v.IsNone() }

// Bool returns the bool that v is; ok is false if it is none.
func (v Value) Bool() (b, ok bool) { return v.v.Bool() }

// Int returns the int that v is; ok is false if it is none, a bool for example,
// or does not fit.
func (v Value) Int() (i int64, ok bool) { return v.v.Int() }

// BigInt returns the int that v is, of any size up to 4,096 bytes; nil if it is
// none, or is larger.
func (v Value) BigInt() *big.Int { return v.v.BigInt() }

// Float returns the float that v is; ok is false if it is none.
func (v Value) Float() (f float64, ok bool) { return v.v.Float() }

// Str returns the str that v is, as UTF-8 in which surrogates are encoded as if
// they were characters; a str of Python 2 is as its bytes are. ok is false if v
// is no str, or is longer than 4,096 bytes: see Data.
func (v Value) Str() (s string, ok bool) { return v.v.Str() }

// Data returns what is in a str, bytes or bytearray, of any length; nil if v is
// none.
func (v Value) Data() *io.SectionReader { return v.v.Data() }

// Bytes returns the bytes or bytearray that v is, or the bytes of a str; ok is
// false if it is none of them, or longer than 4,096 bytes: see Data.
func (v Value) Bytes() (b []byte, ok bool) { return v.v.Bytes() }

// Len returns how many items are in a tuple, list or set, how many entries in a
// dict, how many bytes in a text; 0 for anything else. Entries of one key, and
// equal items of a set, are counted as often as they are put in.
func (v Value) Len() int64 { return v.v.Len() }

// Items yields what is in a tuple, list, set or frozenset; nothing of anything
// else.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.v.Items()(wrap(yield)) }
}

// Item returns item i of a tuple; of anything else, and where there is none, it
// returns the zero Value.
func (v Value) Item(i int) Value { return Value{v.v.Item(i)} }

// Pairs yields the keys and values of a dict in the order in which they are put
// in; nothing of anything else. A key can occur more than once: the last counts.
func (v Value) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(k, w Value) bool) { v.v.Pairs()(wrapPairs(yield)) }
}

// Global returns the module and the name that v would be imported from, as
// Python 3 resolves them; ok is false if v is no import. A code of the extension
// registry has no module, and a name as in "EXT 240".
func (v Value) Global() (module, name string, ok bool) { return v.v.Global() }

// Persistent returns the id of a persistent object; ok is false if v is none.
func (v Value) Persistent() (id Value, ok bool) {
	inner, ok := v.v.Persistent()
	return Value{inner}, ok
}

// Called returns the call that would give v; ok is false if v comes from none.
func (v Value) Called() (c Result, ok bool) {
	inner, ok := v.v.Called()
	return Result{inner}, ok
}

// A Result is a call that would be made, and what would be done to its result.
type Result struct{ c heap.Result }

// Opcode returns the opcode that calls: REDUCE, NEWOBJ, NEWOBJ_EX, INST or OBJ.
func (c Result) Opcode() Opcode { return Opcode(c.c.Opcode()) }

// Offset returns where that opcode is.
func (c Result) Offset() int64 { return c.c.Offset() }

// Callee returns what is called, which is a Global in a program that means well.
func (c Result) Callee() Value { return Value{c.c.Callee()} }

// Args returns the arguments, a tuple in a program that means well.
func (c Result) Args() Value { return Value{c.c.Args()} }

// Kwargs returns the keyword arguments of NEWOBJ_EX; ok is false if there are none.
func (c Result) Kwargs() (v Value, ok bool) {
	inner, ok := c.c.Kwargs()
	return Value{inner}, ok
}

// State returns what the last BUILD sets as the result's state; ok is false if
// there is none.
func (c Result) State() (v Value, ok bool) {
	inner, ok := c.c.State()
	return Value{inner}, ok
}

// Items yields what APPEND, APPENDS and ADDITEMS add to the result.
func (c Result) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) { c.c.Items()(wrap(yield)) }
}

// Pairs yields the keys and values that SETITEM and SETITEMS put into the
// result, as into an OrderedDict.
func (c Result) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(k, w Value) bool) { c.c.Pairs()(wrapPairs(yield)) }
}
