package filetype_test

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/filetype"
)

// A file that was cloned without Git LFS is a short text instead of weights.
func Example() {
	const name = "model.safetensors"
	f := strings.NewReader("version https://git-lfs.github.com/spec/v1\n" +
		"oid sha256:6c97bb8a0b9bd3ef5e7f3c0b25ee1fbf4fa2fd4d0e2e6b4e1f39b0cbcfd7e0b8\nsize 1024\n")
	t, err := filetype.Detect(f, f.Size())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Kind)
	fmt.Printf("%s is %s.\n", name, t.Kind.Name())
	fmt.Println(filetype.For(t.Advice(), name))
	// Output:
	// lfs-pointer
	// model.safetensors is a Git LFS pointer.
	// Run `git lfs pull` in its repository to download the real file.
}

func ExampleFor() {
	fmt.Println(filetype.For(filetype.TorchZip.Advice(), "my model.bin"))
	// Output: Convert it to safetensors: `weigh convert 'my model.bin' -o NEW.safetensors`.
}
