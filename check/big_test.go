// Repositories as large as any: 500 shards of 1,000 tensors.

package check_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// bigSet returns a store of so many shards with 1,000 tensors each, packed experts
// with their scales, and an index. The data is one byte a tensor.
func bigSet(t testing.TB, shards int) store.Lister {
	const experts = 250
	f := make(folder, shards+2)
	listed := make(map[string][]tensor, shards)
	for s := range shards {
		var all []tensor
		for e := range experts {
			at := fmt.Sprintf("model.layers.%d.mlp.experts.%d.gate_proj.", s, e)
			for _, leaf := range []string{"input_global_scale", "weight_global_scale", "weight_packed", "weight_scale"} {
				all = append(all, tensor{at + leaf, safetensors.U8, []int64{1, 1}, nil})
			}
		}
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", s+1, shards)
		f.weights(t, name, all...)
		listed[name] = all
	}
	f.index(t, "model.safetensors.index.json", listed)
	f.text("config.json", fmt.Sprintf(`{"model_type": "qwen3_moe", "num_hidden_layers": %d, "num_experts": %d,
		"quantization_config": {"quant_method": "compressed-tensors"}}`, shards, experts))
	return f.store()
}

// TestBig judges half a million tensors. What that takes must be linear: four times
// the shards, no more than 4.4 times the memory and the allocations.
func TestBig(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var bytes, allocs [2]uint64
	for i, shards := range []int{125, 500} {
		from := bigSet(t, shards)
		sets := validated(t, from)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if found := judgeOnly(t, from, "", sets, nil); len(found) > 0 {
			t.Fatalf("found %v", found[0])
		}
		runtime.ReadMemStats(&after)
		bytes[i], allocs[i] = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	}
	if float64(bytes[1]) > 4.4*float64(bytes[0]) || float64(allocs[1]) > 4.4*float64(allocs[0]) {
		t.Errorf("125 shards take %d bytes in %d allocations, and 500 take %d in %d", bytes[0], allocs[0], bytes[1], allocs[1])
	}
	if per := bytes[1] / 500_000; per > 300 {
		t.Errorf("%d bytes for each tensor, want 300 at most", per)
	}
	if per := float64(allocs[1]) / 500_000; per > 0.1 {
		t.Errorf("%.2f allocations for each tensor, want one for ten at most", per)
	}
}

// validated returns the sets of a store, of which the headers are known.
func validated(t testing.TB, from store.Store) []*checkpoint.Set {
	t.Helper()
	sets, err := checkpoint.Discover(t.Context(), from, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		cp := s.Open()
		for r, err := range cp.Validate(t.Context()) {
			if err != nil || len(r.Violations) > 0 {
				t.Fatal(r.Violations, err)
			}
		}
		cp.Close()
	}
	return sets
}

func BenchmarkValidate(b *testing.B) {
	for _, shards := range []int{125, 250, 500} {
		b.Run(fmt.Sprint(shards), func(b *testing.B) {
			from := bigSet(b, shards)
			sets := validated(b, from)
			b.ReportAllocs()
			for b.Loop() {
				for r, err := range check.Validate(b.Context(), from, "", sets, nil) {
					b.Fatal(r.Violations, err)
				}
			}
		})
	}
}
