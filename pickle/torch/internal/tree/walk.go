// The walk over all saved values.

package tree

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
)

const (
	// mostParts is the maximum number of visited values. Shared values count each time, because a few bytes of pickle
	// can describe an endless structure.
	mostParts = 20_000_000

	// MostDepth is the maximum nesting depth.
	MostDepth = 200
)

// A Walker visits values and their contents without recursion. It does not enter a value inside itself.
type Walker struct {
	Looker

	// IsTensor reports whether a value is a tensor. Refuse returns the error of a file that
	// is not read.
	IsTensor func(pickle.Value) bool
	Refuse   func(format string, args ...any) error
}

// A frame is an enclosing container.
type frame struct {
	v        pickle.Value
	children []Child
	next     int
}

// Walk calls visit for each child of v, and enters the child if visit returns true. The path is relative to v.
func (w *Walker) Walk(v pickle.Value, visit func(c Child, path func() string) (enter bool, err error)) error {
	stack := []frame{{v: v, children: w.Children(v)}}
	path := func() string {
		names := make([]string, len(stack))
		for i := range stack {
			names[i] = stack[i].children[stack[i].next-1].Name
		}
		return strings.Join(names, ".")
	}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.children) {
			stack = stack[:len(stack)-1]
			continue
		}
		c := top.children[top.next]
		top.next++
		w.Parts++
		if err := w.Enough(); err != nil {
			return err
		}
		enter, err := visit(c, path)
		if err != nil {
			return err
		}
		if !enter || within(c.V, stack) {
			continue
		}
		children := w.Children(c.V)
		if len(children) > 0 && len(stack) == MostDepth {
			return w.Refuse("values are nested more than %d deep", MostDepth)
		}
		stack = append(stack, frame{v: c.V, children: children})
	}
	return nil
}

// Enough returns an error if too many values were visited.
func (w *Walker) Enough() error {
	if w.Parts > mostParts {
		return w.Refuse("the file contains more than %d values, counting shared ones each time", mostParts)
	}
	return nil
}

// within reports whether v is an enclosing container.
func within(v pickle.Value, stack []frame) bool {
	for i := range stack {
		if stack[i].v == v {
			return true
		}
	}
	return false
}

// A Tally is the number of tensors and of other leaf values.
type Tally struct{ Tensors, Values int }

// Count counts the contents of a value.
func (w *Walker) Count(v pickle.Value) (t Tally, err error) {
	if w.IsTensor(v) {
		return Tally{Tensors: 1}, nil
	}
	if len(w.Children(v)) == 0 {
		return Tally{Values: 1}, w.Enough()
	}
	err = w.Walk(v, func(c Child, _ func() string) (bool, error) {
		switch {
		case w.IsTensor(c.V):
			t.Tensors++
			return false, nil
		case !IsContainer(c.V):
			t.Values++
			return false, nil
		}
		return true, nil
	})
	return t, err
}

// IsContainer reports whether a value can have contents.
func IsContainer(v pickle.Value) bool {
	switch v.Kind() {
	case pickle.KindDict, pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet, pickle.KindCall:
		return true
	}
	return false
}
