// Values are stored completely and in order.

package heap

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestItems fills several lists alternately, which splits and joins their runs, with sizes around that of a page.
func TestItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	h := New(nil, 0)
	for range 2 {
		var lists [5]Node
		var want [5][]Ref
		for range 300 {
			i := r.IntN(len(lists))
			items := make([]Ref, r.IntN(1<<r.IntN(14)))
			for j := range items {
				items[j] = Int0 + Ref(r.IntN(256))
			}
			lists[i].Kind = KindList
			h.Fill(&lists[i], items)
			want[i] = append(want[i], items...)
		}
		for i := range lists {
			v := h.Value(h.Add(lists[i]))
			var got []Ref
			for item := range v.Items() {
				got = append(got, item.Ref)
			}
			if !slices.Equal(got, want[i]) || v.Len() != int64(len(want[i])) {
				t.Errorf("list %d has %d items, Len says %d, want %d", i, len(got), v.Len(), len(want[i]))
			}
		}
		h.Reset()
	}
}

func TestTexts(t *testing.T) {
	file := strings.Repeat("a long text ", 1000)
	h := New(strings.NewReader(file), int64(len(file)))
	short := h.Value(h.AddText(KindStr, 0, []byte("abc"), 0, 3))
	long := h.Value(h.AddText(KindStr, 0, []byte(file[:10]), 2, 4000))
	if s, ok := short.Str(); s != "abc" || !ok {
		t.Errorf("%q, %v", s, ok)
	}
	if s, ok := long.Str(); ok || long.Len() != 4000 {
		t.Errorf("%q of %d bytes", s, long.Len())
	}
	b := make([]byte, 4000)
	if _, err := long.Data().ReadAt(b, 0); err != nil || string(b) != file[2:4002] {
		t.Errorf("%v: %.20q", err, b)
	}
}

// TestDepth nests tuples. The depth of a tuple is one more than that of its deepest item.
func TestDepth(t *testing.T) {
	h := New(nil, 0)
	r := EmptyTuple
	for range 1000 {
		r = h.AddTuple(KindTuple, []Ref{None, r, Int0})
	}
	if d := h.At(r).Depth; d != 1000 {
		t.Errorf("depth %d, want 1000", d)
	}
	if h.AddTuple(KindTuple, nil) != EmptyTuple {
		t.Error("() is not one object")
	}
}
