// How checkpoints are told apart.

package diff_test

import (
	"context"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/diff"
)

func ExampleDiffer_Tensors() {
	was, err := safetensors.NewTensor("w", []float32{1, 2, 4}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	is, err := safetensors.NewTensor("w", []float32{1, 2.5, 4}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := diff.Differ{Values: true, Absolute: 0.5}
	for c, err := range d.Tensors(context.Background(), []*safetensors.Tensor{was}, []*safetensors.Tensor{is}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Kind, c.Name, c.Values.MaxDelta, c.Within())
	}
	// Output: changed w 0.5 true
}
