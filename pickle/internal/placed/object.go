// Objects that hold positions in their own arrays.

// Package placed judges objects of SciPy and scikit-learn that hold positions in their own arrays: sparse matrices,
// trees and search trees.
//
// They are pickled as arrays of positions. Nothing compares these with the sizes of the arrays when they are unpickled
// (scipy/sparse/_compressed.py; sklearn/tree/_tree.pyx, Tree.__setstate__), and the code in C that uses them does not
// either.
package placed

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// A Kind is a kind of object that holds positions.
type Kind func(p *Object) (fault string, known bool)

// kinds are the kinds, by the first part of the module and the name of the class.
var kinds = map[string]Kind{
	"scipy csr_matrix": (*Object).rows, "scipy csr_array": (*Object).rows,
	"scipy csc_matrix": (*Object).columns, "scipy csc_array": (*Object).columns,
	"scipy bsr_matrix": (*Object).blocks, "scipy bsr_array": (*Object).blocks,
	"scipy coo_matrix": (*Object).coordinates, "scipy coo_array": (*Object).coordinates,
	"scipy dia_matrix": (*Object).diagonals, "scipy dia_array": (*Object).diagonals,
	"scipy lil_matrix": (*Object).lists, "scipy lil_array": (*Object).lists,
	"scipy cKDTree": (*Object).spatial, "scipy KDTree": (*Object).spatial,
	"sklearn Tree": (*Object).tree, "sklearn TreePredictor": (*Object).predictor,
	"sklearn KDTree": (*Object).neighbors, "sklearn BallTree": (*Object).neighbors,
	"sklearn KDTree64": (*Object).neighbors, "sklearn BallTree64": (*Object).neighbors,
	"sklearn KDTree32": (*Object).neighbors, "sklearn BallTree32": (*Object).neighbors,
}

// estimators are the classes of scikit-learn that pass data to their trees without checking its width.
const estimators = " DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor" +
	" RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor RandomTreesEmbedding" +
	" GradientBoostingClassifier GradientBoostingRegressor IsolationForest HistGradientBoostingClassifier" +
	" HistGradientBoostingRegressor "

// KindOf returns the kind of the objects of a class, or nil.
func KindOf(module, name string) Kind {
	module, _, _ = strings.Cut(module, ".")
	if module != "scipy" && module != "sklearn" {
		return nil
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	if module == "sklearn" && strings.Contains(estimators, " "+name+" ") {
		return (*Object).estimator
	}
	return kinds[module+" "+name]
}

// An Object is an object that holds positions, and its state.
type Object struct {
	Ref    heap.Ref
	State  heap.Value
	Args   heap.Value // of its constructor
	Arrays *arrays.Table
	Widths map[heap.Ref]int64 // the number of features of each tree and model: Check adds to it

	// Spend takes the cost of a check from the budget, and reports whether the rest and the memory suffice.
	Spend func(cost, memory int64) bool

	values  map[string]heap.Value
	limited bool // the budget was exhausted
	err     error
}

// Check returns whether something in an object of a class leads outside of its arrays, or does not have the form in
// which its library pickles it, and so cannot be verified. again says that the object has a state already. The error is
// one of reading.
func (p *Object) Check(k Kind, class string, again bool) (dtype.Fault, error) {
	text, known := "it has a state already", false
	if !again {
		if text = "it has too many attributes"; p.read() {
			text, known = k(p)
		}
	}
	switch {
	case p.limited || text == "":
		return dtype.Fault{}, p.err
	case known:
		return dtype.Bad("creates a %s that leads outside of its arrays: %s", class, text), p.err
	}
	return dtype.Odd("creates a %s that cannot be verified: %s", class, text), p.err
}

// mostAttributes is the maximum number of attributes that are looked at. An estimator has about 40.
const mostAttributes = 200

// read reads the attributes in the state, and reports whether it could. The last one of a name counts.
func (p *Object) read() bool {
	p.values = map[string]heap.Value{}
	if p.State.Len() > mostAttributes || !p.affords(p.State.Len(), 0) {
		return false
	}
	for key, v := range p.State.Pairs() {
		if name, ok := key.Str(); ok {
			p.values[name] = v
		}
	}
	return true
}

// has reports whether there is an attribute.
func (p *Object) has(name string) bool {
	_, ok := p.values[name]
	return ok
}

// array returns the elements of an array.
func (p *Object) array(v heap.Value) (arrays.Content, bool) { return p.Arrays.Content(v) }

// vector returns the integers of an array of one dimension.
func (p *Object) vector(v heap.Value) (positions.Vector, bool) {
	a, ok := p.array(v)
	if !ok || len(a.Shape) != 1 {
		return positions.Vector{}, false
	}
	return a.Vector()
}

// affords takes the cost of reading vectors, and the memory for it, from the budget, before they are read.
func (p *Object) affords(cost, memory int64) bool {
	p.limited = p.limited || !p.Spend(cost, memory)
	return !p.limited
}

// judged returns a fault for Check, and keeps an error.
func (p *Object) judged(fault string, err error) (string, bool) {
	if err != nil {
		p.err = err
		return "its arrays cannot be read", false
	}
	return fault, true
}

// unknown is the result for something that has no arrays of the form that its pickles have.
func unknown(what string) (string, bool) { return what + " is not as its pickles have it", false }
