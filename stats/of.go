// From a tensor to its summary.

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

// A Counter summarizes tensors in a way of one's choice. The zero Counter is
// that of Of. It is not changed by its methods, and may be used by any number of
// goroutines at once.
type Counter struct {
	// Bins is how many parts Summary.Histogram has. 0 means that there is none.
	Bins int

	// Quantiles are those to find, each from 0 to 1: 0.5 is the median. Of n
	// finite numbers in ascending order, quantile q is the one in place q*n,
	// rounded up, counted from 1. A dtype of more than 16 bits has none.
	Quantiles []float64

	// SHA256 asks for the digest of the tensor's bytes.
	SHA256 bool

	// Workers is how many goroutines read and count one tensor. 0 means as many
	// as there are processors, up to 4; the result is always the same. Where
	// many tensors are counted side by side, 1 is best.
	Workers int
}

// maxWorkers keeps one tensor from taking a large machine for itself: four
// count faster than most places can be read from.
const maxWorkers = 4

// Of returns the summary of t. It is an error if t cannot be read to its end.
func Of(t *safetensors.Tensor) (*Summary, error) { return new(Counter).Of(t) }

// Of is [Of] in c's way.
func (c *Counter) Of(t *safetensors.Tensor) (*Summary, error) {
	codec, err := c.check(t)
	if err != nil {
		return nil, err
	}
	s := &Summary{Dtype: t.Dtype, Count: t.NumElems() * int64(codec.Parts()), Mean: math.NaN(), StdDev: math.NaN()}
	switch {
	case codec.Bits() <= 16:
		err = c.narrow(t, codec, s)
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

// check returns the codec of t, or an error if t or c makes no sense. A Tensor can
// be made by anyone, and nothing has checked its size against its shape.
func (c *Counter) check(t *safetensors.Tensor) (*num.Codec, error) {
	for _, q := range c.Quantiles {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("stats: there is no quantile %v: quantiles are from 0 to 1", q)
		}
	}
	codec := num.For(string(t.Dtype))
	if codec == nil {
		return nil, fmt.Errorf("stats: tensor %.200q has the dtype %.200q, whose numbers are not known", t.Name, string(t.Dtype))
	}
	if size, whole := t.Dtype.Size(t.NumElems()); !whole || size != t.Size() {
		return nil, fmt.Errorf("stats: tensor %.200q has %d bytes, and %s of shape %.200s has %d",
			t.Name, t.Size(), t.Dtype, t.ShapeString(), size)
	}
	return codec, nil
}

// narrow summarizes a dtype of at most 16 bits: all is known once its patterns
// are counted.
func (c *Counter) narrow(t *safetensors.Tensor, codec *num.Codec, s *Summary) error {
	p, err := first(c, t, s, func() *patterns { return &patterns{codec: codec} })
	if err != nil {
		return err
	}
	p.report(s)
	if len(c.Quantiles) > 0 {
		s.Quantiles = p.quantiles(c.Quantiles)
	}
	if c.Bins > 0 && s.Finite() > 0 {
		h := newBins(codec, s, c.Bins)
		for x, n := range p.finite() {
			h.place(x, n)
		}
		s.Histogram = h.Histogram
	}
	return nil
}

// A tally is an accumulator that knows what it has seen.
type tally[A any] interface {
	accumulator[A]
	report(*Summary)
}

// wide summarizes a dtype of more than 16 bits. The edges of a histogram are
// known only when all is counted, so there is a second pass for one. If the
// source is not the same by then, that shows as a rule: a number is out of range.
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
	if h.placed != s.Finite() {
		return fmt.Errorf("stats: tensor %.200q changed while it was read", t.Name)
	}
	s.Histogram = h.Histogram
	return nil
}

// first makes the first pass, and the digest with it.
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
