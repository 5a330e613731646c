// Functions and their callers.

package tfgraph

import (
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// argument returns where an input of a function comes from. Without callers, the program that
// loads the model provides it, unless the function captured it.
func (a *analysis) argument(in *scope, name string) (origin, error) {
	unknown := origin{odd: true}
	if in == nil || in.kind != function {
		return unknown, nil
	}
	args, err := a.arguments(in)
	if err != nil {
		return unknown, err
	}
	own, err := a.functionName(in.Span)
	if err != nil {
		return unknown, err
	}
	for i, arg := range args {
		if arg != name {
			continue
		}
		o, err := a.passed(input{own, i})
		bound := a.bound[own]
		if first := len(args) - len(bound); i >= first && (first < 0 || !a.assetObjects[bound[i-first]]) {
			return unknown, err
		}
		return o, err
	}
	return unknown, nil
}

// arguments returns the names of the inputs of a function.
func (a *analysis) arguments(in *scope) (names []string, err error) {
	err = a.file.EachOf(in.Span, 1, func(f wire.Field) error {
		names = nil
		return a.file.EachOf(f.Span, 2, func(f wire.Field) error {
			name, err := a.file.Text(f.Span, 1)
			if len(names) > mostKept {
				err = evidence.ErrBudget
			}
			names = append(names, name)
			return err
		})
	})
	return names, err
}

// passed returns the worst of what the callers of a function pass to it.
func (a *analysis) passed(to input) (origin, error) {
	if o, ok := a.inputs[to]; ok {
		return o, nil
	}
	const deepest = 50 // calls within calls
	if a.depth >= deepest {
		return origin{odd: true}, nil
	}
	if err := a.findCalls(); err != nil {
		return origin{}, err
	}
	if a.inputs == nil {
		a.inputs = make(map[input]origin)
	}
	worst := origin{given: true}
	a.inputs[to] = worst // for functions that call themselves
	a.depth++
	defer func() { a.depth-- }()
	for i, c := range a.calls[to.function] {
		o, err := a.passedBy(c, to.index)
		if err != nil {
			return worst, err
		}
		given, asset := o.given && worst.given, o.asset && (i == 0 || worst.asset)
		worst.join(o)
		worst.given, worst.asset = given, asset
	}
	a.inputs[to] = worst
	return worst, nil
}

// passedBy returns what one caller passes to a function.
func (a *analysis) passedBy(c call, index int) (origin, error) {
	f, err := a.file.Next(&wire.Span{Pos: c.at, End: c.in.End})
	if err != nil {
		return origin{}, err
	}
	ins, err := a.ins(f.Span)
	switch {
	case err != nil:
		return origin{}, err
	case !c.direct, index >= len(ins):
		return origin{odd: true}, nil
	}
	return a.origin(c.in, ins[index])
}

// findCalls finds the calls of functions in all graphs.
func (a *analysis) findCalls() error {
	if a.callers {
		return nil
	}
	a.callers, a.calls = true, make(map[string][]call)
	n := 0
	return walk(a.file, a.root, func(k wire.Kind, f wire.Field, in *scope) (bool, error) {
		if k != node {
			return true, nil
		}
		op, err := a.file.Text(f.Span, 2)
		if err != nil {
			return false, err
		}
		names, err := a.called(op, f.Span)
		for _, name := range names {
			if n++; n > mostKept {
				return false, evidence.ErrBudget
			}
			direct := op == name || op == "PartitionedCall" || op == "StatefulPartitionedCall"
			a.calls[name] = append(a.calls[name], call{in, f.At, direct})
		}
		return false, err
	})
}

// called returns the functions that a node calls: its operation, or values of attributes, which
// may be lists.
func (a *analysis) called(op string, node wire.Span) (names []string, err error) {
	if a.functions[op] != nil {
		return []string{op}, nil
	}
	function := func(f wire.Field) error {
		name, err := a.file.Text(f.Span, 1)
		if a.functions[name] != nil {
			names = append(names, name)
		}
		return err
	}
	err = a.file.EachOf(node, 5, func(f wire.Field) error {
		return a.file.EachOf(f.Span, 2, func(f wire.Field) error { // an entry of the map
			return a.file.Each(f.Span, func(f wire.Field) error {
				switch {
				case f.Num == 10 && f.Type == wire.Bytes:
					return function(f)
				case f.Num == 1 && f.Type == wire.Bytes:
					return a.file.EachOf(f.Span, 9, function)
				}
				return nil
			})
		})
	})
	return names, err
}
