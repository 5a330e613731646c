// The graph of values that loading would create.

package pickle

import (
	"iter"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A Graph holds the values that pickles would create. Nothing in it was imported or called. Values can contain
// themselves.
//
// A Graph is safe for concurrent use. It reads strings longer than 4,096 bytes from the io.ReaderAt it was loaded from.
type Graph struct {
	Report *Report // the report on the same data
	roots  []heap.Ref
	heap   *heap.Heap
}

// Roots returns the result of each stream, in the order of Report.Streams. A stream without STOP has a result of
// KindUnknown.
func (g *Graph) Roots() []Value {
	roots := make([]Value, len(g.roots))
	for i, r := range g.roots {
		roots[i] = Value{g.heap.Value(r)}
	}
	return roots
}

// Persistents yields all persistent objects in the order in which the pickles refer to them. Each reference is a
// separate value.
func (g *Graph) Persistents() iter.Seq[Value] {
	return func(yield func(Value) bool) { g.heap.Persistents()(wrap(yield)) }
}

// Results yields all calls in the order in which a loader would make them.
func (g *Graph) Results() iter.Seq[Result] {
	return func(yield func(Result) bool) {
		g.heap.Results()(func(c heap.Result) bool { return yield(Result{c}) })
	}
}

// Mappings yields the pairs of each dict, and those that were added to the result of each call, such as an
// OrderedDict.
func (g *Graph) Mappings() iter.Seq[iter.Seq2[Value, Value]] {
	return func(yield func(iter.Seq2[Value, Value]) bool) {
		for v := range g.heap.Dicts() {
			if !yield(Value{v}.Pairs()) {
				return
			}
		}
		for c := range g.Results() {
			if !yield(c.Pairs()) {
				return
			}
		}
	}
}
