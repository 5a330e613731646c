// Witnesses: what they vouch for.

package compare

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

func TestWitness(t *testing.T) {
	data := []byte("from front to back")
	want := sha256.Sum256(data)
	for _, test := range []struct {
		name  string
		reads [][2]int64 // offset and length
		ok    bool
	}{
		{"in one read", [][2]int64{{0, 18}}, true},
		{"in parts", [][2]int64{{0, 4}, {4, 10}, {14, 4}}, true},
		{"past the end", [][2]int64{{0, 4}, {4, 100}}, true},
		{"a part twice", [][2]int64{{0, 4}, {0, 4}, {4, 14}}, true},
		{"not to the end", [][2]int64{{0, 17}}, false},
		{"with a gap", [][2]int64{{0, 4}, {8, 10}}, false},
		{"from the back", [][2]int64{{9, 9}, {0, 9}}, false},
		{"overlapping", [][2]int64{{0, 9}, {5, 13}}, false},
	} {
		w := NewWitness(bytes.NewReader(data))
		for _, r := range test.reads {
			w.ReadAt(make([]byte, r[1]), r[0])
		}
		if got := w.IsOf(int64(len(data))); got != test.ok || got && !w.Saw(want[:]) {
			t.Errorf("%s: it has seen all: %t", test.name, got)
		}
		if w.Saw(make([]byte, 32)) {
			t.Errorf("%s: it vouches for what it has not seen", test.name)
		}
	}
	if (*Witness)(nil).IsOf(0) {
		t.Error("no witness has seen something")
	}
}
