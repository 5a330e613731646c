// Counting tensors and values.

package tree

import (
	"slices"

	"github.com/weightools/safetensors/pickle"
)

// A Tally is the number of tensors and of other leaf values.
type Tally struct{ Tensors, Values int }

// add adds the contents of a container.
func (t *Tally) add(o Tally) { t.Tensors, t.Values = t.Tensors+o.Tensors, t.Values+o.Values }

// A sum is a container that is being counted.
type sum struct {
	frame
	Tally
	began int // Parts before it
	cycle int // the index in the stack of the outermost container that is part of it and contains it, or noCycle
}

const noCycle = MostDepth

// Count counts the contents of a value. It visits a shared container once, except for small ones.
func (w *Walker) Count(v pickle.Value) (Tally, error) {
	if t, ok := w.known(v); ok {
		return t, nil
	}
	stack := []sum{{frame: frame{v: v, children: w.Children(v)}, cycle: noCycle}}
	if len(stack[0].children) == 0 {
		return Tally{Values: 1}, w.Enough()
	}
	for {
		at := len(stack) - 1
		top := &stack[at]
		if top.Tensors+top.Values > MostValues {
			return Tally{}, w.TooMany(MostValues)
		}
		if top.next == len(top.children) {
			w.remember(top, at)
			if at == 0 {
				return top.Tally, nil
			}
			stack[at-1].add(top.Tally)
			stack[at-1].cycle = min(stack[at-1].cycle, top.cycle)
			stack = stack[:at]
			continue
		}
		c := top.children[top.next]
		top.next++
		w.Parts++
		if err := w.Enough(); err != nil {
			return Tally{}, err
		}
		if t, ok := w.known(c.V); ok {
			top.add(t)
			continue
		}
		if i := slices.IndexFunc(stack, func(s sum) bool { return s.v == c.V }); i >= 0 {
			top.cycle = min(top.cycle, i)
			continue
		}
		began, children := w.Parts, w.Children(c.V)
		if err := w.deeper(len(stack), children); err != nil {
			return Tally{}, err
		}
		stack = append(stack, sum{frame: frame{v: c.V, children: children}, began: began, cycle: noCycle})
	}
}

// known returns the tally of a value that need not be entered.
func (w *Walker) known(v pickle.Value) (t Tally, ok bool) {
	switch {
	case w.IsTensor(v):
		return Tally{Tensors: 1}, true
	case !IsContainer(v):
		return Tally{Values: 1}, true
	}
	t, ok = w.counted[v]
	return t, ok
}

// remember keeps the tally of a container, unless it is part of a cycle: that tally depends on the enclosing containers.
func (w *Walker) remember(s *sum, at int) {
	if s.cycle <= at || w.Parts-s.began <= fewSteps {
		return
	}
	if w.counted == nil {
		w.counted = make(map[pickle.Value]Tally)
	}
	w.counted[s.v] = s.Tally
}
