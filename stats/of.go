// Computing summaries.

package stats

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"math"
	"runtime"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
)

// A Counter summarizes tensors with options. The zero Counter has the defaults of Of. A Counter is safe for
// concurrent use.
type Counter struct {
	// Bins is the number of bins of Summary.Histogram. 0 means no histogram.
	Bins int

	// Quantiles are the quantiles to compute, from 0 to 1; 0.5 is the median. Quantile q of n
	// finite numbers is the one at position q*n, rounded up, in ascending order, counted from
	// 1. Dtypes above 16 bits have no quantiles.
	Quantiles []float64

	// SHA256 computes the digest of the tensor's bytes.
	SHA256 bool

	// Workers is the number of goroutines for one tensor. 0 means GOMAXPROCS, up to 4. The
	// result does not depend on it. Use 1 if you count many tensors concurrently.
	Workers int
}

// maxWorkers is the default maximum of goroutines for one tensor. Four count faster than most storage can be
// read.
const maxWorkers = 4

// Of returns the summary of t. It fails if t cannot be read completely.
func Of(t *safetensors.Tensor) (*Summary, error) { return new(Counter).Of(t) }

// Of is like the function [Of], with the options of c.
func (c *Counter) Of(t *safetensors.Tensor) (*Summary, error) {
	codec, err := c.check(t)
	if err != nil {
		return nil, err
	}
	s := &Summary{Dtype: t.Dtype, Count: t.NumElems() * int64(codec.Parts()), Mean: math.NaN(), StdDev: math.NaN()}
	switch {
	case codec.Bits() <= 16:
		var p *patterns
		if p, err = first(c, t, s, func() *patterns { return newPatterns(codec, t.Size()) }); err == nil {
			c.narrow(p, s)
		}
	case codec.Kind() != num.Float:
		err = wide(c, t, codec, s, newIntegers)
	case codec.Bits() == 32:
		err = wide(c, t, codec, s, newSingles)
	default:
		err = wide(c, t, codec, s, newDoubles)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// check returns the codec of t, or an error if t or c is invalid. The size of a Tensor may not match its shape,
// because callers can create any.
func (c *Counter) check(t *safetensors.Tensor) (*num.Codec, error) {
	for _, q := range c.Quantiles {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("stats: there is no quantile %v: quantiles are from 0 to 1", q)
		}
	}
	codec := num.For(string(t.Dtype))
	if codec == nil {
		return nil, fmt.Errorf("stats: tensor %.200q has the dtype %.200q, whose numbers are not known",
			t.Name, string(t.Dtype))
	}
	if size, whole := t.Dtype.Size(t.NumElems()); !whole || size != t.Size() {
		return nil, fmt.Errorf("stats: tensor %.200q has %d bytes, and %s of shape %.200s has %d",
			t.Name, t.Size(), t.Dtype, t.ShapeString(), size)
	}
	return codec, nil
}

// A tally is an accumulator that can report.
type tally[A any] interface {
	accumulator[A]
	report(*Summary)
}

// wide summarizes a dtype above 16 bits. A histogram requires a second pass, because its edges are known only
// after the first one. If the source has changed in between, a number is usually out of range, which is an
// error.
func wide[A tally[A]](c *Counter, t *safetensors.Tensor, codec *num.Codec, s *Summary, fresh func(*num.Codec) A) error {
	a, err := first(c, t, s, func() A { return fresh(codec) })
	if err != nil {
		return err
	}
	a.report(s)
	if c.Bins <= 0 || s.Finite() == 0 {
		return nil
	}
	h, err := scan(t, c.workers(), nil, func() *bins { return newBins(codec, s, c.Bins) })
	if err != nil {
		return err
	}
	if h.placed() != s.Finite() {
		return fmt.Errorf("stats: tensor %.200q changed while it was read", t.Name)
	}
	s.Histogram = h.Histogram
	return nil
}

// first makes the first pass, including the digest.
func first[A accumulator[A]](c *Counter, t *safetensors.Tensor, s *Summary, fresh func() A) (A, error) {
	var digest hash.Hash
	if c.SHA256 {
		digest = sha256.New()
	}
	a, err := scan(t, c.workers(), digest, fresh)
	if err == nil && digest != nil {
		digest.Sum(s.SHA256[:0])
	}
	return a, err
}

func (c *Counter) workers() int {
	if c.Workers > 0 {
		return c.Workers
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers)
}
