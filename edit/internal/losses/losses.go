// Package losses counts what a cast of a tensor could not keep, element by element.
package losses

import (
	"context"
	"encoding/binary"
	"math"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
)

// lossBuffer is the number of elements that are compared at a time.
const lossBuffer = 32 << 10

// A lossBuffers is memory to compare elements in. There is one for each goroutine at work, as large as the largest
// tensor needs: a model may have hundreds of thousands of small tensors.
type lossBuffers struct {
	was, now []float64
	raw      []byte
}

// atLeast returns a slice of n elements, which is b if that is large enough.
func atLeast[T any](b []T, n int) []T {
	if cap(b) < n {
		b = make([]T, n)
	}
	return b[:n]
}

var lossPool = sync.Pool{New: func() any { return new(lossBuffers) }}

// A Losses is edit.Losses.
type Losses struct{ Rounded, Zeroed, OutOfRange int64 }

// Of counts the elements of was that differ in now, to which it was cast. It reads both, unless the dtype of now
// represents every number of the other.
func Of(ctx context.Context, was, now *safetensors.Tensor) (Losses, error) {
	switch {
	case isLossless(was.Dtype, now.Dtype):
		return Losses{}, nil
	case isBrief(was.Dtype) && isBrief(now.Dtype):
		b := briefPool.Get().(*briefBuffers)
		defer briefPool.Put(b)
		return b.losses(ctx, was, now)
	}
	b := lossPool.Get().(*lossBuffers)
	defer lossPool.Put(b)
	return b.losses(ctx, was, now)
}

// losses compares the elements as float64, which represents the values of all dtypes but integers of 64 bits exactly.
func (b *lossBuffers) losses(ctx context.Context, was, now *safetensors.Tensor) (l Losses, err error) {
	least, most, err := limits(now.Dtype)
	if err != nil {
		return l, err
	}
	wide := (was.Dtype == safetensors.I64 || was.Dtype == safetensors.U64) && isFloat(now.Dtype)
	part := int(min(lossBuffer, was.NumElems()))
	b.was, b.now = atLeast(b.was, part), atLeast(b.now, part)
	if wide {
		b.raw = atLeast(b.raw, 8*part)
	}
	x, y, raw := b.was, b.now, b.raw
	for off := int64(0); off < was.NumElems(); off += lossBuffer {
		if ctx.Err() != nil {
			return l, context.Cause(ctx)
		}
		n := min(lossBuffer, was.NumElems()-off)
		if _, err := safetensors.DecodeAt(was, x[:n], off); err != nil {
			return l, err
		}
		if _, err := safetensors.DecodeAt(now, y[:n], off); err != nil {
			return l, err
		}
		if wide {
			if err := bytesio.ReadFull(was, raw[:8*n], 8*off); err != nil {
				return l, err
			}
		}
		for i, x := range x[:n] {
			l.count(x, y[i], least, most)
			if wide && x == y[i] && !isInteger(y[i], binary.LittleEndian.Uint64(raw[8*i:]), was.Dtype) {
				l.Rounded++ // x was rounded, too, to a float64
			}
		}
	}
	return l, nil
}

// count counts an element whose value was x and is y.
func (l *Losses) count(x, y, least, most float64) {
	switch {
	case x == y || math.IsNaN(x) && math.IsNaN(y):
	case x < least, x > most, math.IsNaN(y), math.IsInf(y, 0):
		l.OutOfRange++
	case y == 0:
		l.Zeroed++
	default:
		l.Rounded++
	}
}

// limits returns the smallest and the largest finite value of a dtype, to which infinities
// saturate. The smallest of a dtype without negative values is infinite.
func limits(d safetensors.Dtype) (least, most float64, err error) {
	low, high := math.Inf(-1), math.Inf(1)
	ends, err := safetensors.NewTensor("limits", []float64{low, high, low, high}, 4) // four fill bytes in any dtype
	if err != nil {
		return 0, 0, err
	}
	c := safetensors.Converter{Saturate: true}
	fitting, err := c.Convert(ends, d)
	if err != nil {
		return 0, 0, err
	}
	var numbers [4]float64
	_, err = safetensors.DecodeAt(fitting, numbers[:], 0)
	return numbers[0], numbers[1], err
}

// isFloat reports whether d is a float or a scale.
func isFloat(d safetensors.Dtype) bool {
	return d.Class() == safetensors.ClassFloat || d.Class() == safetensors.ClassScale
}

// isInteger reports whether y is exactly the integer of 64 bits of dtype d with these bits.
func isInteger(y float64, bits uint64, d safetensors.Dtype) bool {
	const end = 1 << 63 // larger float64 do not fit an int64
	switch {
	case d == safetensors.I64:
		return y < end && int64(y) == int64(bits)
	case y < end:
		return uint64(y) == bits
	}
	return y < 2*end && uint64(y-end)+end == bits
}
