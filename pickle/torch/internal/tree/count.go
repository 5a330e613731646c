// Counting tensors and values.

package tree

import (
	"slices"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A Tally is the number of tensors and of other leaf values.
type Tally struct{ Tensors, Values int }

// add adds the contents of a container.
func (t *Tally) add(o Tally) { t.Tensors, t.Values = t.Tensors+o.Tensors, t.Values+o.Values }

// What describes a value with these contents.
func (t Tally) What(v pickle.Value) string {
	switch {
	case t.Tensors == 0 && (t.Values <= 1 || v.Kind() == pickle.KindCall):
		return WhatIs(v)
	case t.Tensors == 0:
		return wording.Count(t.Values, "value")
	case t.Values == 0:
		return wording.Count(t.Tensors, "tensor")
	}
	return wording.Count(t.Tensors, "tensor") + " and " + wording.Count(t.Values, "other value")
}

// A sum is a container that is being counted.
type sum struct {
	v       pickle.Value
	pending []pickle.Value // containers in it that are not counted yet
	Tally
	began int // Parts before it
	cycle int // the index in the stack of the outermost container that is part of it and contains it, or noCycle
}

const noCycle = MostDepth

// fewChildren is the number of children up to which a duplicate key counts once.
const fewChildren = 1 << 14

// Count counts the contents of a value. It visits a shared container once, except for small ones.
func (w *Walker) Count(v pickle.Value) (Tally, error) {
	if t, ok := w.known(v); ok {
		return t, nil
	}
	stack := []sum{{v: v, cycle: noCycle}}
	if leaf, err := w.open(&stack[0]); leaf || err != nil {
		return Tally{Values: 1}, err
	}
	for {
		at := len(stack) - 1
		top := &stack[at]
		if top.Tensors+top.Values > MostValues {
			return Tally{}, w.TooMany(MostValues)
		}
		n := len(top.pending) - 1
		if n < 0 {
			w.remember(top, at)
			if at == 0 {
				return top.Tally, nil
			}
			stack[at-1].add(top.Tally)
			stack[at-1].cycle = min(stack[at-1].cycle, top.cycle)
			stack = stack[:at]
			continue
		}
		v := top.pending[n]
		top.pending = top.pending[:n]
		w.Parts++
		if err := w.Enough(); err != nil {
			return Tally{}, err
		}
		if t, ok := w.known(v); ok {
			top.add(t)
			continue
		}
		if i := slices.IndexFunc(stack, func(s sum) bool { return s.v == v }); i >= 0 {
			top.cycle = min(top.cycle, i)
			continue
		}
		inner := sum{v: v, began: w.Parts, cycle: noCycle}
		leaf, err := w.open(&inner)
		switch {
		case err != nil:
			return Tally{}, err
		case leaf:
			top.Values++
			continue
		case len(stack) == MostDepth:
			return Tally{}, w.TooDeep()
		}
		stack = append(stack, inner)
	}
}

// open counts the values in a container that have no contents, and lists the others. It reports whether there are none.
func (w *Walker) open(s *sum) (leaf bool, err error) {
	const most = 1 << 20 // containers that are pending
	n := 0
	count := func(v pickle.Value) bool {
		n++
		if t, ok := w.known(v); ok {
			s.add(t)
		} else {
			s.pending = append(s.pending, v)
		}
		return w.Parts <= w.Most && len(s.pending) <= most
	}
	w.Few = fewChildren
	children := w.Children(s.v)
	w.Few = 0
	if w.Over {
		w.each(s.v, count)
	} else {
		for _, c := range children {
			w.Parts++
			count(c.V)
		}
	}
	if len(s.pending) > most {
		return false, w.TooMany(most)
	}
	return n == 0, w.Enough()
}

// known returns the tally of a value that need not be entered.
func (w *Walker) known(v pickle.Value) (t Tally, ok bool) {
	switch {
	case w.IsTensor(v):
		return Tally{Tensors: 1}, true
	case !isContainer(v):
		return Tally{Values: 1}, true
	}
	t, ok = w.counted[v]
	return t, ok
}

// remember keeps the tally of a container, unless it is part of a cycle: that tally depends on the enclosing
// containers.
func (w *Walker) remember(s *sum, at int) {
	if s.cycle <= at || w.Parts-s.began <= fewSteps {
		return
	}
	if w.counted == nil {
		w.counted = make(map[pickle.Value]Tally)
	}
	w.counted[s.v] = s.Tally
}
