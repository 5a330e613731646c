// Trees: nodes with the positions of their children.

package positions

import "fmt"

// A Tree is the nodes of a binary tree. A node without children has -1 for both, unless Leaves says which nodes are
// leaves.
type Tree struct {
	Left, Right Vector
	Feature     Vector // what a node compares
	Features    int64  // number of features, -1 if it is unknown
	Leaves      *Vector
	Depth       int64 // the greatest depth, -1 if it is unknown

	Seen int64 // greatest feature of a node that is not a leaf, -1 if there is none: set by Fault
}

// perDepth is the number of bytes that the depth of a node uses.
const perDepth = 4

// Cost returns the cost of Fault, and Memory what it needs.
func (t *Tree) Cost() int64 { return 4 * t.Left.Cost() }

// Memory returns the number of bytes that Fault uses.
func (t *Tree) Memory() int64 { return perDepth*t.Left.Count + 4*blockSize }

// Fault returns what leads outside of the nodes or the features, "" if nothing does. Children follow their parents, as
// all builders of scikit-learn number them, so that no walk is endless.
func (t *Tree) Fault() (fault string, err error) {
	nodes := t.Left.Count
	if nodes == 0 {
		return "there are no nodes", nil
	}
	depths := make([]int32, nodes)
	t.Seen = -1
	err = t.each(func(i int64, n node) bool {
		depth := depths[i] + 1
		switch {
		case t.Depth >= 0 && int64(depths[i]) > t.Depth:
			fault = fmt.Sprintf("node %d is deeper than %d", i, t.Depth)
		case n.leaf:
		case n.left <= i || n.left >= nodes || n.right <= i || n.right >= nodes:
			fault = fmt.Sprintf("node %d of %d has the children %d and %d", i, nodes, n.left, n.right)
		case n.feature < 0 || t.Features >= 0 && n.feature >= t.Features:
			fault = fmt.Sprintf("node %d compares feature %d of %d", i, n.feature, t.Features)
		default:
			depths[n.left] = max(depths[n.left], depth)
			depths[n.right] = max(depths[n.right], depth)
			t.Seen = max(t.Seen, n.feature)
		}
		return fault == ""
	})
	return fault, err
}

// A node is one node.
type node struct {
	left, right, feature int64
	leaf                 bool
}

// each calls yield with each node until it returns false.
func (t *Tree) each(yield func(int64, node) bool) error {
	const most = 512
	columns := []Vector{t.Left, t.Right, t.Feature}
	if t.Leaves != nil {
		columns = append(columns, *t.Leaves)
	}
	for first := int64(0); first < t.Left.Count; first += most {
		var block [4][]int64
		for i, v := range columns {
			var err error
			if block[i], err = v.from(first).First(most); err != nil {
				return err
			}
		}
		for i := range block[0] {
			n := node{left: block[0][i], right: block[1][i], feature: block[2][i], leaf: block[0][i] == -1}
			if t.Leaves != nil {
				n.leaf = block[3][i] != 0
			}
			if !yield(first+int64(i), n) {
				return nil
			}
		}
	}
	return nil
}

// Leaves returns a fault if a node of a complete binary tree, of which the first inner ones have children, is not a
// leaf but has none.
func Leaves(leaves Vector, inner int64) (fault string, err error) {
	i := int64(0)
	err = leaves.Each(func(is int64) bool {
		if is == 0 && i >= inner {
			fault = fmt.Sprintf("node %d is no leaf and has no children", i)
		}
		i++
		return fault == ""
	})
	return fault, err
}
