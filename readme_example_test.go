// The code in the README.

package safetensors_test

import (
	"fmt"

	"github.com/weightools/safetensors"
)

func list(name string) error {
	f, err := safetensors.Open(name)
	if err != nil {
		return err // a *safetensors.Violation names the rule, the tensor and the bytes
	}
	defer f.Close()
	for t := range f.Tensors() {
		fmt.Println(t.Name, t.Dtype, t.Shape, t.Size())
	}
	t, err := f.Tensor("lm_head.weight")
	if err != nil {
		return err
	}
	row, err := t.Slice(safetensors.At(42)) // reads nothing
	if err != nil {
		return err
	}
	values := make([]float32, row.NumElems())
	n, err := safetensors.DecodeAt(row, values, 0) // reads 128 bytes
	fmt.Println(n, err)
	return nil
}

func Example() {
	if err := list("testdata/sample/model-00002-of-00002.safetensors"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// model.norm.weight F32 [64] 256
	// lm_head.weight BF16 [1000 64] 128000
	// 64 <nil>
}
