// What a caller writes.

package checkpoint_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

func Example() {
	ctx := context.Background()
	cp, err := checkpoint.Open(ctx, "../testdata/sample", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cp.Close()
	for t, err := range cp.Tensors(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Name, t.Dtype, t.ShapeString())
	}
	// Output:
	// model.layers.0.input_layernorm.weight F32 [64]
	// model.embed_tokens.weight BF16 [1000, 64]
	// model.layers.0.mlp.down_proj.weight BF16 [64, 160]
	// model.layers.0.mlp.up_proj.weight BF16 [160, 64]
	// model.norm.weight F32 [64]
	// lm_head.weight BF16 [1000, 64]
}

// A shard is missing, and what is wrong with the others is told all the same.
func ExampleCheckpoint_Validate() {
	ctx := context.Background()
	cp, err := checkpoint.Open(ctx, "../vectors/sets/shard-missing/of-index", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cp.Close()
	for r, err := range cp.Validate(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if v := r.First(safetensors.Invalid); v != nil {
			fmt.Println(v.Detail)
		}
	}
	// Output:
	// shard "model-00002-of-00002.safetensors" is missing, and with it 2 tensors of the index, the first "b"
}

// A folder with a model in two precisions, of which one is to be counted.
func ExampleDiscover() {
	ctx := context.Background()
	sets, err := checkpoint.Discover(ctx, store.Dir("../vectors/sets/two-copies/precision"), "", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range sets {
		fmt.Println(s.Name, s.Role, s.Counted())
	}
	// Output:
	// model.safetensors model true
	// model.fp16.safetensors copy false
}
