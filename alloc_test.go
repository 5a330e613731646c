// How many allocations a header takes: a few for the file, none for each tensor.

package safetensors_test

import (
	"testing"

	"github.com/weightools/safetensors"
)

func TestAllocations(t *testing.T) {
	const most = 10
	for _, tensors := range []int{1, 300, 5000, 30_000, 200_000} {
		file := modelHeader(t, tensors)
		got := testing.AllocsPerRun(5, func() {
			if _, err := safetensors.NewFile(file, file.size); err != nil {
				t.Fatal(err)
			}
		})
		if got > most {
			t.Errorf("%d tensors: %v allocations, want at most %d", tensors, got, most)
		}
	}
}
