// Tables that fit the terminal.

package typeset

import (
	"bufio"
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// A Column is one column of a table. Cells are computed when they are measured and again when they
// are written, so a table of half a million rows is never held in memory.
type Column struct {
	Title string

	// Cell returns the cell of row i. It is called more than once.
	Cell func(i int) string

	// Short returns a shorter form of the cell for narrow terminals. It may be nil.
	Short func(i int) string

	Right bool   // align right, as for numbers
	Color string // of the cells; "" means none

	// Distinct marks a column that identifies rows. It shrinks only as far as different cells stay
	// different.
	Distinct bool

	// Least is the width to which the column may shrink on a terminal. 0 means that it does not
	// shrink.
	Least int

	// Cut shortens a cell. nil means Middle.
	Cut func(text string, most int) string

	// Yields is the order, from 1, in which columns are left out of a table that is too wide for
	// the terminal. 0 means never.
	Yields int
}

// Keep lets columns with the given titles, in any case, never be left out: users have asked for them.
func Keep(columns []Column, titles ...string) {
	for i := range columns {
		for _, title := range titles {
			if strings.EqualFold(columns[i].Title, title) {
				columns[i].Yields = 0
			}
		}
	}
}

// A Table is a table of N rows.
type Table struct {
	Columns []Column
	N       int

	// Color returns the color of row i, or "" for the colors of the columns. It may be nil.
	Color func(i int) string

	// Below writes what follows row i. It may be nil.
	Below func(i int)
}

// gap separates columns.
const gap = "  "

// mostPadding limits the padding of cells in pipes. Without it, a name of a million bytes would
// make every row as long.
const mostPadding = 100

// Write writes the table with a line of titles. Without rows it writes nothing.
func (t *Table) Write(w *bufio.Writer, s Style) {
	if t.N == 0 {
		return
	}
	columns := t.fit(s)
	line(w, s, columns, Bold, func(c *fitted) string { return c.Title })
	for i := range t.N {
		color := ""
		if t.Color != nil {
			color = t.Color(i)
		}
		line(w, s, columns, color, func(c *fitted) string { return c.cell(i) })
		if t.Below != nil {
			t.Below(i)
		}
	}
}

// line writes one row. A color of the row overrides the colors of columns. Spaces are written only when
// text follows, so lines have no trailing spaces.
func line(w *bufio.Writer, s Style, columns []fitted, color string, cell func(*fitted) string) {
	owed := 0
	for i := range columns {
		c := &columns[i]
		text := cell(c)
		taken := Width(text)
		if s.Terminal() && taken > c.width {
			text = c.cut(text, c.width)
			taken = Width(text)
		}
		pad := max(c.width-taken, 0)
		if c.Right {
			owed, pad = owed+pad, 0
		}
		if text != "" {
			Spaces(w, owed)
			owed = 0
			w.WriteString(s.Paint(cmp.Or(color, c.Color), text))
		}
		owed += pad + len(gap)
	}
	w.WriteByte('\n')
}

// Spaces writes n spaces.
func Spaces(w *bufio.Writer, n int) {
	const blank = "                                                                "
	for ; n > len(blank); n -= len(blank) {
		w.WriteString(blank)
	}
	w.WriteString(blank[:n])
}

// A fitted column has its final width and form.
type fitted struct {
	Column
	cell  func(i int) string // Cell or Short
	width int
}

// cut shortens a cell to at most most columns.
func (c *fitted) cut(text string, most int) string {
	if c.Cut != nil {
		return c.Cut(text, most)
	}
	return Middle(text, most)
}

// spare returns by how many columns the column may shrink. Titles are not cut.
func (c *fitted) spare() int {
	if c.Least == 0 {
		return 0
	}
	return max(c.width-max(c.Least, Width(c.Title)), 0)
}

// separate raises Least until cells that differ still differ when they are cut. A width that is
// too small usually shows with the first cells, so trying all widths is cheap.
func (c *fitted) separate(n, room int) {
	for c.Least < min(c.width, room) && !c.apart(n) {
		c.Least++
	}
}

// apart reports whether different cells stay different at the column's least width. It keeps only
// hashes of cells, since there may be a million. A collision costs a column or two.
func (c *fitted) apart(n int) bool {
	seed := maphash.MakeSeed()
	whole := make(map[uint64]uint64)
	for i := range n {
		text := c.cell(i)
		key, hash := maphash.String(seed, c.cut(text, c.Least)), maphash.String(seed, text)
		if other, ok := whole[key]; ok && other != hash {
			return false
		}
		whole[key] = hash
	}
	return true
}

// take sets the cells of the column, and its width.
func (c *fitted) take(cell func(int) string, n int) {
	c.cell, c.width = cell, Width(c.Title)
	for i := range n {
		c.width = max(c.width, Width(cell(i)))
	}
}

// fit decides the widths of columns. Without a terminal each is as wide as its widest cell. On a
// terminal that is too narrow, it first uses short forms, then shrinks columns, and then leaves
// some out.
func (t *Table) fit(s Style) []fitted {
	columns := make([]fitted, len(t.Columns))
	for i, c := range t.Columns {
		columns[i].Column = c
		columns[i].take(c.Cell, t.N)
		if !s.Terminal() {
			columns[i].width = min(columns[i].width, mostPadding)
		}
	}
	if !s.Terminal() || total(columns) <= s.Width {
		return columns
	}
	for i := range columns {
		if c := &columns[i]; c.Short != nil {
			c.take(c.Short, t.N)
		}
	}
	for i := range columns {
		if columns[i].Distinct {
			columns[i].separate(t.N, s.Width)
		}
	}
	for !shrink(columns, s.Width) {
		next := leaves(columns)
		if next < 0 {
			squeeze(columns, s.Width)
			break
		}
		columns = slices.Delete(columns, next, next+1)
	}
	return columns
}

// total returns the width of a row.
func total(columns []fitted) int {
	sum := len(gap) * (len(columns) - 1)
	for i := range columns {
		sum += columns[i].width
	}
	return sum
}

// shrink shrinks the widest columns until all fit into room. If they cannot fit, it changes
// nothing and returns false.
func shrink(columns []fitted, room int) bool {
	excess := total(columns) - room
	spare := 0
	for i := range columns {
		spare += columns[i].spare()
	}
	if spare < excess {
		return false
	}
	for ; excess > 0; excess-- {
		widest := -1
		for i := range columns {
			if columns[i].spare() > 0 && (widest < 0 || columns[i].width > columns[widest].width) {
				widest = i
			}
		}
		columns[widest].width--
	}
	return true
}

// leaves returns the next column to leave out, or -1.
func leaves(columns []fitted) int {
	next := -1
	for i := range columns {
		if y := columns[i].Yields; y > 0 && (next < 0 || y < columns[next].Yields) {
			next = i
		}
	}
	return next
}

// squeeze shrinks the remaining columns to their minimum when no more can be left out. If that is
// not enough, the terminal wraps lines.
func squeeze(columns []fitted, room int) {
	const least = 8 // columns
	for i := range columns {
		if !columns[i].Distinct {
			columns[i].Least = min(columns[i].Least, least)
		}
	}
	if shrink(columns, room) {
		return
	}
	for i := range columns {
		columns[i].width -= columns[i].spare()
	}
}
