// Steps: what is done with the values of tensors.

package remap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/wording"
)

// A step is one step of a rule.
type step struct {
	kind *stepKind
	args []string
	only int // the number of the tensor that it applies to, from 1; 0 for all
}

// A stepKind is a kind of steps.
type stepKind struct {
	name, inverse string
	least, most   int // numbers of arguments

	perTensor bool // several arguments are for one of several tensors each, and - leaves one out

	// One of these is set, unless it is stack or unstack. Each is for a tensor, tensors to join, or a tensor to cut.
	each func(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error)
	join func(name string, args []int64, tensors []*safetensors.Tensor) (*safetensors.Tensor, error)
	cut  func(t *safetensors.Tensor, args []int64) ([]*safetensors.Tensor, error)
}

// many is more arguments than a step has.
const many = 64

const (
	stepStack   = "stack"
	stepUnstack = "unstack"
)

// stepKinds are the kinds of steps.
var stepKinds = []stepKind{
	{name: "transpose", inverse: "transpose", each: func(t *safetensors.Tensor, _ []int64) (*safetensors.Tensor, error) {
		return arrange.Transpose(t, -2, -1)
	}},
	{name: "axes", inverse: "axes", least: 1, most: many, each: axes},
	{name: "interleave", inverse: "deinterleave", least: 1, most: many, perTensor: true, each: onHeads(arrange.Pairs)},
	{name: "deinterleave", inverse: "interleave", least: 1, most: many, perTensor: true, each: onHeads(arrange.Halves)},
	{name: "fuse", inverse: "split", most: many, join: fuse},
	{name: "split", inverse: "fuse", most: many, cut: split},
	{name: "groups", inverse: "ungroups", least: 1, most: many, join: groups},
	{name: "ungroups", inverse: "groups", least: 1, most: many, cut: ungroups},
	{name: stepStack, inverse: stepUnstack},
	{name: stepUnstack, inverse: stepStack},
	{name: "unflatten", inverse: "flatten", least: 2, most: 2, each: unflatten},
	{name: "flatten", inverse: "unflatten", least: 2, most: 2, each: flatten},
	{name: "squeeze", inverse: "unsqueeze", least: 1, most: 8, each: squeeze},
	{name: "unsqueeze", inverse: "squeeze", least: 1, most: 8, each: unsqueeze},
	{name: "swap", inverse: "swap", each: func(t *safetensors.Tensor, _ []int64) (*safetensors.Tensor, error) {
		return arrange.SwapHalves(t)
	}},
	{name: "reshape", least: 1, most: many, each: func(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) {
		return arrange.Reshape(t, args...)
	}},
}

// kindOf returns the kind of steps with a name, or nil.
func kindOf(name string) *stepKind {
	i := slices.IndexFunc(stepKinds, func(k stepKind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &stepKinds[i]
}

// parseSteps parses steps that spaces separate.
func parseSteps(text string) (steps []step, err error) {
	for _, word := range strings.Fields(text) {
		s, err := parseStep(word)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// parseStep parses NAME, NAME(ARGS) or either with @NUMBER.
func parseStep(word string) (s step, err error) {
	text, only, limited := strings.Cut(word, "@")
	if limited {
		if s.only, err = strconv.Atoi(only); err != nil || s.only < 1 {
			return s, fmt.Errorf("step %s: the number of a tensor follows @, and counts from 1", wording.Quote(word))
		}
	}
	name, args, called := strings.Cut(text, "(")
	if called {
		inner, ok := strings.CutSuffix(args, ")")
		if !ok {
			return s, fmt.Errorf("step %s lacks a closing parenthesis; arguments have no spaces", wording.Quote(word))
		}
		s.args = strings.Split(inner, ",")
	}
	switch {
	case name == "concat":
		name = "fuse"
	case name == "transpose" && len(s.args) > 0:
		name = "axes"
	}
	if name == "fuse" || name == "split" {
		if len(s.args) == 0 || s.args[0] == "q" {
			s.args = append([]string{"0"}, s.args...)
		}
	}
	if s.kind = kindOf(name); s.kind == nil {
		names := make([]string, len(stepKinds))
		for i := range stepKinds {
			names[i] = stepKinds[i].name
		}
		return s, fmt.Errorf("%s is no step; the steps are %s", wording.Quote(name), strings.Join(names, ", "))
	}
	if n := len(s.args); n < s.kind.least || n > s.kind.most {
		return s, fmt.Errorf("step %s has %d arguments, expected %d to %d", wording.Quote(word), n, s.kind.least, s.kind.most)
	}
	if limited && s.kind.each == nil {
		return s, fmt.Errorf("step %q cannot apply to one of several tensors", word)
	}
	return s, nil
}

// String returns the form that parseStep reads.
func (s *step) String() string {
	text := s.kind.name
	if len(s.args) > 0 {
		text += "(" + strings.Join(s.args, ",") + ")"
	}
	if s.only > 0 {
		text += fmt.Sprintf("@%d", s.only)
	}
	return text
}

// parts returns how many tensors a step makes of one that it cuts: as many as it has proportions, or the default.
func (s *step) parts(otherwise int) int {
	if n := len(s.args) - 1; n > 0 {
		return n
	}
	return otherwise
}

// moves reports whether the step moves elements within or between tensors, which packed weights do not survive.
func (s *step) moves() bool { return s.kind.name != stepStack && s.kind.name != stepUnstack }

// inverse returns the step that undoes this one.
func (s *step) inverse() (step, error) {
	back := step{kind: kindOf(s.kind.inverse), args: s.args, only: s.only}
	switch {
	case back.kind == nil:
		return back, fmt.Errorf("step %q has no inverse", s)
	case s.kind.name == "axes":
		back.args = make([]string, len(s.args))
		for i, arg := range s.args {
			axis, err := strconv.Atoi(arg)
			if err != nil || axis < 0 || axis >= len(s.args) {
				return back, fmt.Errorf("step %q: expected an order of the axes 0 to %d", s, len(s.args)-1)
			}
			back.args[axis] = strconv.Itoa(i)
		}
	case s.kind.name == "squeeze", s.kind.name == "unsqueeze":
		back.args = slices.Clone(s.args)
		slices.Reverse(back.args)
	}
	return back, nil
}

func onHeads(f func(*safetensors.Tensor, int64) (*safetensors.Tensor, error)) func(*safetensors.Tensor, []int64) (
	*safetensors.Tensor, error) {
	return func(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) { return f(t, args[0]) }
}

func axes(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) {
	order := make([]int, len(args))
	for i, axis := range args {
		order[i] = int(axis)
	}
	return arrange.Permute(t, order...)
}

func fuse(name string, args []int64, tensors []*safetensors.Tensor) (*safetensors.Tensor, error) {
	if err := proportional(tensors, int(args[0]), args[1:]); err != nil {
		return nil, err
	}
	return arrange.Join(name, int(args[0]), tensors...)
}

func groups(name string, args []int64, tensors []*safetensors.Tensor) (*safetensors.Tensor, error) {
	if err := proportional(tensors, 0, args[1:]); err != nil {
		return nil, err
	}
	return arrange.JoinGroups(name, args[0], tensors...)
}

// proportional returns an error if the sizes of tensors along an axis are not in the given proportions, in which they
// are to be split again.
func proportional(tensors []*safetensors.Tensor, axis int, weights []int64) error {
	if len(weights) == 0 {
		return nil
	}
	if len(weights) != len(tensors) {
		return fmt.Errorf("%d tensors cannot have the proportions %v", len(tensors), weights)
	}
	size := func(i int) int64 {
		if n := len(tensors[i].Shape); axis < n && axis >= -n {
			return tensors[i].Shape[(axis+n)%n]
		}
		return 0
	}
	for i := range tensors {
		if size(i)*weights[0] != size(0)*weights[i] {
			return fmt.Errorf("tensors %q and %q have the shapes %s and %s, whose sizes along axis %d are not in the "+
				"proportions %v", tensors[0].Name, tensors[i].Name, tensors[0].ShapeString(), tensors[i].ShapeString(), axis, weights)
		}
	}
	return nil
}

func split(t *safetensors.Tensor, args []int64) ([]*safetensors.Tensor, error) {
	return arrange.Cut(t, int(args[0]), args[1:]...)
}

func ungroups(t *safetensors.Tensor, args []int64) ([]*safetensors.Tensor, error) {
	return arrange.CutGroups(t, args[0], args[1:]...)
}

func unflatten(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) {
	axis := int(args[0])
	if axis < 0 || axis >= len(t.Shape) || args[1] <= 0 || t.Shape[axis]%args[1] != 0 {
		return nil, fmt.Errorf("tensor %q: axis %d of its shape %s does not split into %d parts", t.Name, axis,
			t.ShapeString(), args[1])
	}
	return arrange.Reshape(t, slices.Concat(t.Shape[:axis], []int64{args[1], t.Shape[axis] / args[1]}, t.Shape[axis+1:])...)
}

func flatten(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) {
	axis := int(args[0])
	if axis < 0 || axis+1 >= len(t.Shape) || t.Shape[axis] != args[1] {
		return nil, fmt.Errorf("tensor %q: axis %d of its shape %s is not %d long, or the last", t.Name, axis,
			t.ShapeString(), args[1])
	}
	return arrange.Reshape(t, slices.Concat(t.Shape[:axis], []int64{t.Shape[axis] * t.Shape[axis+1]}, t.Shape[axis+2:])...)
}

func squeeze(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) {
	shape := slices.Clone(t.Shape)
	for _, axis := range args {
		if axis < 0 {
			axis += int64(len(shape))
		}
		if axis < 0 || axis >= int64(len(shape)) || shape[axis] != 1 {
			return nil, fmt.Errorf("tensor %q: its shape %s has no axis %d of size 1", t.Name, t.ShapeString(), axis)
		}
		shape = slices.Delete(shape, int(axis), int(axis)+1)
	}
	return arrange.Reshape(t, shape...)
}

func unsqueeze(t *safetensors.Tensor, args []int64) (*safetensors.Tensor, error) {
	shape := slices.Clone(t.Shape)
	for _, axis := range args {
		if axis < 0 {
			axis += int64(len(shape)) + 1
		}
		if axis < 0 || axis > int64(len(shape)) {
			return nil, fmt.Errorf("tensor %q: its shape %s gets no axis %d", t.Name, t.ShapeString(), axis)
		}
		shape = slices.Insert(shape, int(axis), 1)
	}
	return arrange.Reshape(t, shape...)
}
