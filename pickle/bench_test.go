// Benchmarks of decoding, analyzing and loading.

package pickle

import (
	"bytes"
	"testing"
)

func BenchmarkAnalyze(b *testing.B) {
	data := checkpointPickle(50_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var ops int64
	for b.Loop() {
		r, err := Analyze(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil || r.Verdict != Safe || !r.Complete {
			b.Fatal(err, r.Verdict, r.Reason)
		}
		ops = r.Streams[0].Opcodes
	}
	b.ReportMetric(float64(ops)*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

func BenchmarkLoad(b *testing.B) {
	data := checkpointPickle(50_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(bytes.NewReader(data), int64(len(data)), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOps(b *testing.B) {
	data := checkpointPickle(50_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, err := range Ops(bytes.NewReader(data), int64(len(data))) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "ops/s")
}
