// How fast headers are read: in memory, written as the reference writes them.

package safetensors_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/weightools/safetensors"
)

// A headerOnly is a file of which only the header exists, and the data is
// sparse: it has the size that the header asks for.
type headerOnly struct {
	*bytes.Reader
	size int64
}

// modelHeader returns the header of a model with n tensors, in the order in
// which the reference implementation writes them.
func modelHeader(tb testing.TB, n int) headerOnly {
	tb.Helper()
	parts := []struct {
		name  string
		shape []int64
	}{
		{"input_layernorm.weight", []int64{896}},
		{"mlp.down_proj.weight", []int64{896, 4864}},
		{"mlp.gate_proj.weight", []int64{4864, 896}},
		{"mlp.up_proj.weight", []int64{4864, 896}},
		{"self_attn.k_proj.bias", []int64{128}},
		{"self_attn.k_proj.weight", []int64{128, 896}},
		{"self_attn.o_proj.weight", []int64{896, 896}},
		{"self_attn.q_proj.weight", []int64{896, 896}},
	}
	h := &safetensors.Header{Metadata: map[string]string{"format": "pt"}}
	var off int64
	for i := range n {
		part := parts[i%len(parts)]
		size := int64(2)
		for _, d := range part.shape {
			size *= d
		}
		h.Tensors = append(h.Tensors, safetensors.TensorInfo{
			Name:  fmt.Sprintf("layers.%05d.%s", i/len(parts), part.name),
			Dtype: safetensors.BF16, Shape: part.shape,
			Offsets: safetensors.Span{Begin: off, End: off + size},
		})
		off += size
	}
	b, err := h.AppendBinary(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return headerOnly{bytes.NewReader(b), int64(len(b)) + off}
}

func BenchmarkNewFile(b *testing.B) {
	for _, n := range []int{300, 5000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := modelHeader(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := safetensors.NewFile(file, file.size); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/tensor")
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	file := modelHeader(b, 5000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := safetensors.Validate(file, file.size); err != nil {
			b.Fatal(err)
		}
	}
}

var _ io.ReaderAt = headerOnly{}
