// Tables: columns that line up, in as much room as there is.

package render

import (
	"bufio"
	"strings"
)

// A column is one column of a table. Cells are made when they are written, and
// made again to be measured: a table of half a million rows is never held.
type column struct {
	title string

	// cell returns the cell of row i. A column that has a short form gives it
	// if short.
	cell     func(i int, short bool) string
	hasShort bool

	right bool // numbers line up at their end
	color string

	// least is the width to which the column may shrink on a terminal, by
	// leaving out the middle of its cells. 0 means that it does not shrink.
	least int

	// yields says in which turn the column is left out of a terminal that is
	// too narrow. 0 means never.
	yields int
}

// A table is columns of n cells each.
type table struct {
	columns []column
	n       int
	indent  int
	foot    int // how many of the last rows are totals
}

// gap is what stands between columns.
const gap = "  "

// mostPadding is the width up to which cells are padded where there is no
// terminal. Without it, one name of a million bytes in a header would make
// every row as long.
const mostPadding = 100

// write writes the table, with titles, to w.
func (t *table) write(w *bufio.Writer, s Style) {
	if t.n == 0 {
		return
	}
	columns := t.fit(s)
	t.line(w, s, columns, func(c *column) string { return c.title }, bold)
	for i := range t.n {
		color := ""
		if i >= t.n-t.foot {
			color = bold
		}
		t.line(w, s, columns, func(c *column) string { return c.cell(i, c.hasShort) }, color)
	}
}

// line writes one row. Its colour, if it has one, goes before those of columns.
func (t *table) line(w *bufio.Writer, s Style, columns []fitted, cell func(*column) string, color string) {
	for range t.indent {
		w.WriteByte(' ')
	}
	for i := range columns {
		c := &columns[i]
		text := cell(&c.column)
		columnsOf := width(text)
		if s.Terminal() && columnsOf > c.width {
			text = middle(text, c.width)
			columnsOf = width(text)
		}
		pad := max(c.width-columnsOf, 0)
		if c.right {
			spaces(w, pad)
		}
		paint := color
		if paint == "" {
			paint = c.color
		}
		w.WriteString(s.paint(paint, text))
		if i == len(columns)-1 {
			break // no spaces at the end of a line
		}
		if !c.right {
			spaces(w, pad)
		}
		w.WriteString(gap)
	}
	w.WriteByte('\n')
}

func spaces(w *bufio.Writer, n int) {
	const blank = "                                                                "
	for ; n > len(blank); n -= len(blank) {
		w.WriteString(blank)
	}
	w.WriteString(blank[:n])
}

// A fitted column is one whose width is settled. Its hasShort says whether the
// short form is the one in use.
type fitted struct {
	column
	width int
}

// fit settles how wide columns are: as wide as their widest cell, if there is
// no terminal or its width allows for that. Otherwise short forms are taken,
// then names shrink, and then columns are left out, until it does.
func (t *table) fit(s Style) []fitted {
	columns := make([]fitted, len(t.columns))
	for i, c := range t.columns {
		columns[i] = fitted{c, t.measure(&c, false)}
		columns[i].hasShort = false
	}
	if !s.Terminal() {
		for i := range columns {
			columns[i].width = min(columns[i].width, mostPadding)
		}
		return columns
	}
	room := s.Width - t.indent
	if total(columns) > room {
		for i, c := range t.columns {
			if c.hasShort {
				columns[i].hasShort = true
				columns[i].width = t.measure(&c, true)
			}
		}
	}
	for total(columns) > room {
		if shrink(columns, room) {
			break
		}
		least := leaves(columns)
		if least < 0 {
			break // what is left is as small as it can be: the terminal will wrap it
		}
		columns = append(columns[:least], columns[least+1:]...)
	}
	return columns
}

// measure returns the width of a column's widest cell, its title included.
func (t *table) measure(c *column, short bool) int {
	widest := width(c.title)
	for i := range t.n {
		widest = max(widest, width(c.cell(i, short)))
	}
	return widest
}

func total(columns []fitted) int {
	sum := len(gap) * (len(columns) - 1)
	for i := range columns {
		sum += columns[i].width
	}
	return sum
}

// shrink makes columns fit the room by shrinking those that may, the widest
// first. It does nothing and returns false if that is not enough.
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

// spare returns by how much the column may shrink.
func (c *fitted) spare() int {
	if c.least == 0 {
		return 0
	}
	return max(c.width-c.least, 0)
}

// leaves returns the column that is to be left out next, or -1.
func leaves(columns []fitted) int {
	next := -1
	for i := range columns {
		if y := columns[i].yields; y > 0 && (next < 0 || y < columns[next].yields) {
			next = i
		}
	}
	return next
}

// wrap writes text in lines of at most s.Width columns, each but the first
// indented. Without a terminal it writes one line.
func wrap(w *bufio.Writer, s Style, indent int, text string) {
	const least = 16 // columns: narrower, lines are left to the terminal
	if !s.Terminal() || s.Width-indent < least {
		w.WriteString(text)
		w.WriteByte('\n')
		return
	}
	room, used := s.Width-indent, 0
	for i, word := range strings.Split(text, " ") {
		n := width(word)
		switch {
		case i == 0:
		case used+1+n <= room:
			w.WriteByte(' ')
			used++
		default:
			w.WriteByte('\n')
			spaces(w, indent)
			used = 0
		}
		// A word longer than a line, such as a name, is cut by the terminal as
		// it is: it may have to be copied.
		w.WriteString(word)
		used += n
	}
	w.WriteByte('\n')
}
