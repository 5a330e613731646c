// Comparing values, with the error that rounding has to give.

package origin

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
)

// limits are how many times as large as step²/12 the mean squared error of a type may be, where the step is the least
// distance between different values of 16 elements. Rounding to evenly spaced values gives about 1, and less if the 16
// elements leave out values between them.
//
// Source: quantize_* of ggml b11434 on normal, Laplace, Student-t and uniform values gave at most 0.95 for evenly
// spaced types and the numbers below divided by 1.5 for others.
var limits = map[safetensors.Dtype]float64{
	"IQ1_S": 1.8, "IQ1_M": 2.7, "IQ2_XXS": 5, "IQ2_XS": 3.5, "IQ2_S": 2.7, "IQ3_XXS": 9, "IQ3_S": 4.7,
	"IQ4_NL": 2.6, "IQ4_XS": 2.6, "MXFP4": 7.5, "NVFP4": 10, "Q1_0": 3, "Q2_0": 3,
}

const usualLimit = 1.5

// group is the number of elements in which the step is searched. Each type has a scale for at least so many.
const group = 16

// sums are the result of comparing two tensors.
type sums struct {
	count    int64
	square   float64 // of the values of the checkpoint
	err      float64 // squared differences
	most     float64 // largest difference
	rounding float64 // sum of step²/12
	beyond   int64   // elements that differ by more than rounding to a float can
	lost     int64   // elements that are NaN or infinite on one side only
}

// A comparison compares the tensor of a GGUF file with what it is expected to be made of.
type comparison struct {
	is, from *safetensors.Tensor // both F32
	op       operation
	stored   safetensors.Dtype // in the GGUF file
	source   safetensors.Dtype // in the checkpoint
}

const chunk = 1 << 14 // elements; a multiple of group

// run compares all elements. Elements of is beyond those of from have to be zero, and elements of from beyond those of
// is are not looked at.
func (c *comparison) run(ctx context.Context) (s sums, err error) {
	n, m := c.is.NumElems(), c.from.NumElems()
	b := make([]byte, 2*4*chunk)
	is, from := make([]float32, chunk), make([]float32, chunk)
	for at := int64(0); at < n; at += chunk {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		k := min(chunk, n-at)
		if err := read(c.is, at, is[:k], b); err != nil {
			return s, err
		}
		have := max(0, min(k, m-at))
		if err := read(c.from, at, from[:have], b); err != nil {
			return s, err
		}
		clear(from[have:k])
		c.operate(from[:have])
		c.add(&s, is[:k], from[:k])
	}
	return s, nil
}

// read reads elements from the given one on.
func read(t *safetensors.Tensor, at int64, dst []float32, b []byte) error {
	b = b[:4*len(dst)]
	if err := bytesio.ReadFull(t.ReaderAt, b, 4*at); err != nil {
		return fmt.Errorf("origin: tensor %q: %w", t.Name, err)
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// operate does to the elements what the converter does.
func (c *comparison) operate(x []float32) {
	switch c.op {
	case addOne:
		for i := range x {
			x[i]++
		}
	case negExp:
		for i := range x {
			x[i] = float32(-math.Exp(float64(x[i])))
		}
	}
}

// add compares some elements.
func (c *comparison) add(s *sums, is, from []float32) {
	relative, absolute := c.tolerance()
	for i := range is {
		x, y := float64(from[i]), float64(is[i])
		s.count++
		if math.IsNaN(y) || math.IsInf(y, 0) || math.IsNaN(x) || math.IsInf(x, 0) {
			if !(x == y || math.IsNaN(x) && math.IsNaN(y) || c.stored == safetensors.F16 && math.Abs(x) >= 65520 &&
				math.IsInf(y, int(math.Copysign(1, x)))) {
				s.lost++
			}
			continue
		}
		d := math.Abs(x - y)
		s.square += x * x
		s.err += d * d
		s.most = max(s.most, d)
		if d > relative*math.Abs(x)+absolute {
			s.beyond++
		}
	}
	if c.packed() {
		for g := range slices.Chunk(is, group) {
			step := stepOf(g)
			s.rounding += step * step / 12 * float64(len(g))
		}
	}
}

// packed reports whether the type has blocks.
func (c *comparison) packed() bool { return c.stored.Bits() == 0 }

// tolerance returns by how much an element may differ after it was rounded to a float.
func (c *comparison) tolerance() (relative, absolute float64) {
	switch c.stored {
	case safetensors.F16:
		return 1.01 / (1 << 11), 1.01 / (1 << 25)
	case safetensors.BF16:
		return 1.01 / (1 << 8), 0
	}
	switch {
	case c.op == keep:
		return 0, 0
	case c.source == safetensors.F16: // the converter computes in the type of the checkpoint
		return 1.01 / (1 << 11), 1.01 / (1 << 25)
	}
	return 1.01 / (1 << 22), 0
}

// stepOf returns the least distance between different values, 0 if all are equal.
func stepOf(values []float32) float64 {
	var sorted [group]float32
	n := copy(sorted[:], values)
	slices.Sort(sorted[:n])
	step := math.Inf(1)
	for i := 1; i < n; i++ {
		d := float64(sorted[i]) - float64(sorted[i-1])
		// Equal multiples of a scale differ in their last bits after an offset is added.
		if d > 1e-6*math.Abs(float64(sorted[i])) && d < step {
			step = d
		}
	}
	if math.IsInf(step, 1) {
		return 0
	}
	return step
}
