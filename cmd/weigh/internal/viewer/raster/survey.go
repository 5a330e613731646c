// Ranges of values and norms, of a plane.

package raster

import (
	"context"
	"math"
	"slices"
	"sync"
)

// A Range is what is known of the magnitudes of a plane.
type Range struct {
	High  float32 // 0.99 of the sampled magnitudes are at most this
	Most  float32 // the largest one
	Count int     // finite numbers in the sample
	Read  int64   // rows that were read
	Bytes int64
}

// Range samples the magnitudes of the plane: 1,024 elements of 64 rows, or more of fewer rows if reads are dear.
func (p *Plane) Range(ctx context.Context) (*Range, error) {
	n := p.natural()
	rows, width := min(n.Rows, 64), min(n.Columns, 1024)
	if p.MinRead > 0 {
		rows, width = min(n.Rows, 16), min(n.Columns, max(p.MinRead/p.width(), 1))
	}
	r := &Range{Read: rows, Bytes: rows * width * p.width()}
	var mu sync.Mutex
	var sample []float32
	err := n.bands(ctx, 0, rows, 1, func(ctx context.Context, from, to int64) error {
		for i := from; i < to; i++ {
			row := i * n.Rows / rows
			left := (n.Columns - width) * i / max(rows-1, 1)
			err := n.read(ctx, Box{row, left, row + 1, left + width}, func(_, _ int64, values []float32) {
				mu.Lock()
				defer mu.Unlock()
				for _, v := range values {
					if v = float32(math.Abs(float64(v))); v <= math.MaxFloat32 {
						sample = append(sample, v)
					}
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(sample) == 0 {
		return r, err
	}
	slices.Sort(sample)
	r.Count, r.Most = len(sample), sample[len(sample)-1]
	if r.High = sample[(len(sample)*99+99)/100-1]; r.High == 0 {
		r.High = r.Most
	}
	return r, nil
}

// Bounds of norms.
const (
	mostNorms   = 2048    // of rows, and of columns
	mostColumns = 1 << 20 // that have norms
)

// Norms are the Euclidean norms of rows and columns. Each is the largest of Step rows or columns.
type Norms struct {
	Rows, Columns       []float64 // Columns is nil if there are too many
	RowStep, ColumnStep int64
	Read, Of            int64 // number of rows
}

// Norms returns the norms of a plane. If it has more than budget bytes, it reads only some rows, evenly, and scales the
// norms of columns. A budget of 0 has no bound.
func (p *Plane) Norms(ctx context.Context, budget int64) (*Norms, error) {
	if p.turns {
		n, err := p.natural().Norms(ctx, budget)
		if err != nil {
			return nil, err
		}
		return &Norms{n.Columns, n.Rows, n.ColumnStep, n.RowStep, n.Read, n.Of}, nil
	}
	n := &Norms{RowStep: stepOf(p.Rows), ColumnStep: stepOf(p.Columns), Of: p.Rows}
	n.Rows = make([]float64, (p.Rows+n.RowStep-1)/n.RowStep)
	list, _ := strips(0, p.Rows, n.RowStep, n.RowStep, p.Columns*p.width(), p.MinRead, budget)
	var mu sync.Mutex
	var columns []float64
	if p.Columns <= mostColumns {
		columns = make([]float64, p.Columns)
	}
	err := p.bands(ctx, 0, int64(len(list)), 1, func(ctx context.Context, from, to int64) error {
		own := make([]float64, len(columns))
		for _, one := range list[from:to] {
			last, row := one.top, float64(0)
			finish := func() {
				for i := one.first; i < one.next; i++ {
					n.Rows[i] = max(n.Rows[i], math.Sqrt(row))
				}
				row = 0
			}
			err := p.read(ctx, Box{one.top, 0, one.bottom, p.Columns}, func(at, column int64, values []float32) {
				if at != last {
					finish()
					last = at
				}
				row += squares(values, own, column)
			})
			if err != nil {
				return err
			}
			finish()
		}
		mu.Lock()
		defer mu.Unlock()
		for i, x := range own {
			columns[i] += x
		}
		return nil
	})
	for _, one := range list {
		n.Read += one.bottom - one.top
	}
	if columns != nil {
		n.Columns = make([]float64, (p.Columns+n.ColumnStep-1)/n.ColumnStep)
		for i, x := range columns {
			at := int64(i) / n.ColumnStep
			n.Columns[at] = max(n.Columns[at], math.Sqrt(x*float64(n.Of)/float64(max(n.Read, 1))))
		}
	}
	return n, err
}

// stepOf returns how many rows or columns share a norm.
func stepOf(n int64) int64 { return max((n+mostNorms-1)/mostNorms, 1) }

// squares adds the squares of finite values to the sums of their columns, and returns the total.
func squares(values []float32, columns []float64, column int64) (sum float64) {
	if len(columns) > 0 {
		columns = columns[column : column+int64(len(values))]
	}
	for i, v := range values {
		x := float64(v)
		if x *= x; x > math.MaxFloat64 || x != x {
			continue
		}
		sum += x
		if len(columns) > 0 {
			columns[i] += x
		}
	}
	return sum
}
