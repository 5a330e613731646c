// Floats that float32 represents.

package losses

import (
	"context"
	"math"
	"sync"

	"github.com/weightools/safetensors"
)

// isBrief reports whether d is a float of at most 32 bits with numbers of both signs.
func isBrief(d safetensors.Dtype) bool { return d.Class() == safetensors.ClassFloat && d.Bits() <= 32 }

// isLossless reports whether a cast to d keeps every number of the dtype from.
func isLossless(from, d safetensors.Dtype) bool {
	switch d {
	case safetensors.F64:
		return isFloat(from)
	case safetensors.F32:
		return isFloat(from) && from.Bits() <= 16
	}
	return false
}

// briefAtOnce is the number of elements that are compared at a time. They fit into the second-level cache.
const briefAtOnce = 16 << 10

// briefBuffers are lossBuffers of float32.
type briefBuffers struct{ was, now []float32 }

var briefPool = sync.Pool{New: func() any { return new(briefBuffers) }}

// losses compares the elements as float32.
func (b *briefBuffers) losses(ctx context.Context, was, now *safetensors.Tensor) (l Losses, err error) {
	least, most, err := limits(now.Dtype)
	if err != nil {
		return l, err
	}
	part := int(min(briefAtOnce, was.NumElems()))
	b.was, b.now = atLeast(b.was, part), atLeast(b.now, part)
	for off := int64(0); off < was.NumElems(); off += briefAtOnce {
		if ctx.Err() != nil {
			return l, context.Cause(ctx)
		}
		n := min(briefAtOnce, was.NumElems()-off)
		x, y := b.was[:n], b.now[:n]
		if _, err := safetensors.DecodeAt(was, x, off); err != nil {
			return l, err
		}
		if _, err := safetensors.DecodeAt(now, y, off); err != nil {
			return l, err
		}
		l.countBrief(x, y, least, most)
	}
	return l, nil
}

// countBrief counts elements whose values were x and are y. Most are rounded, or equal. A value out of range becomes at
// least the largest.
func (l *Losses) countBrief(x, y []float32, least, most float64) {
	largest := math.Float32bits(float32(most)) - 1
	rounded := int64(0)
	for i, was := range x {
		now := math.Float32bits(y[i])
		if math.Float32bits(was) == now {
			continue
		}
		if now&^(1<<31)-1 < largest { // neither zero, nor the largest, nor beyond
			rounded++
			continue
		}
		l.count(float64(was), float64(y[i]), least, most)
	}
	l.Rounded += rounded
}
