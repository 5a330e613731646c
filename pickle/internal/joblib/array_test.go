// Array sizes.

package joblib

import (
	"reflect"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A maker creates values as a pickle would.
type maker struct{ *heap.Heap }

func (m maker) str(s string) heap.Ref { return m.AddText(heap.KindStr, 0, []byte(s), 0, int64(len(s))) }

func (m maker) int(i int64) heap.Ref { return m.Add(heap.Node{Kind: heap.KindInt, A: uint64(i)}) }

func (m maker) tuple(shape ...int64) heap.Ref {
	dims := make([]heap.Ref, len(shape))
	for i, n := range shape {
		dims[i] = m.int(n)
	}
	return m.AddTuple(heap.KindTuple, dims)
}

func (m maker) dict(items ...heap.Ref) heap.Value {
	dict := heap.Node{Kind: heap.KindDict}
	m.Fill(&dict, items)
	return m.Value(m.Add(dict))
}

// known takes strings for dtypes.
func known(v heap.Value) *dtype.Dtype {
	s, _ := v.Str()
	return dtype.Parse(s)
}

func TestOf(t *testing.T) {
	m := maker{heap.New(nil, 0)}
	shape, code, mapped, aligned := m.str("shape"), m.str("dtype"), m.str("allow_mmap"), m.str("numpy_array_alignment_bytes")
	wrapper := func(c string, dims ...int64) heap.Value { return m.dict(shape, m.tuple(dims...), code, m.str(c)) }
	for _, k := range []struct {
		name  string
		state heap.Value
		want  Array
	}{
		{"f8: 2 x 3 x 8", wrapper("<f8", 2, 3), Array{Bytes: 48, Known: true}},
		{"a scalar", wrapper("f4"), Array{Bytes: 4, Known: true}},
		{"nothing", wrapper("f4", 0, 7), Array{Bytes: 0, Known: true}},
		{"U5: 4 bytes a character", wrapper("<U5", 2), Array{Bytes: 40, Known: true}},
		{"objects", wrapper("O8", 2), Array{Bytes: 16, Objects: true, Known: true}},
		{"what may be mapped", m.dict(shape, m.tuple(2), code, m.str("u1"), mapped, heap.True),
			Array{Bytes: 2, Mapped: true, Known: true}},
		{"what may not", m.dict(shape, m.tuple(2), code, m.str("u1"), mapped, heap.False), Array{Bytes: 2, Known: true}},
		{"aligned", m.dict(shape, m.tuple(2), code, m.str("u1"), aligned, m.int(16)),
			Array{Bytes: 2, Aligned: true, Known: true}},
		{"not aligned", m.dict(shape, m.tuple(2), code, m.str("u1"), aligned, heap.None), Array{Bytes: 2, Known: true}},
	} {
		got := Of(k.state, known)
		got.Dtype, got.Shape = nil, nil
		if !reflect.DeepEqual(got, k.want) {
			t.Errorf("%s: %+v, want %+v", k.name, got, k.want)
		}
	}
	list := heap.Node{Kind: heap.KindList}
	m.Fill(&list, []heap.Ref{m.int(2)})
	for name, state := range map[string]heap.Value{
		"a negative shape":   wrapper("f8", -1),
		"more than any file": wrapper("f8", 1<<40, 1<<40),
		"elements of none":   wrapper("S0", 3),
		"an unknown dtype":   wrapper("i4,O", 1),
		"no dtype":           m.dict(shape, m.tuple(1)),
		"no shape":           m.dict(code, m.str("u1")),
		"a shape twice":      m.dict(shape, m.tuple(1), code, m.str("u1"), shape, m.tuple(2)),
		"a shape in a list":  m.dict(shape, m.Add(list), code, m.str("u1")),
		"a shape of a bool":  m.dict(shape, m.AddTuple(heap.KindTuple, []heap.Ref{heap.True}), code, m.str("u1")),
		"a shape in bytes":   m.dict(shape, m.str("\x01"), code, m.str("u1")),
		"a tuple of states":  m.Value(m.AddTuple(heap.KindTuple, []heap.Ref{wrapper("u1", 1).Ref, wrapper("u1", 2).Ref})),
		"no state":           {},
	} {
		if got := Of(state, known); got.Known {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
