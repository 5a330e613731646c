// Statistics of a tensor.

package viewer

import (
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/raster"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/stats"
)

// quantiles are those that the page shows.
var quantiles = []float64{0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999}

// sigmas are the distances from the mean, in standard deviations, that outliers are counted by.
var sigmas = []float64{4, 6, 10, 20}

// mostBins is the largest number of bins of a histogram.
const mostBins = 4096

// stats answers as stats does.
func (v *Viewer) stats(r *reply.Request, j *reply.Job) (reply.Answer, error) {
	s, err := v.subject(r)
	if err != nil {
		return nil, err
	}
	bins, err := r.Number("bins", 0, mostBins, 64)
	if err != nil {
		return nil, err
	}
	row, err := v.measure(r, j, s, int(bins))
	if err != nil {
		return nil, err
	}
	return reply.As((&values.Stats{Rows: []values.StatsRow{*row}}).JSON), nil
}

// measure reads a tensor and returns its statistics.
func (v *Viewer) measure(r *reply.Request, j *reply.Job, s *subject, bins int) (*values.StatsRow, error) {
	t, release, err := s.open(r.Ctx())
	if err != nil {
		return nil, err
	}
	defer release()
	j.Expect(t.Size())
	if bins > 0 && t.Dtype.Bits() > 16 { // a histogram of a wide dtype needs a second pass
		j.Expect(t.Size())
	}
	defer v.sess.ShowProgress(&j.Shown)()
	c := stats.Counter{Bins: bins, Quantiles: quantiles}
	summary, err := c.Of(j.Counted(r.Ctx(), t))
	if err != nil {
		return nil, err
	}
	s.values.put(s.id, s.as, summary)
	return &values.StatsRow{TensorInfo: t.TensorInfo, Summary: summary}, nil
}

// extremes answers with quantiles, outliers, and the places of what is not finite.
func (v *Viewer) extremes(r *reply.Request, j *reply.Job) (reply.Answer, error) {
	s, err := v.subject(r)
	if err != nil {
		return nil, err
	}
	row, err := v.measure(r, j, s, 0)
	if err != nil {
		return nil, err
	}
	t, release, err := s.open(r.Ctx())
	if err != nil {
		return nil, err
	}
	defer release()
	t = j.Counted(r.Ctx(), t)
	ordered, err := quantilesOf(r, j, t, row.Summary)
	if err != nil {
		return nil, err
	}
	real, err := drawable(t)
	if err != nil {
		return nil, err
	}
	limits := make([]float64, len(sigmas))
	for i, n := range sigmas {
		limits[i] = n * row.Summary.StdDev
	}
	j.Expect(t.Size())
	e, err := raster.ExtremesOf(r.Ctx(), real, row.Summary.Mean, limits)
	if err != nil {
		return nil, err
	}
	at := func(i int64) any { return indexIn(real.Shape, i) }
	places := func(list []int64) any { return encode.Each(len(list), func(i int) any { return at(list[i]) }) }
	sum := row.Summary
	return reply.Object(encode.M("schema", "weigh.view.extremes/1"), encode.M("quantiles", ordered),
		encode.M("largest", encode.List(e.Largest, func(p *raster.Place) any {
			return []encode.Member{encode.M("index", at(p.Index)), encode.M("value", encode.Finite(p.Value))}
		})),
		encode.M("nan", []encode.Member{encode.M("count", sum.NaN), encode.M("first", places(e.NaN))}),
		encode.M("inf", []encode.Member{encode.M("count", sum.PosInf+sum.NegInf), encode.M("first", places(e.Inf))}),
		encode.M("above", encode.Each(len(sigmas), func(i int) any {
			return []encode.Member{encode.M("sigma", sigmas[i]), encode.M("count", e.Above[i])}
		}))), nil
}

// quantilesOf returns quantiles for JSON; null for dtypes that have none.
func quantilesOf(r *reply.Request, j *reply.Job, t *safetensors.Tensor, s *stats.Summary) (any, error) {
	var list []float64
	switch {
	case s.Quantiles != nil:
		for _, q := range s.Quantiles {
			list = append(list, q.Float64())
		}
	case t.Dtype == safetensors.F32:
		j.Expect(2 * t.Size())
		var err error
		if list, err = raster.Quantiles(r.Ctx(), t, quantiles); err != nil {
			return nil, err
		}
	}
	if list == nil {
		return nil, nil
	}
	return encode.Each(len(list), func(i int) any {
		return []encode.Member{encode.M("q", quantiles[i]), encode.M("value", encode.Finite(list[i]))}
	}), nil
}

// indexIn returns the indices of an element by its number in row-major order.
func indexIn(shape []int64, i int64) encode.Dims {
	at := make(encode.Dims, len(shape))
	for k, n := range slices.Backward(shape) {
		if n > 0 {
			at[k], i = i%n, i/n
		}
	}
	return at
}

// describe returns an error as one line.
func describe(err error) string { return cli.Describe(err) }

// point is what the page of layers shows of a tensor, or of several that have a layer in common.
type point struct {
	Kind    int           `json:"kind"`
	Layer   int           `json:"layer"`
	ID      int           `json:"id"`
	Tensors int           `json:"tensors"`
	Mean    encode.Finite `json:"mean"`
	Std     encode.Finite `json:"std"`
	AbsMax  encode.Finite `json:"absmax"`
	Zeros   int64         `json:"zeros"`
	Count   int64         `json:"count"`
	NaN     int64         `json:"nan"`
	Inf     int64         `json:"inf"`
}

// add adds the statistics of a further tensor.
func (p *point) add(s *brief) {
	p.Tensors++
	p.Zeros, p.Count, p.NaN, p.Inf = p.Zeros+s.zeros, p.Count+s.count, p.NaN+s.nan, p.Inf+s.inf
	if p.Tensors == 1 {
		p.Mean, p.Std, p.AbsMax = encode.Finite(s.mean), encode.Finite(s.std), encode.Finite(s.absmax)
		return
	}
	p.AbsMax = max(p.AbsMax, encode.Finite(s.absmax))
	n, m := float64(p.Count-s.count-p.NaN+s.nan-p.Inf+s.inf), float64(s.count-s.nan-s.inf)
	if m == 0 || n == 0 {
		if n == 0 {
			p.Mean, p.Std = encode.Finite(s.mean), encode.Finite(s.std)
		}
		return
	}
	mean, std := float64(p.Mean), float64(p.Std)
	delta := s.mean - mean
	variance := (n*std*std + m*s.std*s.std + delta*delta*n*m/(n+m)) / (n + m)
	p.Mean, p.Std = encode.Finite(mean+delta*m/(n+m)), encode.Finite(math.Sqrt(variance))
}
