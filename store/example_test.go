package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/weightools/safetensors/store"
)

// List the files of a local model, and read the start of one.
func Example() {
	ctx := context.Background()
	s := store.Dir("../testdata/sample")
	for e, err := range s.List(ctx, "") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Name, e.Size)
	}
	o, err := s.Open(ctx, "model-00002-of-00002.safetensors")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer o.Close()
	length := make([]byte, 8)
	if _, err := o.ReaderAt(ctx).ReadAt(length, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(length)
	// Output:
	// config.json 471
	// model-00001-of-00002.safetensors 169648
	// model-00002-of-00002.safetensors 128448
	// model.safetensors.index.json 528
	// [184 0 0 0 0 0 0 0]
}

// Any file system can be a store, for example an embedded one.
func ExampleFS() {
	s := store.FS(fstest.MapFS{"model.safetensors": {Data: []byte("not really a model")}})
	_, err := s.Open(context.Background(), "missing.safetensors")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output: true
}

// Locations of all kinds have the same form.
func ExampleParse() {
	for _, text := range []string{
		"models/llama/model.safetensors",
		"hf://org/repo@v1.0/model.safetensors",
		"https://huggingface.co/org/repo/blob/main/model.safetensors",
		"https://user:password@host.example/model.safetensors?signature=secret",
	} {
		r, err := store.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: root %s, revision %q, path %s\n", r.Scheme, r.Root, r.Revision, r.Path)
	}
	// Output:
	// file: root models/llama, revision "", path model.safetensors
	// hf: root org/repo, revision "v1.0", path model.safetensors
	// hf: root org/repo, revision "main", path model.safetensors
	// https: root https://host.example, revision "", path model.safetensors
}
