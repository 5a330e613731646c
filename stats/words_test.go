// Counting words: counters that are full, runs, and what is left over.

package stats

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
)

// slowCounts counts elements one by one.
func slowCounts(width int, b []byte) map[uint16]uint64 {
	counts := map[uint16]uint64{}
	if width == 16 {
		for i := 0; i < len(b); i += 2 {
			counts[uint16(b[i])|uint16(b[i+1])<<8]++
		}
		return counts
	}
	elements := make([]byte, len(b)*8/width)
	num.Unpack(elements, b, 0, width)
	for _, p := range elements {
		counts[uint16(p)]++
	}
	return counts
}

func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := make([]byte, 3<<16)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	runs := bytes.Clone(random)
	for i := 0; i < len(runs); i += 3 << 8 {
		clear(runs[i : i+3<<7])
	}
	data := map[string][]byte{
		"none":     nil,
		"random":   random,
		"runs":     runs,
		"one word": bytes.Repeat([]byte{1, 2}, 3<<15),
		"zeros":    make([]byte, 3<<17),
		"tail":     random[:3*7],
		"odd":      random[:3],
	}
	for _, dtype := range []safetensors.Dtype{safetensors.F4, safetensors.F6_E2M3, safetensors.U8, safetensors.BF16} {
		for name, b := range data {
			width := dtype.Bits()
			if width == 16 {
				b = b[:len(b)&^1]
			}
			one, other := patterns{codec: num.For(string(dtype))}, patterns{codec: num.For(string(dtype))}
			one.add(b)
			other.add(b)
			want := slowCounts(width, b)
			if got := maps.Collect(one.all()); !maps.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", dtype, name, got, want)
			}
			one.merge(&other)
			for p := range want {
				want[p] *= 2
			}
			if got := maps.Collect(one.all()); !maps.Equal(got, want) {
				t.Errorf("%s, %s, twice: %v, want %v", dtype, name, got, want)
			}
		}
	}
}

// TestDrain has counters as they are after 4 Gi words, which no test can count.
func TestDrain(t *testing.T) {
	var counts words
	counts.elements([]byte{7, 0})
	counts.recent[7], counts.room = recentMost-1, 1
	counts.elements([]byte{7, 0}) // fits
	if counts.total != nil || counts.recent[7] != recentMost {
		t.Errorf("a counter of %d with room for one was drained", counts.recent[7])
	}
	counts.elements([]byte{7, 0, 8, 0, 7, 0})
	counts.room = 1
	counts.sixes([]byte{7, 0x80, 0})
	want := map[uint16]uint64{7: recentMost + 3, 8: 2}
	if got := maps.Collect(counts.all()); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
