// What the package is for, in a few lines.

package check_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// An adapter that is a valid file, and has nothing in it.
func ExampleValidate() {
	ctx := context.Background()
	from := store.FS(fstest.MapFS{
		"adapter_model.safetensors": {Data: []byte("\x20\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"format":"pt"}}`)},
		"adapter_config.json":       {Data: []byte(`{"peft_type": "LORA", "r": 16}`)},
	})
	sets, err := checkpoint.Discover(ctx, from, "", nil)
	if err != nil {
		log.Fatal(err)
	}
	for report, err := range check.Validate(ctx, from, "", sets, nil) {
		if err != nil {
			log.Fatal(err)
		}
		for _, v := range report.Violations {
			fmt.Printf("%s: %v: %s\n", report.File, v.Severity, v.Detail)
		}
	}
	// Output: adapter_model.safetensors: error: the adapter "adapter_model.safetensors" has no tensors
}
