// Objects of SciPy and scikit-learn that hold positions in their own arrays.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// SciPy's matrices, scikit-learn's trees and the nodes of search trees are pickled as arrays of positions. Nothing
// compares them with the sizes of the arrays when they are unpickled (scipy/sparse/_compressed.py; sklearn/tree/_tree.pyx
// Tree.__setstate__), and the code in C that uses them does not either.

// A positional is a kind of object that holds positions.
type positional func(p *placed) (fault string, known bool)

// positionals are the kinds, by the first part of the module and the name of the class.
var positionals = map[string]positional{
	"scipy csr_matrix": (*placed).rows, "scipy csr_array": (*placed).rows,
	"scipy csc_matrix": (*placed).columns, "scipy csc_array": (*placed).columns,
	"scipy bsr_matrix": (*placed).blocks, "scipy bsr_array": (*placed).blocks,
	"scipy coo_matrix": (*placed).coordinates, "scipy coo_array": (*placed).coordinates,
	"scipy dia_matrix": (*placed).diagonals, "scipy dia_array": (*placed).diagonals,
	"scipy lil_matrix": (*placed).lists, "scipy lil_array": (*placed).lists,
	"scipy cKDTree": (*placed).spatial, "scipy KDTree": (*placed).spatial,
	"sklearn Tree": (*placed).tree, "sklearn TreePredictor": (*placed).predictor,
	"sklearn KDTree": (*placed).neighbors, "sklearn BallTree": (*placed).neighbors,
	"sklearn KDTree64": (*placed).neighbors, "sklearn BallTree64": (*placed).neighbors,
	"sklearn KDTree32": (*placed).neighbors, "sklearn BallTree32": (*placed).neighbors,
}

// estimators are the classes of scikit-learn that pass data to their trees without checking its width.
const estimators = " DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor" +
	" RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor RandomTreesEmbedding" +
	" GradientBoostingClassifier GradientBoostingRegressor IsolationForest HistGradientBoostingClassifier" +
	" HistGradientBoostingRegressor "

// positionalOf returns the kind of objects that a class or function creates, or nil.
func positionalOf(g *global) positional {
	module, _, _ := strings.Cut(g.ResolvedModule, ".")
	if module != "scipy" && module != "sklearn" {
		return nil
	}
	name := g.full[strings.LastIndexByte(g.full, '.')+1:]
	if module == "sklearn" && strings.Contains(estimators, " "+name+" ") {
		return (*placed).estimator
	}
	return positionals[module+" "+name]
}

// classOf returns the class of an object that a call creates, itself or by a function that creates objects of the class
// in its first argument, and whether it gets arguments of its own. It returns nil if the class is unknown.
func (m *judge) classOf(c heap.Result) (class *global, args heap.Value) {
	class, args = m.imported(c.Callee()), c.Args()
	if class == nil {
		return nil, args
	}
	switch {
	case class.use == names.Reconstructor || class.use == names.NewObj || class.use == names.NewObjEx:
		return m.imported(args.Item(0)), heap.Value{}
	case strings.HasSuffix(class.full, ".newObj"): // of scikit-learn's search trees
		return m.imported(args.Item(0)), heap.Value{}
	}
	return class, args
}

// callPositional checks a call of a class whose objects hold positions: its constructor does not check all of them.
func (m *judge) callPositional(g *global, args heap.Value) {
	if args.Len() == 0 || positionalOf(g) == nil || strings.HasSuffix(g.full, ".Tree") {
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
	is := positionalOf(class)
	if is == nil {
		return
	}
	p := &placed{judge: m, object: object, state: state, args: args}
	p.read()
	fault, known := "it has a state already", false
	if !again {
		fault, known = is(p)
	}
	switch {
	case p.limited || fault == "":
	case known:
		m.corrupts("%s at %d creates a %s that leads outside of its arrays: %s", m.Token.Code, m.Token.Off, class.Label(), fault)
	default:
		m.warn(RuleBuildState, m.Token.Off, "%s at %d creates a %s that cannot be verified: %s", m.Token.Code, m.Token.Off,
			class.Label(), fault)
	}
}

// A placed is an object that holds positions, and its state.
type placed struct {
	*judge
	object  heap.Ref
	state   heap.Value
	args    heap.Value // of its constructor
	values  map[string]heap.Value
	limited bool // the budget was exhausted
}

// mostAttributes is the maximum number of attributes that are looked at. An estimator has about 40.
const mostAttributes = 200

// read reads the attributes in the state. The last one of a name counts.
func (p *placed) read() {
	p.values = map[string]heap.Value{}
	if p.Work += p.state.Len(); p.state.Len() > mostAttributes {
		return
	}
	for key, v := range p.state.Pairs() {
		if name, ok := key.Str(); ok {
			p.values[name] = v
		}
	}
}

// has reports whether there is an attribute.
func (p *placed) has(name string) bool {
	_, ok := p.values[name]
	return ok
}

// array returns the elements of an array.
func (p *placed) array(v heap.Value) (arrays.Content, bool) { return p.arrays.Content(v) }

// vector returns the integers of an array of one dimension.
func (p *placed) vector(v heap.Value) (positions.Vector, bool) {
	a, ok := p.array(v)
	if !ok || len(a.Shape) != 1 {
		return positions.Vector{}, false
	}
	return a.Vector()
}

// affords takes the cost of reading vectors, and the memory for it, from the budget, before they are read.
func (p *placed) affords(cost, memory int64) bool {
	p.Work += cost
	if p.Work >= p.Budget || memory > p.o.MaxMemory {
		p.limited = true
		if !p.Guessing {
			p.found.limit(p.Token.Off, "the budget does not suffice to verify the positions at %d", p.Token.Off)
		}
	}
	return !p.limited
}

// judged returns a fault for buildPositional. An error of reading ends the analysis.
func (p *placed) judged(fault string, err error) (string, bool) {
	if err != nil {
		p.found.stop(err.Error())
		return "its arrays cannot be read", false
	}
	return fault, true
}

// unknown is the result for something that has no arrays of the form that its pickles have.
func unknown(what string) (string, bool) { return what + " is not as its pickles have it", false }
