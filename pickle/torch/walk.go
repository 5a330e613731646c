// The walk over all saved values.

package torch

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

const (
	// mostParts is the maximum number of visited values. Shared values count each time, because a few bytes of pickle
	// can describe an endless structure.
	mostParts = 20_000_000

	// mostDepth is the maximum nesting depth.
	mostDepth = 200
)

// A walker visits values and their contents without recursion. It does not enter a value inside itself.
type walker struct {
	*builder
	looker
}

// A frame is an enclosing container.
type frame struct {
	v        pickle.Value
	children []child
	next     int
}

// walk calls visit for each child of v, and enters the child if visit returns true. The path is relative to v.
func (w *walker) walk(v pickle.Value, visit func(c child, path func() string) (enter bool, err error)) error {
	stack := []frame{{v: v, children: w.children(v)}}
	path := func() string {
		names := make([]string, len(stack))
		for i := range stack {
			names[i] = stack[i].children[stack[i].next-1].name
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
		w.parts++
		if err := w.enough(); err != nil {
			return err
		}
		enter, err := visit(c, path)
		if err != nil {
			return err
		}
		if !enter || within(c.v, stack) {
			continue
		}
		children := w.children(c.v)
		if len(children) > 0 && len(stack) == mostDepth {
			return refuse("values are nested more than %d deep", mostDepth)
		}
		stack = append(stack, frame{v: c.v, children: children})
	}
	return nil
}

// enough returns an error if too many values were visited.
func (w *walker) enough() error {
	if w.parts > mostParts {
		return refuse("the file contains more than %d values, counting shared ones each time", mostParts)
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

// A tally is the number of tensors and of other leaf values.
type tally struct{ tensors, values int }

// count counts the contents of a value.
func (w *walker) count(v pickle.Value) (t tally, err error) {
	if w.isTensor(v) {
		return tally{tensors: 1}, nil
	}
	if len(w.children(v)) == 0 {
		return tally{values: 1}, w.enough()
	}
	err = w.walk(v, func(c child, _ func() string) (bool, error) {
		switch {
		case w.isTensor(c.v):
			t.tensors++
			return false, nil
		case !isContainer(c.v):
			t.values++
			return false, nil
		}
		return true, nil
	})
	return t, err
}

// isContainer reports whether a value can have contents.
func isContainer(v pickle.Value) bool {
	switch v.Kind() {
	case pickle.KindDict, pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet, pickle.KindCall:
		return true
	}
	return false
}

// skipped describes a skipped value.
func skipped(path string, v pickle.Value, t tally) Skipped {
	s := Skipped{Path: path, Tensors: t.tensors, Values: t.values}
	switch {
	case t.tensors == 0 && (t.values <= 1 || v.Kind() == pickle.KindCall):
		s.What = whatIs(v)
	case t.tensors == 0:
		s.What = wording.Count(t.values, "value")
	case t.values == 0:
		s.What = wording.Count(t.tensors, "tensor")
	default:
		s.What = fmt.Sprintf("%s and %s", wording.Count(t.tensors, "tensor"), wording.Count(t.values, "other value"))
	}
	return s
}
