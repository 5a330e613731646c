// Checks of functions that look up what they return by a constant name, and of dill's function for arrays.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// checkTypeOf checks builtins.type. Picklers write the types of None, NotImplemented and Ellipsis as calls of it; with
// three arguments it creates a class.
func (m *judge) checkTypeOf(g *global, args heap.Value) {
	arg := args.Item(0)
	f := m.imported(arg)
	constant := arg.IsNone() || f != nil && f.Verdict == Safe && f.use == names.Constant && f.ResolvedModule == "builtins"
	if args.Len() == 1 && constant {
		g.uses(Safe)
		return
	}
	g.misused = true
	if args.Len() == 3 {
		m.danger(RuleDynamicClass, "%s at %d creates a class", m.Token.Code, m.Token.Off)
	}
	m.load(args)
}

// checkSubscript checks operator.getitem, which picklers write for typing.List[int].
func (m *judge) checkSubscript(g *global, args heap.Value) {
	if f := m.imported(args.Item(0)); f == nil || f.Verdict != Safe || f.ResolvedModule != "typing" || args.Len() != 2 {
		g.misused = true
		m.load(args)
		return
	}
	g.uses(Safe)
}

// checkUfunc checks numpy's _ufunc_reconstruct, which imports its first argument and returns the attribute named by its
// second.
func (m *judge) checkUfunc(g *global, args heap.Value) heap.Ref {
	module, ok := args.Item(0).Str()
	name, named := args.Item(1).Str()
	if !ok || !named || args.Len() != 2 {
		g.misused = true
		return heap.Unknown
	}
	r, found := m.importNamed(names.Imported(module, name))
	g.uses(min(found.Verdict, Suspicious))
	return r
}

// checkDillType checks the functions of dill and cloudpickle that return a type of the modules builtins and types by
// its name.
func (m *judge) checkDillType(g *global, args heap.Value) heap.Ref {
	name, ok := args.Item(0).Str()
	if !ok || args.Len() != 1 || strings.Contains(name, ".") || !names.Plausible("builtins", name) {
		m.danger(RuleCallArgs, "%s at %d calls %s with %s", m.Token.Code, m.Token.Off, g.Label(), m.summary(args.Ref))
		return heap.Unknown
	}
	module := "builtins"
	if strings.HasSuffix(name, "Type") && name != "NoneType" || strings.HasPrefix(g.full, "cloudpickle.") {
		module = "types"
	}
	r, _ := m.importNamed(names.Imported(module, name))
	return r
}

// checkDillArray checks dill's _create_array, which calls its first argument with the second, sets the third as the
// state of the result, and adds the fourth to its attributes.
func (m *judge) checkDillArray(g *global, args heap.Value) {
	f := m.imported(args.Item(0))
	if n := args.Len(); f == nil || f.makes() != arrays.Array || f.Verdict != Safe || n < 3 || n > 4 {
		m.danger(RuleCallableArg, "%s at %d makes %s call %s",
			m.Token.Code, m.Token.Off, g.Label(), m.summary(args.Item(0).Ref))
		return
	}
	inner := heap.Call{Off: m.Token.Off, Callee: args.Item(0).Ref, Args: args.Item(1).Ref, Op: opcode.Reduce}
	array := m.Add(heap.Node{Kind: heap.KindCall, N: 1, A: m.AddCall(inner)})
	m.Call(array, inner.Callee, inner.Args, heap.Unknown)
	m.Build(array, args.Item(2).Ref)
	m.checkDunderKeys(args.Item(3).Ref)
}
