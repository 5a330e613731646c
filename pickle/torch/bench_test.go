// Benchmarks: a checkpoint of many tensors.

package torch

import (
	"bytes"
	"fmt"
	"testing"
)

// manyTensors is a checkpoint of n tensors, each in a storage of its own.
func manyTensors(b *testing.B, n int) []byte {
	var items, storages []string
	for i := range n {
		key := fmt.Sprint(i)
		items = append(items, str(fmt.Sprintf("model.layers.%d.self_attn.q_proj.weight", i)), vector(key, 4))
		storages = append(storages, key, counting(4))
	}
	return archiveOf(b, dict(items...), storages...)
}

func BenchmarkOpen(b *testing.B) {
	const n = 50_000
	file := manyTensors(b, n)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		cp, err := Open(bytes.NewReader(file), int64(len(file)), nil)
		if err != nil || len(cp.Tensors) != n {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/tensor")
}
