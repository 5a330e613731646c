// What a caller of Open writes.

package torch_test

import (
	"fmt"
	"log"
	"os"

	"github.com/weightools/safetensors/pickle/torch"
)

// The tensors of a checkpoint, and what else is in it.
func ExampleOpen() {
	f, err := os.Open("../../testdata/torch/checkpoint.pt")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	cp, err := torch.Open(f, info.Size(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range cp.Tensors {
		fmt.Println(t.Name, t.Dtype, t.ShapeString())
	}
	for _, s := range cp.Skipped {
		fmt.Printf("without %s: %s\n", s.Path, s.What)
	}
	// Output:
	// module.embed.weight F32 [4, 3]
	// module.norm.weight F16 [3]
	// module.proj.weight F32 [2, 3]
	// module.head.weight F32 [4, 3]
	// without epoch: an int
	// without optimizer: 2 tensors and 2 other values
}
