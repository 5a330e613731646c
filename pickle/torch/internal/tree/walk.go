// The walk over all saved values.

package tree

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

const (
	// MostValues is the maximum number of values, and of steps to visit them. Shared values count each time.
	MostValues = 20_000_000

	// MostDepth is the maximum nesting depth.
	MostDepth = 200

	// fewSteps is the number of steps up to which the contents of a container are counted again.
	fewSteps = 16
)

// MaxSteps returns the limit for a pickle of the given size. A few bytes can describe an endless structure, and a byte
// describes at most one value, which the walks reach in two steps unless it is shared.
func MaxSteps(size int64) int { return int(min(1<<20+2*min(size, MostValues), MostValues)) }

// A Walker visits values and their contents without recursion. It does not enter a value inside itself.
type Walker struct {
	Looker

	// IsTensor reports whether a value is a tensor.
	IsTensor func(pickle.Value) bool

	// Exceed returns the error of a file that exceeds a limit, which fixed means no option can raise.
	Exceed func(fixed bool, format string, args ...any) error

	// Most is the maximum of Parts.
	Most int

	// Room is the maximum number of children of the containers that are open at a time, 0 for no limit.
	Room int

	counted map[pickle.Value]Tally // of containers that take more than fewSteps to count
}

// A frame is an enclosing container.
type frame struct {
	v        pickle.Value
	children []Child
	next     int
}

// Walk calls visit for each child of v, and enters the child if visit returns true. The path is relative to v.
func (w *Walker) Walk(v pickle.Value, visit func(c Child, path func() string) (enter bool, err error)) error {
	open := 0 // children of the frames
	children, err := w.Within(v, open)
	if err != nil {
		return err
	}
	stack := []frame{{v: v, children: children}}
	open += len(children)
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
			open -= len(top.children)
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
		if !enter || slices.ContainsFunc(stack, func(f frame) bool { return f.v == c.V }) {
			continue
		}
		children, err := w.Within(c.V, open)
		if err == nil && len(children) > 0 && len(stack) == MostDepth {
			err = w.TooDeep()
		}
		if err != nil {
			return err
		}
		stack = append(stack, frame{v: c.V, children: children})
		open += len(children)
	}
	return nil
}

// Within returns the children of a value, or an error if there are too many, together with the open ones.
func (w *Walker) Within(v pickle.Value, open int) ([]Child, error) {
	if w.Room == 0 {
		return w.Children(v), nil
	}
	w.Few = max(w.Room-open, 1)
	children := w.Children(v)
	w.Few = 0
	if w.Over {
		return nil, w.tooMany(false, w.Room)
	}
	return children, nil
}

// Enough returns an error if too many values were visited.
func (w *Walker) Enough() error {
	if w.Parts > w.Most {
		return w.TooMany(w.Most)
	}
	return nil
}

// TooMany returns the error for more than most values, which is a fixed limit.
func (w *Walker) TooMany(most int) error { return w.tooMany(true, most) }

func (w *Walker) tooMany(fixed bool, most int) error {
	return w.Exceed(fixed, "the file contains more than %s, counting shared ones each time",
		wording.Count(most, "value"))
}

// TooDeep returns the error for values that are nested too deep.
func (w *Walker) TooDeep() error {
	return w.Exceed(true, "values are nested more than %d deep", MostDepth)
}

// isContainer reports whether a value can have contents.
func isContainer(v pickle.Value) bool {
	switch v.Kind() {
	case pickle.KindDict, pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet, pickle.KindCall:
		return true
	}
	return false
}
