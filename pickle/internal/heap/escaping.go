// Values that are used other than by calling them.

package heap

import "iter"

// Escaping yields the watched values that a value from first on contains, except as what a call calls. It yields them
// as often as they occur.
func Escaping[T any](a *Heap, first Ref, watched map[Ref]T) iter.Seq[T] {
	return func(yield func(T) bool) {
		going := true
		for r := first; int(r) < a.Size() && going; r++ {
			if k := a.At(r).Kind; k < KindTuple || k == KindGlobal {
				continue
			}
			a.Each(r, func(run []Ref) bool {
				for _, item := range run {
					if w, ok := watched[item]; ok && going && !a.callsOnly(r, item) {
						going = yield(w)
					}
				}
				return going
			})
		}
	}
}

// callsOnly reports whether r is a call of callee that contains it nowhere else.
func (a *Heap) callsOnly(r, callee Ref) bool {
	n := a.At(r)
	if n.Kind != KindCall {
		return false
	}
	c := a.CallAt(n.A)
	return c.Callee == callee && c.Args != callee && c.Kwargs != callee && c.State != callee
}
