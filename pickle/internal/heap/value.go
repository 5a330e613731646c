// Values: nodes of the heap, to be looked at.

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

// A Value is one object of a Graph. Two values are == if and only if they would
// be the same object, but for None, bool, small ints and (), of which there is
// one each. The zero Value is of KindUnknown.
type Value struct {
	a   *Heap
	Ref Ref
}

var unknownNode Node

// node returns the node of v, which is not to be changed.
func (v Value) node() *Node {
	if v.a == nil {
		return &unknownNode
	}
	return v.a.At(v.Ref)
}

// Kind returns what kind of thing v is.
func (v Value) Kind() Kind { return v.node().Kind }

// IsNone is whether v is None.
func (v Value) IsNone() bool { return v.Kind() == KindNone }

// Bool returns the bool that v is; ok is false if it is none.
func (v Value) Bool() (b, ok bool) {
	n := v.node()
	return n.A != 0, n.Kind == KindBool
}

// Int returns the int that v is; ok is false if it is none, a bool for example,
// or does not fit.
func (v Value) Int() (i int64, ok bool) {
	n := v.node()
	if n.Kind != KindInt || n.Flags&(flagText|LittleEndian) != 0 {
		return 0, false
	}
	return int64(n.A), true
}

// BigInt returns the int that v is, of any size up to 4,096 bytes; nil if it is
// none, or is larger.
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

// Float returns the float that v is; ok is false if it is none.
func (v Value) Float() (f float64, ok bool) {
	n := v.node()
	return math.Float64frombits(n.A), n.Kind == KindFloat
}

// Str returns the str that v is, as UTF-8 in which surrogates are encoded as if
// they were characters; a str of Python 2 is as its bytes are. ok is false if v
// is no str, or is longer than 4,096 bytes: see Data.
func (v Value) Str() (s string, ok bool) {
	n := v.node()
	if n.Kind != KindStr {
		return "", false
	}
	return v.a.string(n)
}

// Data returns what is in a str, bytes or bytearray, of any length; nil if v is
// none.
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

// Bytes returns the bytes or bytearray that v is, or the bytes of a str; ok is
// false if it is none of them, or longer than 4,096 bytes: see Data.
func (v Value) Bytes() (b []byte, ok bool) {
	n := v.node()
	switch n.Kind {
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

// Items yields what is in a tuple, list, set or frozenset; nothing of anything
// else.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		switch v.Kind() {
		case KindTuple, KindList, KindSet, KindFrozenSet:
			v.a.Each(v.Ref, v.items(yield))
		}
	}
}

// items makes a function of values a function of runs of items.
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

// Item returns item i of a tuple; of anything else, and where there is none, it
// returns the zero Value.
func (v Value) Item(i int) Value {
	n := v.node()
	if n.Kind != KindTuple || i < 0 || i >= int(n.N) {
		return Value{}
	}
	return Value{v.a, v.a.itemsAt(n.A, int(n.N))[i]}
}

// Pairs yields the keys and values of a dict in the order in which they are put
// in; nothing of anything else. A key can occur more than once: the last counts.
func (v Value) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if n := v.node(); n.Kind == KindDict {
			v.a.runs(n.A, v.pairs(yield))
		}
	}
}

// pairs makes a function of pairs a function of runs of items.
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
