package edit

import (
	"testing"

	"github.com/weightools/safetensors"
)

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
