// The memo behaves like a map for any order of indexes.

package machine

import (
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

func TestMemoIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var m memo
	for range 3 {
		want := map[uint64]heap.Ref{}
		for n := heap.Ref(1); n < 5000; n++ {
			i := r.Uint64N(1 << (1 + r.IntN(40)))
			m.put(i, n)
			want[i] = n
		}
		for i, n := range want {
			if got := m.at(i); got != n {
				t.Fatalf("entry %d is %d, want %d", i, got, n)
			}
		}
		if m.live != len(want) {
			t.Errorf("%d entries, want %d", m.live, len(want))
		}
		m.reset()
		for i := range want {
			if m.at(i) != heap.Unknown {
				t.Fatalf("entry %d is there after a reset", i)
			}
		}
	}
}

func TestFarEntries(t *testing.T) {
	var m memo
	for i, far := range map[uint64]bool{0: false, 1000: false, 1 << 20: false, 1<<24 - 1: false, 1 << 24: true,
		1 << 62: true} {
		if got := m.put(i, 1); got != far {
			t.Errorf("entry %d is far: %v", i, got)
		}
	}
}
