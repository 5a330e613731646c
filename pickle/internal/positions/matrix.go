// Sparse matrices: positions of values.

package positions

import "fmt"

// Begins returns a fault unless the integers start at 0, do not decrease, and end at most at most. It also returns the
// last one.
func (v Vector) Begins(what string, most int64) (last int64, fault string, err error) {
	first := true
	err = v.Each(func(n int64) bool {
		switch {
		case first && n != 0:
			fault = fmt.Sprintf("%s begins at %d instead of 0", what, n)
		case n < last:
			fault = fmt.Sprintf("%s decreases from %d to %d", what, last, n)
		case n > most:
			fault = fmt.Sprintf("%s leads to value %d of %d", what, n, most)
		}
		first, last = false, n
		return fault == ""
	})
	return last, fault, err
}

// A Compressed is a matrix in rows of values, or in columns.
type Compressed struct {
	Begins  Vector // where each row begins in the values, and where the last one ends
	Indices Vector // the column of each value
	Rows    int64
	Columns int64
	Values  int64 // number of values
}

// Divide makes the values of the matrix blocks of a size. It returns a fault if they do not fill the matrix.
func (c *Compressed) Divide(height, width int64) (fault string) {
	if height < 1 || width < 1 || c.Rows%height != 0 || c.Columns%width != 0 {
		return fmt.Sprintf("the blocks of %d by %d do not fill %d rows and %d columns", height, width, c.Rows, c.Columns)
	}
	c.Rows, c.Columns = c.Rows/height, c.Columns/width
	return ""
}

// Cost returns the cost of Fault.
func (c *Compressed) Cost() int64 { return c.Begins.Cost() + c.Indices.Cost() }

// Fault returns what leads outside of the matrix, "" if nothing does.
func (c *Compressed) Fault() (string, error) {
	if c.Begins.Count != c.Rows+1 {
		return fmt.Sprintf("there are %d bounds of rows for %d rows", c.Begins.Count, c.Rows), nil
	}
	last, fault, err := c.Begins.Begins("a bound of a row", min(c.Indices.Count, c.Values))
	if fault != "" || err != nil {
		return fault, err
	}
	used := c.Indices
	used.Count = last
	return used.Within("an index", 0, c.Columns)
}
