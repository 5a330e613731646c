package gguf_test

import (
	"bytes"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf"
)

func Example() {
	file := exampleFile()
	f, err := gguf.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Architecture())
	for i := range f.Tensors {
		info := &f.Tensors[i]
		tensor, err := f.Tensor(info)
		if err != nil {
			fmt.Println(err)
			return
		}
		values := make([]float32, 3)
		if _, err := safetensors.DecodeAt(tensor, values, 0); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(info.Name, info.Type, info.ShapeString(), values)
	}
	// Output:
	// llama
	// blk.0.attn_norm.weight Q8_0 [1, 32] [0 0.5 1]
}

func exampleFile() []byte {
	b := newBuild().text("general.architecture", "llama")
	block := append([]byte{0x00, 0x38}, make([]byte, 32)...) // the scale 0.5, and values
	for i := range 32 {
		block[2+i] = byte(i)
	}
	return b.tensor("blk.0.attn_norm.weight", 8, block, 32, 1).bytes()
}
