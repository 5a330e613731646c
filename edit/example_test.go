// How edits are written down.

package edit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

func ExampleEdit_InPlace() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "model.safetensors")
	bias, err := safetensors.NewTensor("h.0.bias", []float32{0.5, 1e6}, 2)
	if err != nil {
		log.Fatal(err)
	}
	if err := safetensors.WriteFile(name, bias); err != nil {
		log.Fatal(err)
	}

	e := &edit.Edit{
		Rename: []edit.Rename{{From: regexp.MustCompile(`^h\.`), To: "layers."}},
		Cast:   []edit.Cast{{To: safetensors.F16}},
		Set:    map[string]string{"format": "pt"},
	}
	receipt, err := e.InPlace(context.Background(), name)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range receipt.Tensors {
		fmt.Println(t.Was.Name, t.Was.Dtype, "is", t.Now.Name, t.Now.Dtype)
		fmt.Println(t.Losses.OutOfRange, "of its elements is out of range")
	}
	fmt.Println(receipt.Files[0].Action)

	// The file now has room in its header.
	receipt, err = (&edit.Edit{Set: map[string]string{"license": "mit"}}).InPlace(context.Background(), name)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receipt.Files[0].Action)
	// Output:
	// h.0.bias F32 is layers.0.bias F16
	// 1 of its elements is out of range
	// written
	// overwritten
}
