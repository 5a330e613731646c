// Where in a tensor the elements of a slice are.

package source

// An Axis is the indices of one axis that a slice selects: Start, Start+Step, and
// so on, Count of them. Step is 1 if there are fewer than two.
type Axis struct {
	Start, Count, Step int64
	Dropped            bool // from the shape
}

// A grid is the positions of the elements of a slice: runs of equal length, whose
// starts are given by nested loops. It counts in units, which are elements or bytes.
type grid struct {
	base int64 // the first unit
	run  int64 // units in a row

	// loops has the innermost loop first. Each has a count of 2 or more, and runs do
	// not overlap, so strides ascend and there are at most maxLoops.
	loops []loop
}

// A loop is a number of positions, and the units from one to the next.
type loop struct{ count, stride int64 }

// maxLoops is the largest number of loops of a grid: a tensor has fewer than 2^62
// elements, since the number of their bits fits 64 bits and each has at least 4.
const maxLoops = 62

// gridOf returns the grid, in elements, of what axes select of a tensor of the given
// shape. At least one element is selected, so no dimension is 0, and no product of
// dimensions exceeds the number of elements.
func gridOf(shape []int64, axes []Axis) grid {
	g := grid{run: 1}
	stride := int64(1)
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		g.base += a.Start * stride
		if a.Count > 1 {
			g.add(a.Count, a.Step*stride)
		}
		stride *= shape[i]
	}
	return g
}

// add puts a loop around the loops of g. If its positions continue the run or the
// outermost loop, add extends that instead, which turns many rows into one read and
// many axes into one loop.
func (g *grid) add(count, stride int64) {
	n := len(g.loops)
	switch {
	case n == 0 && stride == g.run:
		g.run *= count
	case n > 0 && stride == g.loops[n-1].count*g.loops[n-1].stride:
		g.loops[n-1].count *= count
	default:
		g.loops = append(g.loops, loop{count, stride})
	}
}

// toBytes changes the unit from elements to bytes. It returns false and does nothing
// if some run does not begin or end on a byte.
func (g *grid) toBytes(p Packing) bool {
	whole := g.base%p.Elems == 0 && g.run%p.Elems == 0
	for _, l := range g.loops {
		whole = whole && l.stride%p.Elems == 0
	}
	if !whole {
		return false
	}
	g.base = g.base / p.Elems * p.Bytes
	g.run = g.run / p.Elems * p.Bytes
	for i := range g.loops {
		g.loops[i].stride = g.loops[i].stride / p.Elems * p.Bytes
	}
	return true
}

// end returns the unit after the last one.
func (g *grid) end() int64 {
	end := g.base + g.run
	for _, l := range g.loops {
		end += (l.count - 1) * l.stride
	}
	return end
}

// A cursor is a position in a grid. It moves from run to run without a division.
type cursor struct {
	g     *grid
	pos   int64           // the unit it is at
	left  int64           // units from it to the end of the run
	index [maxLoops]int64 // how often each loop went round
}

// seek returns the position of the i-th unit of the grid. It takes one division for
// each loop.
func (g *grid) seek(i int64) cursor {
	skip := i % g.run
	c := cursor{g: g, pos: g.base + skip, left: g.run - skip}
	i /= g.run
	for k, l := range g.loops {
		c.index[k] = i % l.count
		c.pos += c.index[k] * l.stride
		i /= l.count
	}
	return c
}

// advance moves on by n units, at most to the start of the next run.
func (c *cursor) advance(n int64) {
	c.pos += n
	c.left -= n
	if c.left > 0 {
		return
	}
	c.pos -= c.g.run
	for k, l := range c.g.loops {
		if c.index[k]++; c.index[k] < l.count {
			c.pos += l.stride
			c.left = c.g.run
			return
		}
		c.index[k] = 0
		c.pos -= (l.count - 1) * l.stride
	}
}

// skip moves from the start of a run to that of the n-th run after it, all of them
// in the innermost loop.
func (c *cursor) skip(n int64) {
	c.index[0] += n - 1
	c.pos += (n - 1) * c.g.loops[0].stride
	c.advance(c.left)
}
