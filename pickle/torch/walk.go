// The walk: through all that was saved, to the tensors.

package torch

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

const (
	// mostParts is how many values are looked at. A value that is in several others counts
	// as often: few pickles of a few bytes could be endless otherwise.
	mostParts = 20_000_000

	// mostDepth is how deep values may be in each other.
	mostDepth = 200
)

// A walker goes through values and what is in them. It does not recurse, and a value that
// contains itself is not entered again.
type walker struct {
	*builder
	looker
}

// A frame is a container on the way to a value.
type frame struct {
	v        pickle.Value
	children []child
	next     int
}

// walk calls visit for each child of v and, if visit says so, for what is in it. The
// path is that of the child from v.
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
			return refuse("its values are more than %d deep in each other", mostDepth)
		}
		stack = append(stack, frame{v: c.v, children: children})
	}
	return nil
}

// enough refuses to look at more.
func (w *walker) enough() error {
	if w.parts > mostParts {
		return refuse("more than %d values are in it, counted as often as they are met", mostParts)
	}
	return nil
}

// within says whether v is one of the containers that are on the way.
func within(v pickle.Value, stack []frame) bool {
	for i := range stack {
		if stack[i].v == v {
			return true
		}
	}
	return false
}

// A tally is how many tensors are in a value, and how many other values that are no
// containers.
type tally struct{ tensors, values int }

// count counts what is in a value.
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

// isContainer says whether there may be something in a value.
func isContainer(v pickle.Value) bool {
	switch v.Kind() {
	case pickle.KindDict, pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet, pickle.KindCall:
		return true
	}
	return false
}

// skipped describes a value that is left out.
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
