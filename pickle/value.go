// Values: what loading would have built, to be looked at.

package pickle

import (
	"bytes"
	"io"
	"iter"
	"math"
	"math/big"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
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

var kindNames = [...]string{"unknown", "None", "bool", "int", "float", "str", "bytes", "bytearray", "tuple", "list",
	"dict", "set", "frozenset", "global", "call", "persistent", "buffer"}

// String returns the kind's name, that of the type in Python if there is one.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Graph is what pickles would have built: values, and how they refer to each
// other. Nothing in it was imported or called. Values can contain themselves.
//
// A Graph may be read by any number of goroutines. It reads texts longer than
// 4,096 bytes from the io.ReaderAt that it was loaded from.
type Graph struct {
	Report *Report // the judgement of the same bytes
	roots  []ref
	arena  *arena
}

// Roots returns what each stream would have returned, in the order of the
// streams of the report. A stream without STOP has a value of KindUnknown.
func (g *Graph) Roots() []Value {
	roots := make([]Value, len(g.roots))
	for i, r := range g.roots {
		roots[i] = Value{g.arena, r}
	}
	return roots
}

// A Value is one object of a Graph. Two values are == if and only if they would
// be the same object, but for None, bool, small ints and (), of which there is
// one each. The zero Value is of KindUnknown.
type Value struct {
	a *arena
	r ref
}

var unknownNode node

// node returns the node of v, which is not to be changed.
func (v Value) node() *node {
	if v.a == nil {
		return &unknownNode
	}
	return v.a.at(v.r)
}

// Kind returns what kind of thing v is.
func (v Value) Kind() Kind { return v.node().kind }

// IsNone is whether v is None.
func (v Value) IsNone() bool { return v.Kind() == KindNone }

// Bool returns the bool that v is; ok is false if it is none.
func (v Value) Bool() (b, ok bool) {
	n := v.node()
	return n.a != 0, n.kind == KindBool
}

// Int returns the int that v is; ok is false if it is none, a bool for example,
// or does not fit.
func (v Value) Int() (i int64, ok bool) {
	n := v.node()
	if n.kind != KindInt || n.flags&(flagText|flagLE) != 0 {
		return 0, false
	}
	return int64(n.a), true
}

// BigInt returns the int that v is, of any size up to 4,096 bytes; nil if it is
// none, or is larger.
func (v Value) BigInt() *big.Int {
	n := v.node()
	if n.kind != KindInt {
		return nil
	}
	if n.flags&(flagText|flagLE) == 0 {
		return big.NewInt(int64(n.a))
	}
	s, ok := v.a.string(n)
	if !ok {
		return nil
	}
	if n.flags&flagText != 0 {
		i, ok := new(big.Int).SetString(s, 0)
		if !ok {
			return nil
		}
		return i
	}
	return opcode.TwosComplement([]byte(s))
}

// Float returns the float that v is; ok is false if it is none.
func (v Value) Float() (f float64, ok bool) {
	n := v.node()
	return math.Float64frombits(n.a), n.kind == KindFloat
}

// Str returns the str that v is, as UTF-8 in which surrogates are encoded as if
// they were characters; a str of Python 2 is as its bytes are. ok is false if v
// is no str, or is longer than 4,096 bytes: see Data.
func (v Value) Str() (s string, ok bool) {
	n := v.node()
	if n.kind != KindStr {
		return "", false
	}
	return v.a.string(n)
}

// Data returns what is in a str, bytes or bytearray, of any length; nil if v is
// none.
func (v Value) Data() *io.SectionReader {
	n := v.node()
	switch n.kind {
	case KindStr, KindBytes, KindByteArray:
	default:
		return nil
	}
	if n.flags&flagSpan != 0 {
		s := v.a.spans[n.a]
		return io.NewSectionReader(v.a.r, s.off, s.size)
	}
	return io.NewSectionReader(strings.NewReader(v.a.textAt(n.a, n.n)), 0, int64(n.n))
}

// Bytes returns the bytes or bytearray that v is, or the bytes of a str; ok is
// false if it is none of them, or longer than 4,096 bytes: see Data.
func (v Value) Bytes() (b []byte, ok bool) {
	n := v.node()
	switch n.kind {
	case KindStr, KindBytes, KindByteArray:
		s, ok := v.a.string(n)
		return bytes.Clone([]byte(s)), ok
	}
	return nil, false
}

// Len returns how many items are in a tuple, list or set, how many entries in a
// dict, how many bytes in a text; 0 for anything else. Entries of one key, and
// equal items of a set, are counted as often as they are put in.
func (v Value) Len() int64 {
	switch n := v.node(); {
	case n.kind == KindDict:
		return int64(n.n / 2)
	case n.flags&flagSpan != 0:
		return v.a.spans[n.a].size
	case n.kind == KindInt || n.kind == KindFloat:
		return 0
	default:
		return int64(n.n)
	}
}

// Items yields what is in a tuple, list, set or frozenset; nothing of anything
// else.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		switch v.Kind() {
		case KindTuple, KindList, KindSet, KindFrozenSet:
			v.a.each(v.r, v.items(yield))
		}
	}
}

// items makes a function of values a function of runs of items.
func (v Value) items(yield func(Value) bool) func([]ref) bool {
	return func(run []ref) bool {
		for _, r := range run {
			if !yield(Value{v.a, r}) {
				return false
			}
		}
		return true
	}
}

// Item returns item i of a tuple; of anything else, and where there is none, it
// returns the zero Value.
func (v Value) Item(i int) Value {
	n := v.node()
	if n.kind != KindTuple || i < 0 || i >= int(n.n) {
		return Value{}
	}
	return Value{v.a, v.a.itemsAt(n.a, int(n.n))[i]}
}

// Pairs yields the keys and values of a dict in the order in which they are put
// in; nothing of anything else. A key can occur more than once: the last counts.
func (v Value) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if n := v.node(); n.kind == KindDict {
			v.a.runs(n.a, v.pairs(yield))
		}
	}
}

// pairs makes a function of pairs a function of runs of items.
func (v Value) pairs(yield func(k, w Value) bool) func([]ref) bool {
	return func(run []ref) bool {
		for i := 0; i+1 < len(run); i += 2 {
			if !yield(Value{v.a, run[i]}, Value{v.a, run[i+1]}) {
				return false
			}
		}
		return true
	}
}
