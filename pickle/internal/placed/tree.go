// Trees of scikit-learn and SciPy, and the models that consist of them.

package placed

import (
	"fmt"
	"iter"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// number returns the integer that a value is, or that a scalar of NumPy has.
func (p *Object) number(v heap.Value) (int64, bool) {
	if n, ok := v.Int(); ok {
		return n, true
	}
	n, ok := p.Arrays.Number64(v)
	return n, ok
}

// tree checks a decision tree: Tree(features, classes, outputs) with its nodes.
func (p *Object) tree() (string, bool) {
	features, ok := p.number(p.Args.Item(0))
	outputs, ok2 := p.number(p.Args.Item(2))
	classes, ok3 := p.vector(p.Args.Item(1))
	depth, ok4 := p.number(p.values["max_depth"])
	count, ok5 := p.number(p.values["node_count"])
	nodes, ok6 := p.array(p.values["nodes"])
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || len(nodes.Shape) != 1 {
		return unknown("its size, or an array of nodes")
	}
	if outputs < 1 || classes.Count != outputs {
		return fmt.Sprintf("it has %d outputs and classes for %d", outputs, classes.Count), true
	}
	if count != nodes.Shape[0] || depth < 0 {
		return fmt.Sprintf("it has %d nodes and a depth of %d, and an array of %d nodes", count, depth, nodes.Shape[0]), true
	}
	t := &positions.Tree{Features: features, Depth: depth}
	return p.nodes(t, nodes, "left_child", "right_child", "feature", "")
}

// predictor checks a tree of HistGradientBoosting, and remembers the greatest feature.
func (p *Object) predictor() (string, bool) {
	nodes, ok := p.array(p.values["nodes"])
	if !ok || len(nodes.Shape) != 1 {
		return unknown("the array of nodes")
	}
	least := int64(1 << 62)
	for _, name := range [...]string{"binned_left_cat_bitsets", "raw_left_cat_bitsets"} {
		sets, ok := p.array(p.values[name])
		if !ok || len(sets.Shape) != 2 || sets.Shape[1] != 8 {
			return unknown("an array of bits")
		}
		least = min(least, sets.Shape[0])
	}
	t := &positions.Tree{Features: -1, Depth: -1}
	if fault, known := p.nodes(t, nodes, "left", "right", "feature_idx", "is_leaf"); fault != "" {
		return fault, known
	}
	at, ok := nodes.Field("bitset_idx")
	is, ok2 := nodes.Field("is_categorical")
	if !ok || !ok2 || !p.affords(at.Cost()+is.Cost(), 0) {
		return unknown("the array of nodes")
	}
	return p.judged(positions.Chosen("the set of a node", at, is, least))
}

// nodes checks the nodes of a tree, whose fields have the given names.
func (p *Object) nodes(t *positions.Tree, nodes arrays.Content, left, right, feature, leaf string) (string, bool) {
	var ok [4]bool
	t.Left, ok[0] = nodes.Field(left)
	t.Right, ok[1] = nodes.Field(right)
	t.Feature, ok[2] = nodes.Field(feature)
	if ok[3] = true; leaf != "" {
		var leaves positions.Vector
		leaves, ok[3] = nodes.Field(leaf)
		t.Leaves = &leaves
	}
	if ok != [4]bool{true, true, true, true} {
		return unknown("the dtype of the nodes")
	}
	if !p.affords(t.Cost(), t.Memory()) {
		return "", true
	}
	fault, err := t.Fault()
	p.Widths[p.Ref] = max(t.Features, t.Seen+1)
	return p.judged(fault, err)
}

// neighbors checks a search tree of scikit-learn, whose state is a tuple: the data, the order of its rows, the nodes
// and their bounds.
func (p *Object) neighbors() (string, bool) {
	data, ok := p.array(p.State.Item(0))
	order, ok2 := p.vector(p.State.Item(1))
	nodes, ok3 := p.array(p.State.Item(2))
	bounds, ok4 := p.array(p.State.Item(3))
	leaf, ok5 := p.number(p.State.Item(4))
	levels, ok6 := p.number(p.State.Item(5))
	count, ok7 := p.number(p.State.Item(6))
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !ok7 || len(data.Shape) != 2 || len(nodes.Shape) != 1 ||
		len(bounds.Shape) != 3 {
		return unknown("its state")
	}
	rows, width := data.Shape[0], data.Shape[1]
	if order.Count != rows || nodes.Shape[0] != count || bounds.Shape[1] != count || bounds.Shape[2] != width ||
		levels < 1 || levels > 62 || count != 1<<levels-1 || leaf < 1 {
		return fmt.Sprintf("it has %d nodes in %d levels for %d rows, and arrays of other sizes", count, levels, rows), true
	}
	begin, ok := nodes.Field("idx_start")
	end, ok2 := nodes.Field("idx_end")
	inner, ok3 := nodes.Field("is_leaf")
	if !ok || !ok2 || !ok3 {
		return unknown("the dtype of the nodes")
	}
	if !p.affords(order.Cost()+begin.Cost()+end.Cost()+inner.Cost(), 0) {
		return "", true
	}
	checks := []func() (string, error){
		func() (string, error) { return order.Within("a row", 0, rows) },
		func() (string, error) { return begin.Within("the first row of a node", 0, rows+1) },
		func() (string, error) { return end.Within("the last row of a node", 0, rows+1) },
		func() (string, error) { return positions.Leaves(inner, count/2) },
	}
	for _, check := range checks {
		if fault, known := p.judged(check()); fault != "" {
			return fault, known
		}
	}
	return "", true
}

// spatial checks a search tree of SciPy, whose nodes are a structure of C in an array of bytes (ckdtree_decl.h).
func (p *Object) spatial() (string, bool) {
	nodes, ok := p.array(p.State.Item(0))
	data, ok2 := p.array(p.State.Item(1))
	rows, ok3 := p.number(p.State.Item(2))
	width, ok4 := p.number(p.State.Item(3))
	order, ok5 := p.vector(p.State.Item(7))
	const size = 72 // bytes of a node
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || nodes.Count()*nodes.Dtype.Size%size != 0 || nodes.Dtype.Size > 1 ||
		len(data.Shape) != 2 {
		return unknown("its state")
	}
	if data.Shape[0] != rows || data.Shape[1] != width || order.Count != rows {
		return fmt.Sprintf("it has %d rows of %d, and arrays of other sizes", rows, width), true
	}
	for _, i := range [...]int{5, 6} { // the greatest and the least of each dimension
		if a, ok := p.array(p.State.Item(i)); !ok || len(a.Shape) != 1 || a.Shape[0] != width {
			return unknown("its bounds")
		}
	}
	field := func(offset int64) positions.Vector {
		return positions.Vector{Source: nodes.Data, Offset: nodes.Offset + offset, Count: nodes.Count() / size, Step: size,
			Width: 8, Signed: true}
	}
	s := &positions.Spatial{Dimension: field(0), Begin: field(24), End: field(32), Less: field(56), Greater: field(64),
		Rows: rows, Width: width}
	if !p.affords(s.Cost()+order.Cost(), 0) {
		return "", true
	}
	if fault, known := p.judged(s.Fault()); fault != "" {
		return fault, known
	}
	return p.judged(order.Within("a row", 0, rows))
}

// estimator compares a model with its trees, to which it passes rows of data with as many columns as it has features.
func (p *Object) estimator() (string, bool) {
	if p.State.Kind() != heap.KindDict {
		return unknown("its state")
	}
	fitted := p.has("tree_") || p.has("estimators_") || p.has("_predictors")
	width, ok := p.number(p.values["n_features_in_"])
	for _, old := range [...]string{"n_features_", "_n_features", "n_features"} { // before version 0.24
		if !ok {
			width, ok = p.number(p.values[old])
		}
	}
	switch {
	case !ok && fitted: // without it, scikit-learn does not compare data with trees
		return unknown("its number of features")
	case !ok:
		return "", true
	}
	p.Widths[p.Ref] = width
	if tree, has := p.values["tree_"]; has {
		if w, known := p.Widths[tree.Ref]; !known {
			return unknown("its tree")
		} else if w != width {
			return fmt.Sprintf("it has %d features, and its tree %d", width, w), true
		}
	}
	subsets, chosen := p.values["estimators_features_"]
	return p.members(width, subsets, chosen)
}

// members compares the trees of a model with its number of features, or with the features that were chosen for each.
func (p *Object) members(width int64, subsets heap.Value, chosen bool) (string, bool) {
	var chosenWidths []int64
	for v := range subsets.Items() {
		a, ok := p.array(v)
		if !ok || len(a.Shape) != 1 {
			return unknown("the features of a tree")
		}
		chosenWidths = append(chosenWidths, a.Shape[0])
	}
	passed, limits := p.number(p.values["_max_features"]) // features of data that is passed to trees as it is
	i := 0
	for v := range p.trees() {
		w, known := p.Widths[v.Ref]
		want := width
		if chosen && i < len(chosenWidths) {
			want = chosenWidths[i]
		}
		i++
		switch {
		case !known:
			return unknown("a tree")
		case chosen && limits && w != passed:
			return fmt.Sprintf("it chooses %d features for a tree of %d", passed, w), true
		case w != want && !(p.has("_predictors") && w <= width):
			return fmt.Sprintf("it has %d features, and a tree %d", want, w), true
		}
	}
	return "", true
}

// trees yields the trees of a model: in a list, in an array of objects, or in lists of lists.
func (p *Object) trees() iter.Seq[heap.Value] {
	return func(yield func(heap.Value) bool) {
		list := p.values["estimators_"]
		if inner, ok := p.objects(list); ok {
			list = inner
		}
		if !p.affords(list.Len()+p.values["_predictors"].Len(), 0) {
			return
		}
		for v := range list.Items() {
			if !yield(v) {
				return
			}
		}
		for round := range p.values["_predictors"].Items() {
			if !p.affords(round.Len(), 0) {
				return
			}
			for v := range round.Items() {
				if !yield(v) {
					return
				}
			}
		}
	}
}
