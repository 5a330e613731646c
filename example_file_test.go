// Examples of opening, writing and checking a file.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/weightools/safetensors"
)

// List the tensors of a file. Only the header is read.
func ExampleOpen() {
	f, err := safetensors.Open("testdata/sample/model-00002-of-00002.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for t := range f.Tensors() {
		fmt.Println(t.Name, t.Dtype, t.ShapeString(), t.Size(), "bytes")
	}
	// Output:
	// model.norm.weight F32 [64] 256 bytes
	// lm_head.weight BF16 [1000, 64] 128000 bytes
}

// Write a tensor whose bytes come from a reader. They are never all in memory.
func ExampleTensorFrom() {
	connection := strings.NewReader("\x00\x00\x80\x3f\x00\x00\x00\x40") // 1 and 2 as float32
	t, err := safetensors.TensorFrom("bias", safetensors.F32, []int64{2}, connection)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := safetensors.Encode(&file, t); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", file.Bytes()[8:])
	// Output:
	// "{\"bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}       \x00\x00\x80?\x00\x00\x00@"
}

// Tell an invalid file from one that cannot be read.
func ExampleViolation() {
	file := "\x47\x00\x00\x00\x00\x00\x00\x00" + `{"bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}` + strings.Repeat(" ", 14) + "1234"
	_, err := safetensors.NewFile(strings.NewReader(file), int64(len(file)))
	var v *safetensors.Violation
	switch {
	case errors.As(err, &v):
		fmt.Println(v.Rule, "is broken:", v.Detail)
		fmt.Println(v.Severity, v.Tensor, v.Span)
		fmt.Println(v.Fix)
	case err != nil:
		fmt.Fprintln(os.Stderr, "reading failed:", err)
	}
	fmt.Println(errors.Is(err, safetensors.RuleTruncated))
	// Output:
	// rule truncated is broken: the file is 4 bytes short: expected 87 bytes, found 83; 1 tensor is truncated: "bias"
	// invalid bias [83, 87)
	// Download the file again: it is truncated.
	// true
}
