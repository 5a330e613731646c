// Value: read access to nodes.

package heap

import (
	"bytes"
	"io"
	"iter"
	"math"
	"math/big"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Value is one object of a pickle. Two values are == if and only if they would be the same object; None, bool, small
// ints and () exist once each. The zero Value is of KindUnknown.
type Value struct {
	a   *Heap
	Ref Ref
}

// A Look charges for reading the contents of a value, and returns it.
type Look func(Value) Value

var unknownNode Node

// node returns the node of v. Callers must not change it.
func (v Value) node() *Node {
	if v.a == nil {
		return &unknownNode
	}
	return v.a.At(v.Ref)
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.node().Kind }

// IsNone reports whether v is None.
func (v Value) IsNone() bool { return v.Kind() == KindNone }

// Bool returns the bool; ok is false if v is not a bool.
func (v Value) Bool() (b, ok bool) {
	n := v.node()
	return n.A != 0, n.Kind == KindBool
}

// Int returns the int; ok is false if v is not an int (a bool is not) or does not fit.
func (v Value) Int() (i int64, ok bool) {
	n := v.node()
	if n.Kind != KindInt || n.Flags&(flagText|LittleEndian) != 0 {
		return 0, false
	}
	return int64(n.A), true
}

// BigInt returns an int of up to 4,096 bytes; it returns nil if v is not an int or is larger.
func (v Value) BigInt() *big.Int {
	n := v.node()
	if n.Kind != KindInt {
		return nil
	}
	if n.Flags&(flagText|LittleEndian) == 0 {
		return big.NewInt(int64(n.A))
	}
	s, ok := v.a.string(n)
	if !ok {
		return nil
	}
	if n.Flags&flagText != 0 {
		i, ok := new(big.Int).SetString(s, 0)
		if !ok {
			return nil
		}
		return i
	}
	return opcode.TwosComplement([]byte(s))
}

// Float returns the float; ok is false if v is not a float.
func (v Value) Float() (f float64, ok bool) {
	n := v.node()
	return math.Float64frombits(n.A), n.Kind == KindFloat
}

// Str returns the str in UTF-8, with surrogates encoded like other characters; a Python 2 str is returned as its bytes.
// ok is false if v is not a str or is longer than 4,096 bytes; use Data for those.
func (v Value) Str() (s string, ok bool) {
	n := v.node()
	if n.Kind != KindStr {
		return "", false
	}
	return v.a.string(n)
}

// Data returns the contents of a str, bytes or bytearray of any length; it returns nil for other kinds.
func (v Value) Data() *io.SectionReader {
	n := v.node()
	switch n.Kind {
	case KindStr, KindBytes, KindByteArray:
	default:
		return nil
	}
	if n.Flags&flagSpan != 0 {
		s := v.a.spans[n.A]
		return io.NewSectionReader(v.a.r, s.off, s.size)
	}
	return io.NewSectionReader(strings.NewReader(v.a.textAt(n.A, n.N)), 0, int64(n.N))
}

// Line reports whether v is a str whose Data is a line with escapes, and whether the line is quoted.
func (v Value) Line() (is, quoted bool) {
	n := v.node()
	return n.Kind == KindStr && n.Flags&Escaped != 0, n.Flags&Bytes8 != 0
}

// Bytes returns the bytes of a bytes, bytearray or str; ok is false for other kinds and for more than 4,096 bytes; use
// Data for those.
func (v Value) Bytes() (b []byte, ok bool) {
	n := v.node()
	switch n.Kind {
	case KindStr, KindBytes, KindByteArray:
		s, ok := v.a.string(n)
		return bytes.Clone([]byte(s)), ok
	}
	return nil, false
}

// Len returns the number of items in a tuple, list or set, the number of entries in a dict, or the number of bytes in a
// text; it returns 0 for other kinds. Duplicate keys and duplicate set items count each time they are added.
func (v Value) Len() int64 {
	switch n := v.node(); {
	case n.Kind == KindDict:
		return int64(n.N / 2)
	case n.Flags&flagSpan != 0:
		return v.a.spans[n.A].size
	case n.Kind == KindInt || n.Kind == KindFloat:
		return 0
	default:
		return int64(n.N)
	}
}

// Items yields the items of a tuple, list, set or frozenset.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		switch v.Kind() {
		case KindTuple, KindList, KindSet, KindFrozenSet:
			v.a.Each(v.Ref, v.items(yield))
		}
	}
}

// items adapts a function of values to runs of items.
func (v Value) items(yield func(Value) bool) func([]Ref) bool {
	return func(run []Ref) bool {
		for _, r := range run {
			if !yield(Value{v.a, r}) {
				return false
			}
		}
		return true
	}
}

// Item returns item i of a tuple. It returns the zero Value for other kinds and for an index out of range.
func (v Value) Item(i int) Value {
	n := v.node()
	if n.Kind != KindTuple || i < 0 || i >= int(n.N) {
		return Value{}
	}
	return Value{v.a, v.a.itemsAt(n.A, int(n.N))[i]}
}

// Pairs yields the keys and values of a dict in insertion order. A key can occur more than once; the last one counts.
func (v Value) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if n := v.node(); n.Kind == KindDict {
			v.a.runs(n.A, v.pairs(yield))
		}
	}
}

// pairs adapts a function of key-value pairs to runs of items.
func (v Value) pairs(yield func(k, w Value) bool) func([]Ref) bool {
	return func(run []Ref) bool {
		for i := 0; i+1 < len(run); i += 2 {
			if !yield(Value{v.a, run[i]}, Value{v.a, run[i+1]}) {
				return false
			}
		}
		return true
	}
}

// Value returns the value of a node.
func (a *Heap) Value(r Ref) Value { return Value{a, r} }
