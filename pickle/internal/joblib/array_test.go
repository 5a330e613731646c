// Array sizes.

package joblib

import (
	"testing"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A maker creates values as a pickle would.
type maker struct{ *heap.Heap }

func (m maker) str(s string) heap.Ref { return m.AddText(heap.KindStr, 0, []byte(s), 0, int64(len(s))) }

func (m maker) int(i int64) heap.Ref { return m.Add(heap.Node{Kind: heap.KindInt, A: uint64(i)}) }

// wrapper returns the state of a wrapper: {"shape": (...), "dtype": numpy.dtype(code)}, with the given flags in the
// state of the dtype.
func (m maker) wrapper(code string, flags int64, shape ...int64) heap.Value {
	dims := make([]heap.Ref, len(shape))
	for i, n := range shape {
		dims[i] = m.int(n)
	}
	args := m.AddTuple(heap.KindTuple, []heap.Ref{m.str(code)})
	none := heap.None
	state := m.AddTuple(heap.KindTuple, []heap.Ref{none, none, none, none, none, none, none, m.int(flags)})
	call := m.AddCall(heap.Call{Args: args, State: state, Built: true, Op: opcode.Reduce})
	dtype := m.Add(heap.Node{Kind: heap.KindCall, A: call})
	dict := heap.Node{Kind: heap.KindDict}
	m.Fill(&dict, []heap.Ref{m.str("shape"), m.AddTuple(heap.KindTuple, dims), m.str("dtype"), dtype})
	return m.Value(m.Add(dict))
}

func TestOf(t *testing.T) {
	m := maker{heap.New(nil, 0)}
	for _, k := range []struct {
		name  string
		state heap.Value
		want  Array
	}{
		{"f8: 2 x 3 x 8", m.wrapper("<f8", 0, 2, 3), Array{Bytes: 48, Known: true}},
		{"a scalar", m.wrapper("f4", 0), Array{Bytes: 4, Known: true}},
		{"nothing", m.wrapper("f4", 0, 0, 7), Array{Bytes: 0, Known: true}},
		{"U5: 4 bytes a character", m.wrapper("<U5", 0, 2), Array{Bytes: 40, Known: true}},
		{"M8 with a unit", m.wrapper("<M8[ns]", 0, 3), Array{Bytes: 24, Known: true}},
		{"fields with objects among them", m.wrapper("V16", 1, 2), Array{Bytes: 32, Objects: true, Known: true}},
		{"fields without", m.wrapper("|V16", 0, 2), Array{Bytes: 32, Known: true}},
	} {
		if got := Of(k.state); got != k.want {
			t.Errorf("%s: %+v, want %+v", k.name, got, k.want)
		}
	}
	for name, state := range map[string]heap.Value{
		"a negative shape":    m.wrapper("f8", 0, -1),
		"more than any file":  m.wrapper("f8", 0, 1<<40, 1<<40),
		"no dtype":            m.wrapper("", 0, 1),
		"a dtype without one": m.wrapper("<f", 0, 1),
		"no state":            {},
	} {
		if got := Of(state); got.Known {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Of(m.wrapper("|O", 63, 2)); !got.Objects {
		t.Errorf("of objects: %+v", got)
	}
}
