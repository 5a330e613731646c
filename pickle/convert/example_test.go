// What a caller of a Conversion writes.

package convert_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle/convert"
)

// The weights of a training run, without the prefix that DistributedDataParallel puts
// before their names, and tied ones once.
func ExampleConversion() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, target := context.Background(), filepath.Join(dir, "model.safetensors")
	c := &convert.Conversion{StripPrefix: []string{"module."}, Shared: convert.Drop}
	plan, err := c.Plan(ctx, "../../testdata/torch/checkpoint.pt", target)
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	if err := plan.Write(ctx); err != nil {
		log.Fatal(err)
	}
	f, err := safetensors.Open(target)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for t := range f.Tensors() {
		fmt.Println(t.Name, t.Dtype, t.ShapeString())
	}
	fmt.Println(f.Header.Metadata)
	// Output:
	// embed.weight F32 [4, 3]
	// proj.weight F32 [2, 3]
	// norm.weight F16 [3]
	// map[format:pt head.weight:embed.weight]
}
