// Consumer uses this library from a separate module. It lists the tensors of a file, reads
// one and writes another file.
//
//	consumer INPUT OUTPUT
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/weightools/safetensors"

	// These need no other module, either.
	_ "github.com/weightools/safetensors/check"
	_ "github.com/weightools/safetensors/checkpoint"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: consumer INPUT OUTPUT")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(input, output string) error {
	f, err := safetensors.Open(input)
	if err != nil {
		return err
	}
	defer f.Close()
	for t := range f.Tensors() {
		fmt.Println(t.Name, t.Dtype, t.Shape)
	}
	t, err := f.Tensor("model.norm.weight")
	if err != nil {
		return err
	}
	values, err := safetensors.Read[float32](t)
	if err != nil {
		return err
	}
	for i := range values {
		values[i] *= 2
	}
	doubled, err := safetensors.NewTensor("doubled", values, t.Shape...)
	if err != nil {
		return err
	}
	return safetensors.WriteFile(output, doubled)
}
