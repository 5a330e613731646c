// Tiles of pixels.

package raster

import (
	"context"
	"fmt"
	"math"
)

// A Mode says what a pixel shows of its elements.
type Mode string

const (
	AbsMax Mode = "absmax" // the element with the largest magnitude
	Mean   Mode = "mean"
	Sample Mode = "sample" // one element, from the middle
)

// ParseMode returns the mode of that name; "" is AbsMax.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case "":
		return AbsMax, nil
	case AbsMax, Mean, Sample:
		return m, nil
	}
	return "", fmt.Errorf("the mode must be %s, %s or %s, not %q", AbsMax, Mean, Sample, name)
}

// A Tile is a picture of a part of a plane.
type Tile struct {
	Width, Height int
	Pixels        []float32 // NaN where an element is NaN, otherwise infinite where one is
	Read, Of      int64     // number of rows that were read and of those that the tile covers
	Bytes         int64     // that were read
	Columns       bool      // only some columns were read, too
}

// BoxOf returns the part of the plane that a tile covers, which is empty for a tile outside of the plane. A pixel
// covers 2^level rows and columns.
func (p *Plane) BoxOf(level int, x, y int64) Box {
	if level < 0 || level >= p.Levels() || x < 0 || y < 0 || x > p.Columns/Side || y > p.Rows/Side {
		return Box{}
	}
	size := int64(Side) << level
	return Box{min(y*size, p.Rows), min(x*size, p.Columns), min((y+1)*size, p.Rows), min((x+1)*size, p.Columns)}
}

// Tile reads a tile. If it would have to read more than budget bytes, it reads only some rows, evenly, and if one row
// is more than that, only some columns. A budget of 0 has no bound.
func (p *Plane) Tile(ctx context.Context, level int, x, y int64, mode Mode, budget int64) (*Tile, error) {
	if p.turns {
		t, err := p.natural().Tile(ctx, level, y, x, mode, budget)
		if err != nil {
			return nil, err
		}
		return t.turned(), nil
	}
	b := p.BoxOf(level, x, y)
	if b.Height() == 0 || b.Width() == 0 {
		return nil, fmt.Errorf("no tile %d, %d at level %d", x, y, level)
	}
	c := newCanvas(b, level, mode)
	plan := p.planOf(c, budget)
	fetched := p.prefetch(b, budget)
	err := p.bands(ctx, 0, int64(len(plan.strips)), 1, func(ctx context.Context, from, to int64) error {
		if from < to && plan.whole {
			return p.read(ctx, Box{plan.strips[from].top, b.Left, plan.strips[to-1].bottom, b.Right}, c.add)
		}
		for _, s := range plan.strips[from:to] {
			if err := plan.read(ctx, p, c, s); err != nil {
				return err
			}
		}
		return nil
	})
	t := c.tile()
	t.Read, t.Of, t.Bytes = plan.rows(), b.Height(), max(plan.rows()*plan.rowBytes, fetched)
	t.Columns = plan.run > 0
	for _, s := range plan.strips {
		for y := s.first + 1; y < s.next; y++ {
			copy(t.Pixels[y*t.Width:(y+1)*t.Width], t.Pixels[s.first*t.Width:])
		}
	}
	return t, err
}

// prefetch has a remote file fetch the rows of a box in one go, if they are within the budget: otherwise each row would
// cost a request. It returns the number of bytes.
func (p *Plane) prefetch(b Box, budget int64) int64 {
	ahead, ok := p.t.ReaderAt.(interface{ Prefetch(off, n int64) })
	rowBytes := p.Columns * p.width()
	if !ok || p.MinRead == 0 || p.Difference != nil || b.Height()*rowBytes > budget {
		return 0
	}
	ahead.Prefetch(b.Top*rowBytes, b.Height()*rowBytes)
	return b.Height() * rowBytes
}

// A plan says which elements of a tile are read.
type plan struct {
	strips   []strip
	whole    bool  // everything is read
	run      int64 // number of elements of each pixel in a row; 0 for all
	rowBytes int64 // that are read of a row
}

// A strip is a run of rows that is shown in some rows of pixels.
type strip struct {
	first, next int   // rows of pixels
	top, bottom int64 // rows
}

// planOf plans to read a tile of a plane within a budget.
func (p *Plane) planOf(c *canvas, budget int64) *plan {
	step := int64(1) << c.level
	each := step
	if c.mode == Sample {
		each = 1
	}
	l := &plan{rowBytes: c.box.Width() * p.width()}
	if most := max(budget, p.MinRead); budget > 0 && l.rowBytes > most {
		l.run = min(max((most/int64(c.width)-p.MinRead)/p.width(), 1), step)
		l.rowBytes = l.run * int64(c.width) * p.width()
	}
	if l.run == 0 && p.MinRead > 0 { // what is between the parts of two rows may be read, too
		l.rowBytes = min(p.Columns*p.width(), l.rowBytes+p.MinRead)
	}
	least := p.MinRead
	if c.box.Height()*p.Columns*p.width() <= budget { // it is fetched in one go
		least = 0
	}
	l.strips, l.whole = strips(c.box.Top, c.box.Bottom, step, each, l.rowBytes, least, budget)
	l.whole = l.whole && l.run == 0
	return l
}

// strips divides rows into strips of step rows, one for each row of pixels. If there is a budget, it selects some rows
// of each strip to read: a row costs rowBytes, and a strip costs least bytes in addition. Several rows of pixels may
// share a strip. It reports whether all rows are selected.
func strips(top, bottom, step, each, rowBytes, least, budget int64) (list []strip, whole bool) {
	pixels := (bottom - top + step - 1) / step
	lines := pixels
	if budget > 0 && min(each*lines, bottom-top)*rowBytes+lines*least > budget {
		each = max(min(max(budget/lines-least, least)/max(rowBytes, 1), each), 1)
		lines = max(min(budget/max(each*rowBytes+least, 1), lines), 1)
	}
	whole = each == step && lines == pixels
	for i := range lines {
		s := strip{first: int(i * pixels / lines), next: int((i + 1) * pixels / lines)}
		s.top, s.bottom = top+int64(s.first)*step, min(top+int64(s.next)*step, bottom)
		if !whole { // one run from the middle, since several would cost several requests
			s.top += max((s.bottom-s.top-each)/2, 0)
			s.bottom = min(s.top+each, s.bottom)
		}
		list = append(list, s)
	}
	return list, whole
}

// rows returns the number of rows that are read.
func (p *plan) rows() (n int64) {
	for _, s := range p.strips {
		n += s.bottom - s.top
	}
	return n
}

// read adds a strip to the canvas, as its first row of pixels.
func (p *plan) read(ctx context.Context, plane *Plane, c *canvas, s strip) error {
	line := c.box.Top + int64(s.first)<<c.level
	add := func(_, column int64, values []float32) { c.add(line, column, values) }
	if p.run == 0 {
		return plane.read(ctx, Box{s.top, c.box.Left, s.bottom, c.box.Right}, add)
	}
	for x := range int64(c.width) {
		left, right := c.box.Left+x<<c.level, min(c.box.Left+(x+1)<<c.level, c.box.Right)
		left += max((right-left-p.run)/2, 0)
		if err := plane.read(ctx, Box{s.top, left, s.bottom, min(left+p.run, right)}, add); err != nil {
			return err
		}
	}
	return nil
}

// turned returns the tile with rows and columns exchanged.
func (t *Tile) turned() *Tile {
	n := *t
	n.Width, n.Height, n.Pixels = t.Height, t.Width, make([]float32, len(t.Pixels))
	for y := range t.Height {
		for x := range t.Width {
			n.Pixels[x*n.Width+y] = t.Pixels[y*t.Width+x]
		}
	}
	return &n
}

// A canvas collects the elements of pixels. Rows of pixels may be added at once.
type canvas struct {
	box           Box
	level         int
	mode          Mode
	width, height int
	most          []uint32  // bits of the largest magnitude, with its sign at the lowest bit
	sums          []float64 //
	counts        []int64
}

func newCanvas(b Box, level int, mode Mode) *canvas {
	c := &canvas{box: b, level: level, mode: mode, width: int(ceil(b.Width(), level)),
		height: int(ceil(b.Height(), level))}
	if mode == Mean {
		c.sums, c.counts = make([]float64, c.width*c.height), make([]int64, c.width*c.height)
	} else {
		c.most = make([]uint32, c.width*c.height)
	}
	return c
}

// ceil returns n / 2^level, rounded up.
func ceil(n int64, level int) int64 { return (n + 1<<level - 1) >> level }

// add adds elements of one row.
func (c *canvas) add(row, column int64, values []float32) {
	line := int((row-c.box.Top)>>c.level) * c.width
	first := column - c.box.Left
	for len(values) > 0 {
		pixel := first >> c.level
		n := min(int((pixel+1)<<c.level-first), len(values))
		at := line + int(pixel)
		switch c.mode {
		case Mean:
			c.sums[at] += sum(values[:n])
			c.counts[at] += int64(n)
		case Sample:
			if v, ok := c.middle(pixel, first, values[:n]); ok {
				c.most[at] = rotated(v)
			}
		default:
			c.most[at] = largest(c.most[at], values[:n])
		}
		values, first = values[n:], first+int64(n)
	}
}

// largest returns the largest magnitude of values and most, as bits that are rotated by one: magnitudes of floats are
// in the order of their bits, infinities come after all numbers, and NaN after these.
func largest(most uint32, values []float32) uint32 {
	for _, v := range values {
		if b := rotated(v); b > most {
			most = b
		}
	}
	return most
}

// rotated returns the bits of a float with the sign at the end.
func rotated(v float32) uint32 {
	b := math.Float32bits(v)
	return b<<1 | b>>31
}

// unrotated is the float of bits that largest returns.
func unrotated(b uint32) float32 { return math.Float32frombits(b>>1 | b<<31) }

func sum(values []float32) float64 {
	var a, b float64
	for len(values) >= 2 {
		a, b = a+float64(values[0]), b+float64(values[1])
		values = values[2:]
	}
	if len(values) > 0 {
		a += float64(values[0])
	}
	return a + b
}

// tile returns the pixels.
func (c *canvas) tile() *Tile {
	t := &Tile{Width: c.width, Height: c.height, Pixels: make([]float32, c.width*c.height)}
	for i := range t.Pixels {
		if c.mode == Mean {
			t.Pixels[i] = float32(c.sums[i] / float64(c.counts[i]))
		} else {
			t.Pixels[i] = unrotated(c.most[i])
		}
	}
	return t
}

// middle returns the element in the middle of a pixel that begins before or at first, and whether it is among values,
// which are a part of the pixel. A pixel at the edge has fewer elements.
func (c *canvas) middle(pixel, first int64, values []float32) (float32, bool) {
	begin, end := pixel<<c.level, min((pixel+1)<<c.level, c.box.Width())
	at := begin + (end-begin-1)/2 - first
	if at < 0 || at >= int64(len(values)) {
		return 0, false
	}
	return values[at], true
}
