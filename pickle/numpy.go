// NumPy arrays and dtypes that are not what they say.

package pickle

import (
	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// makes returns what an allowed name creates.
func (g *global) makes() arrays.Maker {
	if g.use != names.Array {
		return arrays.None
	}
	return arrays.Of(g.full)
}

// newTable returns an empty table of dtypes.
func (m *judge) newTable() arrays.Table {
	return arrays.Table{Encoded: m.isEncodedBytes, Number: func(v heap.Value) bool {
		f := m.imported(v)
		return f != nil && f.use == names.Plain && f.Verdict == Safe && f.ResolvedModule == "numpy"
	}, Maker: func(v heap.Value) arrays.Maker {
		if f := m.imported(v); f != nil {
			return f.makes()
		}
		return arrays.None
	}}
}

// callNumPy checks a call that creates the value r.
func (m *judge) callNumPy(g *global, r heap.Ref) {
	m.arrayFault(RuleCallArgs, m.arrays.Call(g.makes(), g.Label(), m.Value(r)))
}

// buildNumPy checks the state of the result of a call. again reports that it has a state already.
func (m *judge) buildNumPy(g *global, object heap.Ref, state heap.Value, again bool) {
	if made := g.makes(); made != arrays.None {
		m.Work += arrays.StateCost(state)
		m.arrayFault(RuleBuildState, m.arrays.Build(made, m.Value(object), state, again))
	}
}

// arrayFault reports a fault, by the given rule if it is not one of memory.
func (m *judge) arrayFault(rule Rule, f dtype.Fault) {
	switch {
	case f.Memory:
		m.corrupts("%s at %d %s", m.Token.Code, m.Token.Off, f.Text)
	case f.Text != "":
		m.warn(rule, m.Token.Off, "%s at %d %s", m.Token.Code, m.Token.Off, f.Text)
	}
}

// corrupts reports something that lets NumPy leave the data.
func (m *judge) corrupts(format string, args ...any) {
	m.Work += costSummary
	m.danger(RuleMemory, format, args...)
}
