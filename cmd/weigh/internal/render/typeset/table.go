// Tables: columns that line up, in as much room as there is.

package typeset

import (
	"bufio"
	"cmp"
	"hash/maphash"
	"slices"
)

// A Column is one column of a table. Cells are made when they are written, and
// before that to be measured: a table of half a million rows is never held.
type Column struct {
	Title string

	// Cell returns the cell of row i. It is called more than once.
	Cell func(i int) string

	// Short returns the cell in a shorter form, for where space is scarce. nil
	// means that there is none.
	Short func(i int) string

	Right bool   // whether cells line up at their end, as numbers do
	Color string // of the cells; "" means none

	// Distinct says that rows are told apart by this column: it shrinks only as
	// far as cells that differ still do.
	Distinct bool

	// Least is the width to which the column may shrink on a terminal. 0 means
	// that it does not shrink.
	Least int

	// Cut returns a cell in fewer columns. nil means Middle.
	Cut func(text string, most int) string

	// Yields says in which turn the column is left out of a terminal that is
	// too narrow, from 1. 0 means never.
	Yields int
}

// A Table is columns of N cells each.
type Table struct {
	Columns []Column
	N       int

	// Color returns the colour of row i, or "" for those of the columns. It may
	// be nil.
	Color func(i int) string

	// Below writes what stands under row i, if anything does. It may be nil.
	Below func(i int)
}

// gap is what stands between columns.
const gap = "  "

// mostPadding is the width up to which cells are padded where there is no
// terminal. Without it, one name of a million bytes in a header would make
// every row as long.
const mostPadding = 100

// Write writes the table, with titles, to w. It writes nothing if there are no
// rows.
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

// line writes one row. Its colour, if it has one, goes before those of columns.
// Spaces are written only once something follows them, so no line ends in any.
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

// A fitted column is one whose width and form are settled.
type fitted struct {
	Column
	cell  func(i int) string // Cell or Short
	width int
}

// cut returns a cell in no more columns than most.
func (c *fitted) cut(text string, most int) string {
	if c.Cut != nil {
		return c.Cut(text, most)
	}
	return Middle(text, most)
}

// spare returns by how much the column may shrink. Its title stays whole.
func (c *fitted) spare() int {
	if c.Least == 0 {
		return 0
	}
	return max(c.width-max(c.Least, Width(c.Title)), 0)
}

// separate sets the width to which the column may shrink so that cells which
// differ still do when they are cut. A width that is too small shows early, with
// the first two cells that it makes equal, so trying them all is cheap.
func (c *fitted) separate(n, room int) {
	for c.Least < min(c.width, room) && !c.apart(n) {
		c.Least++
	}
}

// apart says whether cells that differ still do in the column's least width.
// It remembers no cells but their hashes: there may be a million. Two of these
// that are equal by chance cost a column or two.
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

// take settles the form of the column.
func (c *fitted) take(cell func(int) string, n int) {
	c.cell, c.width = cell, Width(c.Title)
	for i := range n {
		c.width = max(c.width, Width(cell(i)))
	}
}

// fit settles how wide columns are: as wide as their widest cell, if there is
// no terminal or its width allows for that. Otherwise short forms are taken,
// then names shrink, and then columns are left out, until it does.
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

// total returns the width of a line.
func total(columns []fitted) int {
	sum := len(gap) * (len(columns) - 1)
	for i := range columns {
		sum += columns[i].width
	}
	return sum
}

// shrink makes columns fit the room, by shrinking the widest of those that may.
// It does nothing and returns false if that is not enough.
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

// leaves returns the column that is to be left out next, or -1.
func leaves(columns []fitted) int {
	next := -1
	for i := range columns {
		if y := columns[i].Yields; y > 0 && (next < 0 || y < columns[next].Yields) {
			next = i
		}
	}
	return next
}

// squeeze is what is left to do where no column may be left out: it makes those
// that may shrink as small as anything can be told by. If that is not enough,
// the terminal will wrap lines.
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
