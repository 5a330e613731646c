// How digests are made.

package digest_test

import (
	"context"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/digest"
)

func ExampleHasher_Set() {
	w, err := safetensors.NewTensor("w", []uint8("abc"), 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	var h digest.Hasher
	tensors := []*safetensors.Tensor{w}
	sums, err := h.Tensors(context.Background(), tensors)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := h.Set(tensors, sums)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s%x\n", digest.AppendLine(nil, &w.TensorInfo, sums[0]), set)
	// Output:
	// ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad U8 [3] "w"
	// 3e871265c0816c8d8c629e120eea7c75264a84d09253adae98ed4905d98de147
}
