package losses

import (
	"math"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

// TestBrief counts the losses of many patterns with both methods.
func TestBrief(t *testing.T) {
	var numbers []float32
	for high := range 1 << 16 {
		for _, low := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			numbers = append(numbers, math.Float32frombits(uint32(high)<<16|low))
		}
	}
	was, err := safetensors.NewTensor("w", numbers, int64(len(numbers)))
	if err != nil {
		t.Fatal(err)
	}
	noNaN := slices.DeleteFunc(slices.Clone(numbers), func(x float32) bool { return x != x })
	noNaN = noNaN[:len(noNaN)&^7] // whole bytes
	finite, err := safetensors.NewTensor("w", noNaN, int64(len(noNaN)))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []safetensors.Dtype{safetensors.BF16, safetensors.F16, safetensors.F8_E4M3, safetensors.F8_E5M2,
		safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ, safetensors.F6_E2M3, safetensors.F6_E3M2, safetensors.F4} {
		for _, saturate := range []bool{false, true} {
			c := safetensors.Converter{Saturate: saturate}
			was := was
			if d.Bits() < 8 { // has no NaN
				was = finite
			}
			now, err := c.Convert(was, d)
			if err != nil {
				t.Fatal(err)
			}
			want, err := new(lossBuffers).losses(t.Context(), was, now)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Of(t.Context(), was, now); got != want || err != nil {
				t.Errorf("%s, saturated %v: %+v, %v, want %+v", d, saturate, got, err, want)
			}
		}
	}
	for _, d := range []safetensors.Dtype{safetensors.BF16, safetensors.F16, safetensors.F8_E4M3, safetensors.F8_E8M0} {
		narrow, err := was.Convert(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, wide := range []safetensors.Dtype{safetensors.F32, safetensors.F64} {
			now, err := narrow.Convert(wide)
			if err != nil {
				t.Fatal(err)
			}
			if l, err := new(lossBuffers).losses(t.Context(), narrow, now); !isLossless(d, wide) || l != (Losses{}) || err != nil {
				t.Errorf("%s to %s: %+v, %v", d, wide, l, err)
			}
		}
	}
}

// TestLossesNeedLittleMemory: a comparison of small tensors does not allocate what large ones need.
func TestLossesNeedLittleMemory(t *testing.T) {
	b := new(lossBuffers)
	was, err := safetensors.NewTensor("w", make([]float32, 100), 100)
	if err != nil {
		t.Fatal(err)
	}
	now, err := was.Convert(safetensors.BF16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.losses(t.Context(), was, now); err != nil {
		t.Fatal(err)
	}
	if len(b.was) != 100 || len(b.now) != 100 || b.raw != nil {
		t.Errorf("buffers of %d and %d elements, and %d bytes", len(b.was), len(b.now), len(b.raw))
	}
}
