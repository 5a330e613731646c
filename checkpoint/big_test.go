// Sets as large as any: 500 shards of 1,000 tensors.

package checkpoint_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// bigSet returns shards of the given number of tensors each, with an index. The
// names are those of a mixture of experts, and the data is one byte a tensor.
func bigSet(t testing.TB, shards, tensors int) folder {
	f := make(folder, shards+1)
	listed := make(map[string][]string, shards)
	for s := range shards {
		h := safetensors.Header{Metadata: map[string]string{"format": "pt"}}
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", s+1, shards)
		for i := range int64(tensors) {
			tensor := fmt.Sprintf("model.layers.%d.mlp.experts.%d.gate_proj.weight_packed", s, i)
			h.Tensors = append(h.Tensors, safetensors.TensorInfo{Name: tensor, Dtype: safetensors.U8, Shape: []int64{1}, Offsets: safetensors.Span{Begin: i, End: i + 1}})
			listed[name] = append(listed[name], tensor)
		}
		start, err := h.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		f[name] = append(start, make([]byte, tensors)...)
	}
	f.index(t, indexName, listed)
	return f
}

// TestBigSet judges half a million tensors. What that takes must be linear: four
// times the shards, no more than 4.4 times the memory.
func TestBigSet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const tensors = 1000
	var bytes [2]uint64
	for i, shards := range []int{125, 500} {
		f := bigSet(t, shards, tensors)
		cp := f.open(t, "", nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		for r, err := range cp.Validate(t.Context()) {
			if err != nil || len(r.Violations) > 0 {
				t.Fatalf("%q: %v, %v", r.File, r.Violations, err)
			}
			if r.Header != nil {
				n += len(r.Header.Tensors)
			}
		}
		runtime.ReadMemStats(&after)
		bytes[i] = after.TotalAlloc - before.TotalAlloc
		if n != shards*tensors {
			t.Errorf("%d tensors, want %d", n, shards*tensors)
		}
	}
	if float64(bytes[1]) > 4.4*float64(bytes[0]) {
		t.Errorf("125 shards take %d bytes, and 500 take %d", bytes[0], bytes[1])
	}
	if per := bytes[1] / (500 * tensors); per > 400 {
		t.Errorf("%d bytes for each tensor, want 400 at most", per)
	}
}

func BenchmarkOpen(b *testing.B) {
	from := bigSet(b, 500, 1000).store()
	for b.Loop() {
		cp, err := checkpoint.New(b.Context(), from, "", nil)
		if err != nil {
			b.Fatal(err)
		}
		cp.Close()
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, shards := range []int{125, 250, 500} {
		b.Run(fmt.Sprint(shards), func(b *testing.B) {
			from := bigSet(b, shards, 1000).store()
			b.ReportAllocs()
			for b.Loop() {
				cp, err := checkpoint.New(b.Context(), from, "", nil)
				if err != nil {
					b.Fatal(err)
				}
				for r, err := range cp.Validate(b.Context()) {
					if err != nil || len(r.Violations) > 0 {
						b.Fatal(r.Violations, err)
					}
				}
				cp.Close()
			}
		})
	}
}
