// Objects of SciPy and scikit-learn that hold positions in their own arrays.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/placed"
)

// classOf returns the class of an object that a call creates, itself or by a function that creates objects of the class
// in its first argument, and whether it gets arguments of its own. It returns nil if the class is unknown.
func (m *judge) classOf(c heap.Result) (class *global, args heap.Value) {
	class, args = m.imported(c.Callee()), c.Args()
	if class == nil {
		return nil, args
	}
	if class.use.Creates() || strings.HasSuffix(class.full, ".newObj") { // of scikit-learn's search trees
		return m.imported(args.Item(0)), heap.Value{}
	}
	return class, args
}

// callPositional checks a call of a class whose objects hold positions: its constructor does not check all of them.
func (m *judge) callPositional(g *global, args heap.Value) {
	if args.Len() == 0 || placed.KindOf(g.ResolvedModule, g.ResolvedName) == nil || strings.HasSuffix(g.full, ".Tree") {
		return
	}
	m.wrong(RuleCallArgs, g, m.summary(args.Ref)+", which its pickles do not do")
}

// buildPositional checks the state of an object that holds positions.
func (m *judge) buildPositional(object heap.Ref, state heap.Value, again bool) {
	r, _ := m.Value(object).Called()
	class, args := m.classOf(r)
	if class == nil {
		return
	}
	kind := placed.KindOf(class.ResolvedModule, class.ResolvedName)
	if kind == nil {
		return
	}
	if m.widths == nil {
		m.widths = map[heap.Ref]int64{}
	}
	o := placed.Object{Ref: object, State: state, Args: args, Arrays: &m.arrays, Widths: m.widths, Spend: m.affords}
	fault, err := o.Check(kind, class.Label(), again)
	if err != nil {
		m.found.stop(err.Error())
	}
	m.arrayFault(RuleBuildState, fault)
}

// affords takes the cost of reading positions from the budget, and reports whether the rest and the memory suffice.
func (m *judge) affords(cost, memory int64) bool {
	m.Work += cost
	if m.Work < m.Budget && memory <= m.o.MaxMemory {
		return true
	}
	if !m.Guessing {
		m.found.limit(m.Token.Off, "the budget does not suffice to verify the positions at %d", m.Token.Off)
	}
	return false
}
