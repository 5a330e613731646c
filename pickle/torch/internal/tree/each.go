// The contents of large values, without their names.

package tree

import (
	"iter"

	"github.com/weightools/safetensors/pickle"
)

// each calls yield with the contents of a value until it returns false. Of a key that a dict has twice, it yields both
// values. It takes no memory, regardless of the size of the value.
func (l *Looker) each(v pickle.Value, yield func(pickle.Value) bool) {
	y := &yielder{Looker: l, yield: yield}
	c, called := v.Called()
	if !called {
		y.container(v)
		return
	}
	switch first := c.Args().Item(0); {
	case isTagged(c), IsSequence(c):
		y.container(first)
	case isMapping(c) && first.Kind() != pickle.KindDict:
		y.values(l.pairsIn(first))
	case isMapping(c):
		y.container(first)
	default:
		y.container(c.Args())
	}
	if kwargs, ok := c.Kwargs(); ok {
		y.container(kwargs)
	}
	y.items(c.Items())
	y.values(c.Pairs())
	state, _ := c.State()
	if state.Kind() == pickle.KindTuple && state.Len() == 2 && state.Item(1).Kind() == pickle.KindDict {
		y.container(state.Item(0))
		state = state.Item(1)
	}
	if state.Kind() == pickle.KindDict {
		y.container(state)
	} else if state.Kind() != pickle.KindUnknown && !state.IsNone() {
		y.one(state)
	}
}

// A yielder calls yield until it returns false.
type yielder struct {
	*Looker
	yield func(pickle.Value) bool
	done  bool
}

func (y *yielder) one(v pickle.Value) bool {
	y.Parts++
	y.done = y.done || !y.yield(v)
	return !y.done
}

// container yields the items of a list, or the values of a dict.
func (y *yielder) container(v pickle.Value) {
	y.items(v.Items())
	y.values(v.Pairs())
}

func (y *yielder) items(list iter.Seq[pickle.Value]) {
	if !y.done {
		list(y.one)
	}
}

func (y *yielder) values(pairs iter.Seq2[pickle.Value, pickle.Value]) {
	if !y.done {
		pairs(func(_, v pickle.Value) bool { return y.one(v) })
	}
}
