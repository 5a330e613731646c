// Search trees of SciPy.

package positions

import "fmt"

// A Spatial is the nodes of a search tree. A leaf has the dimension -1.
type Spatial struct {
	Dimension     Vector // the dimension that a node splits
	Begin, End    Vector // the rows of a node
	Less, Greater Vector // the children
	Rows, Width   int64
}

// Cost returns the cost of Fault.
func (s *Spatial) Cost() int64 { return 5 * s.Dimension.Cost() }

// Fault returns what leads outside of the nodes or the rows, "" if nothing does. Children follow their parents.
func (s *Spatial) Fault() (string, error) {
	const most = 512
	nodes := s.Dimension.Count
	if nodes == 0 && s.Rows > 0 {
		return "there are no nodes", nil
	}
	for first := int64(0); first < nodes; first += most {
		var block [5][]int64
		for i, v := range []Vector{s.Dimension, s.Begin, s.End, s.Less, s.Greater} {
			var err error
			if block[i], err = v.from(first).First(most); err != nil {
				return "", err
			}
		}
		for i, dimension := range block[0] {
			at, begin, end, less, greater := first+int64(i), block[1][i], block[2][i], block[3][i], block[4][i]
			switch {
			case begin < 0 || end < begin || end > s.Rows:
				return fmt.Sprintf("node %d has the rows %d to %d of %d", at, begin, end, s.Rows), nil
			case dimension == -1:
			case dimension < 0 || dimension >= s.Width:
				return fmt.Sprintf("node %d splits dimension %d of %d", at, dimension, s.Width), nil
			case less <= at || less >= nodes || greater <= at || greater >= nodes:
				return fmt.Sprintf("node %d of %d has the children %d and %d", at, nodes, less, greater), nil
			}
		}
	}
	return "", nil
}
