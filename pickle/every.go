// Every object that the loader is to find, and every call, without a walk.

package pickle

import "iter"

// Persistents yields every persistent object, in the order in which the pickles
// name them. One that is named twice is two.
func (g *Graph) Persistents() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for r := range ref(g.arena.count) {
			if g.arena.at(r).kind == KindPersistent && !yield(Value{g.arena, r}) {
				return
			}
		}
	}
}

// Results yields every call whose result a value is, in the order in which they
// would be made.
func (g *Graph) Results() iter.Seq[Result] {
	return func(yield func(Result) bool) {
		for i := range g.arena.called {
			if !yield(Result{g.arena, g.arena.callAt(uint64(i))}) {
				return
			}
		}
	}
}
