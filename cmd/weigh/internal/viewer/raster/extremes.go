// Quantiles, outliers, and the places of NaN and infinities.

package raster

import (
	"context"
	"math"
	"slices"

	"github.com/weightools/safetensors"
)

// mostPlaces is the number of places that are kept of each kind.
const mostPlaces = 20

// A Place is an element with its index in row-major order.
type Place struct {
	Index int64
	Value float64
}

// Extremes are the unusual elements of a tensor.
type Extremes struct {
	Largest []Place // the largest magnitudes
	NaN     []int64 // the first ones
	Inf     []int64
	Above   []int64 // number of elements that are farther from the mean than each of the limits
}

// ExtremesOf reads a tensor of real numbers. Limits are distances from the mean in ascending order.
func ExtremesOf(ctx context.Context, t *safetensors.Tensor, mean float64, limits []float64) (*Extremes, error) {
	e := &Extremes{Above: make([]int64, len(limits))}
	buffer := make([]float64, mostRead)
	least := math.Inf(1) // what is worth a closer look
	if len(limits) > 0 && limits[0] > 0 {
		least = limits[0]
	}
	for at, n := int64(0), t.NumElems(); at < n; at += mostRead {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part := buffer[:min(mostRead, n-at)]
		if _, err := safetensors.DecodeAt(t, part, at); err != nil {
			return nil, err
		}
		floor := e.floor()
		for i, x := range part {
			if math.Abs(x-mean) < least && math.Abs(x) <= floor {
				continue
			}
			e.add(at+int64(i), x, mean, limits)
			floor = e.floor()
		}
	}
	return e, nil
}

// floor returns the magnitude that an element must exceed to be among the largest.
func (e *Extremes) floor() float64 {
	if len(e.Largest) < mostPlaces {
		return -1
	}
	return math.Abs(e.Largest[len(e.Largest)-1].Value)
}

// add adds an element.
func (e *Extremes) add(at int64, x, mean float64, limits []float64) {
	switch {
	case math.IsNaN(x):
		e.NaN = append(e.NaN, at)[:min(len(e.NaN)+1, mostPlaces)]
		return
	case math.IsInf(x, 0):
		e.Inf = append(e.Inf, at)[:min(len(e.Inf)+1, mostPlaces)]
		return
	}
	for i, limit := range limits {
		if math.Abs(x-mean) >= limit && limit > 0 {
			e.Above[i]++
		}
	}
	if math.Abs(x) <= e.floor() {
		return
	}
	i, _ := slices.BinarySearchFunc(e.Largest, x, func(p Place, x float64) int {
		if math.Abs(p.Value) >= math.Abs(x) {
			return -1 // the first of equal ones stays first
		}
		return 1
	})
	e.Largest = slices.Insert(e.Largest, i, Place{at, x})
	e.Largest = e.Largest[:min(len(e.Largest), mostPlaces)]
}

// Quantiles returns exact quantiles of the finite numbers of an F32 tensor, as package stats defines them: the number
// at position q*n, rounded up, in ascending order. It reads the tensor twice: numbers are counted by the upper half of
// their bits, and then those by the lower half that share the upper half with a quantile.
func Quantiles(ctx context.Context, t *safetensors.Tensor, list []float64) ([]float64, error) {
	upper := make([]int64, 1<<16)
	if err := eachKey(ctx, t, func(key uint32) { upper[key>>16]++ }); err != nil {
		return nil, err
	}
	var n int64
	for _, count := range upper {
		n += count
	}
	if n == 0 {
		return nil, nil
	}
	found := make([]float64, len(list))
	ranks := make([]int64, len(list)) // within the upper half
	halves := make([]uint32, len(list))
	lower := make(map[uint32][]int64)
	for i, q := range list {
		rank := min(max(int64(math.Ceil(q*float64(n))), 1), n)
		half := uint32(0)
		for ; rank > upper[half]; half++ {
			rank -= upper[half]
		}
		ranks[i], halves[i] = rank, half
		lower[half] = make([]int64, 1<<16)
	}
	err := eachKey(ctx, t, func(key uint32) {
		if upper[key>>16] > 0 {
			if counts := lower[key>>16]; counts != nil {
				counts[key&0xffff]++
			}
		}
	})
	for i, half := range halves {
		low := uint32(0)
		for rank := ranks[i]; low < 1<<16-1 && rank > lower[half][low]; low++ {
			rank -= lower[half][low]
		}
		found[i] = float64(fromKey(half<<16 | low))
	}
	return found, err
}

// eachKey calls do with a key for each finite number, in whose order the numbers are.
func eachKey(ctx context.Context, t *safetensors.Tensor, do func(key uint32)) error {
	buffer := make([]float32, mostRead)
	for at, n := int64(0), t.NumElems(); at < n; at += mostRead {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		part := buffer[:min(mostRead, n-at)]
		if _, err := safetensors.DecodeAt(t, part, at); err != nil {
			return err
		}
		for _, x := range part {
			if b := math.Float32bits(x + 0); b&0x7f800000 != 0x7f800000 {
				do(b ^ (uint32(int32(b)>>31) | 1<<31))
			}
		}
	}
	return nil
}

// fromKey returns the number of a key.
func fromKey(key uint32) float32 {
	if key>>31 == 1 {
		return math.Float32frombits(key ^ 1<<31)
	}
	return math.Float32frombits(^key)
}
