// Overviews: all of a plane at a level from which the tiles of higher levels are made.

package raster

import "context"

// mostPixels is the number of pixels of an overview, of 8 bytes each.
const mostPixels = 1 << 20

// An Overview has pixels of a whole plane, for tiles without reading.
type Overview struct {
	Level      int
	width      int64
	most       []uint32
	means      []float32
	turns      bool
	rows, cols int64
}

// OverviewLevel returns the level of an overview of the plane.
func (p *Plane) OverviewLevel() int {
	level := 0
	for ceil(p.Rows, level)*ceil(p.Columns, level) > mostPixels {
		level++
	}
	return level
}

// Overview reads all of the plane.
func (p *Plane) Overview(ctx context.Context) (*Overview, error) {
	n := p.natural()
	o := &Overview{Level: p.OverviewLevel(), turns: p.turns, rows: n.Rows, cols: n.Columns}
	o.width = ceil(n.Columns, o.Level)
	size := o.width * ceil(n.Rows, o.Level)
	o.most, o.means = make([]uint32, size), make([]float32, size)
	err := n.bands(ctx, 0, n.Rows, 1<<o.Level, func(ctx context.Context, top, bottom int64) error {
		sums := make([]float64, o.width)
		line := top >> o.Level
		flush := func() {
			for x := range sums {
				o.means[line*o.width+int64(x)] = float32(sums[x] / o.count(line, int64(x)))
			}
			clear(sums)
		}
		err := n.read(ctx, Box{top, 0, bottom, n.Columns}, func(row, column int64, values []float32) {
			if y := row >> o.Level; y != line {
				flush()
				line = y
			}
			o.add(line, column, values, sums)
		})
		if err == nil && top < bottom {
			flush()
		}
		return err
	})
	return o, err
}

// add adds elements of a row of pixels.
func (o *Overview) add(line, column int64, values []float32, sums []float64) {
	for len(values) > 0 {
		x := column >> o.Level
		n := min(int((x+1)<<o.Level-column), len(values))
		at := line*o.width + x
		most, total := o.most[at], float64(0)
		for _, v := range values[:n] {
			if b := rotated(v); b > most {
				most = b
			}
			total += float64(v)
		}
		o.most[at] = most
		sums[x] += total
		values, column = values[n:], column+int64(n)
	}
}

// count returns the number of elements of a pixel.
func (o *Overview) count(y, x int64) float64 {
	return float64(min((y+1)<<o.Level, o.rows)-y<<o.Level) * float64(min((x+1)<<o.Level, o.cols)-x<<o.Level)
}

// Tile returns a tile of the overview's level or a higher one. The mode is not Sample.
func (o *Overview) Tile(b Box, level int, mode Mode) *Tile {
	if o.turns {
		return (&Overview{Level: o.Level, width: o.width, most: o.most, means: o.means, rows: o.rows, cols: o.cols}).
			Tile(Box{b.Left, b.Top, b.Right, b.Bottom}, level, mode).turned()
	}
	t := &Tile{Width: int(ceil(b.Width(), level)), Height: int(ceil(b.Height(), level)), Read: b.Height(),
		Of: b.Height()}
	t.Pixels = make([]float32, t.Width*t.Height)
	for y := range t.Height {
		for x := range t.Width {
			t.Pixels[y*t.Width+x] = o.pixel(Box{b.Top + int64(y)<<level, b.Left + int64(x)<<level,
				min(b.Top+int64(y+1)<<level, b.Bottom), min(b.Left+int64(x+1)<<level, b.Right)}, mode)
		}
	}
	return t
}

// pixel joins the pixels of a part of the plane.
func (o *Overview) pixel(b Box, mode Mode) float32 {
	var most uint32
	var sum, count float64
	for y := b.Top >> o.Level; y < ceil(b.Bottom, o.Level); y++ {
		for x := b.Left >> o.Level; x < ceil(b.Right, o.Level); x++ {
			at := y*o.width + x
			if mode == Mean {
				n := o.count(y, x)
				sum, count = sum+float64(o.means[at])*n, count+n
			} else {
				most = max(most, o.most[at])
			}
		}
	}
	if mode == Mean {
		return float32(sum / count)
	}
	return unrotated(most)
}
