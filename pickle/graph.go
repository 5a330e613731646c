// The graph: what loading would have built, to be looked at.

package pickle

import (
	"iter"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A Graph is what pickles would have built: values, and how they refer to each
// other. Nothing in it was imported or called. Values can contain themselves.
//
// A Graph may be read by any number of goroutines. It reads texts longer than
// 4,096 bytes from the io.ReaderAt that it was loaded from.
type Graph struct {
	Report *Report // the judgement of the same bytes
	roots  []heap.Ref
	heap   *heap.Heap
}

// Roots returns what each stream would have returned, in the order of the
// streams of the report. A stream without STOP has a value of KindUnknown.
func (g *Graph) Roots() []Value {
	roots := make([]Value, len(g.roots))
	for i, r := range g.roots {
		roots[i] = Value{g.heap.Value(r)}
	}
	return roots
}

// Persistents yields every persistent object, in the order in which the pickles
// name them. One that is named twice is two.
func (g *Graph) Persistents() iter.Seq[Value] {
	return func(yield func(Value) bool) { g.heap.Persistents()(wrap(yield)) }
}

// Results yields every call whose result a value is, in the order in which they
// would be made.
func (g *Graph) Results() iter.Seq[Result] {
	return func(yield func(Result) bool) {
		g.heap.Results()(func(c heap.Result) bool { return yield(Result{c}) })
	}
}
