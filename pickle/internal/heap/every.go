// Iterators over all persistent objects, dicts and calls.

package heap

import "iter"

// Persistents yields all persistent objects in the order in which they were added.
func (a *Heap) Persistents() iter.Seq[Value] { return a.ofKind(KindPersistent) }

// Dicts yields all dicts in the order in which they were added.
func (a *Heap) Dicts() iter.Seq[Value] { return a.ofKind(KindDict) }

// ofKind yields all values of a kind in the order in which they were added.
func (a *Heap) ofKind(k Kind) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for r := range Ref(a.count) {
			if a.At(r).Kind == k && !yield(Value{a, r}) {
				return
			}
		}
	}
}

// Results yields all calls in the order in which they were added.
func (a *Heap) Results() iter.Seq[Result] {
	return func(yield func(Result) bool) {
		for i := range a.called {
			if !yield(Result{a, a.CallAt(uint64(i))}) {
				return
			}
		}
	}
}
