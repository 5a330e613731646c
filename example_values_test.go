// Values, as the documentation shows how to get at them.

package safetensors_test

import (
	"fmt"
	"io"
	"log"

	"github.com/weightools/safetensors"
)

// One row, and then one column, of a tensor. Nothing is read until Read is
// called, and then no more than is asked for.
func ExampleTensor_Slice() {
	table, err := safetensors.NewTensor("table", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	row, err := table.Slice(safetensors.At(-1))
	if err != nil {
		log.Fatal(err)
	}
	column, err := table.Slice(safetensors.All(), safetensors.At(0))
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range []*safetensors.Tensor{row, column} {
		values, err := safetensors.Read[float32](part)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(part.ShapeString(), values)
	}
	// Output:
	// [3] [4 5 6]
	// [2] [1 4]
}

func ExampleParseRanges() {
	tensor, err := safetensors.NewTensor("x", make([]uint8, 4*10*6), 4, 10, 6)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"3", "..., 0", ":, 2:-2, ::4", "0:0", "9"} {
		ranges, err := safetensors.ParseRanges(text)
		if err != nil {
			log.Fatal(err)
		}
		part, err := tensor.Slice(ranges...)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(part.ShapeString())
	}
	// Output:
	// [10, 6]
	// [4, 10]
	// [4, 6, 2]
	// [0, 10, 6]
	// safetensors: tensor "x": axis 0: index 9 is out of range: the axis has 4 indices
}

// A tensor of any dtype and size as numbers, through one small buffer.
func ExampleDecodeAt() {
	half, err := safetensors.NewTensor("x", []float64{1, 2.5, 1.0 / 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	half, err = half.Convert(safetensors.F16)
	if err != nil {
		log.Fatal(err)
	}
	var buf [2]float32
	for off := int64(0); ; off += int64(len(buf)) {
		n, err := safetensors.DecodeAt(half, buf[:], off)
		fmt.Println(buf[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// [1 2.5]
	// [0.33325195]
}

// A number that is out of range is an error, unless it is to be saturated.
func ExampleConverter() {
	tensor, err := safetensors.NewTensor("x", []float32{1.5, 2.5, 300}, 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range []safetensors.Converter{{}, {Saturate: true}} {
		bytes, err := c.Convert(tensor, safetensors.U8)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(safetensors.Read[uint8](bytes))
	}
	// Output:
	// [] safetensors: tensor "x": element 2 is 300, which U8 cannot hold
	// [2 2 255] <nil>
}
