// Counting words: counters that are full, runs, and what is left over.

package stats

import (
	"bytes"
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
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

// listed returns what is counted, and checks that it is in order.
func listed(t *testing.T, p *patterns) map[uint16]uint64 {
	list := p.list(nil)
	if !slices.IsSortedFunc(list, func(a, b count) int { return cmp.Compare(a.pattern, b.pattern) }) {
		t.Errorf("the patterns are not in order: %v", list)
	}
	all := make(map[uint16]uint64, len(list))
	for _, c := range list {
		all[c.pattern] += c.n
	}
	return all
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
			for _, size := range []int64{0, 1 << 40} { // small and large tensors are counted differently
				want := slowCounts(width, b)
				counted := func() *patterns {
					p := newPatterns(num.For(string(dtype)), size)
					p.add(b)
					return p
				}
				if got := listed(t, counted()); !maps.Equal(got, want) {
					t.Errorf("%s, %s: %v, want %v", dtype, name, got, want)
				}
				twice := counted()
				twice.merge(counted())
				for p := range want {
					want[p] *= 2
				}
				if got := listed(t, twice); !maps.Equal(got, want) {
					t.Errorf("%s, %s, twice: %v, want %v", dtype, name, got, want)
				}
			}
		}
	}
}

// TestDrain has counters as they are after 4 Gi words, which no test can count.
func TestDrain(t *testing.T) {
	var counts words
	counts.elements([]byte{7, 0})
	counts.recent[7], counts.used = recentMost-1, recentMost-1
	counts.elements([]byte{7, 0}) // fits
	if counts.total != nil || counts.recent[7] != recentMost {
		t.Errorf("a counter of %d with room for one was drained", counts.recent[7])
	}
	counts.elements([]byte{7, 0, 8, 0, 7, 0})
	counts.used = recentMost - 1
	counts.sixes([]byte{7, 0x80, 0})
	want := map[uint16]uint64{7: recentMost + 3, 8: 2}
	for _, c := range counts.take(nil, 1<<16) {
		if want[c.pattern] != c.n {
			t.Errorf("%v, want %v", c, want)
		}
		delete(want, c.pattern)
	}
	if len(want) > 0 {
		t.Errorf("%v are missing", want)
	}
}
