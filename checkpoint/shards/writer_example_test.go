// What a caller of the Writer writes.

package shards_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// A checkpoint is split into shards of 100 kB of data at most.
func ExampleWriter() {
	ctx := context.Background()
	cp, err := checkpoint.Open(ctx, "../../testdata/sample", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cp.Close()
	var tensors []*safetensors.Tensor
	for t, err := range cp.Tensors(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		tensors = append(tensors, t.Tensor)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w := shards.Writer{
		Encoder:  safetensors.Encoder{Metadata: map[string]string{"format": "pt"}},
		MaxShard: 100_000,
	}
	if _, err := w.Write(ctx, dir, tensors...); err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println(f.Name())
	}
	// Output:
	// model-00001-of-00003.safetensors
	// model-00002-of-00003.safetensors
	// model-00003-of-00003.safetensors
	// model.safetensors.index.json
}
