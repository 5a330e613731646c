// How to use the package.

package stats_test

import (
	"bytes"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/stats"
)

func ExampleOf() {
	t := &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{
			Name: "bias", Dtype: safetensors.BF16, Shape: []int64{4},
			Offsets: safetensors.Span{End: 8},
		},
		// 1, 3.140625, -1.5 and a NaN
		ReaderAt: bytes.NewReader([]byte{0x80, 0x3f, 0x49, 0x40, 0xc0, 0xbf, 0xc0, 0x7f}),
	}
	s, err := stats.Of(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d numbers from %v to %v, mean %.4f, std %.4f\n", s.Count, s.Min, s.Max, s.Mean, s.StdDev)
	fmt.Println(s.Flags())
	// Output:
	// 4 numbers from -1.5 to 3.140625, mean 0.8802, std 1.8964
	// [nan]
}

func ExampleCounter() {
	t := &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{
			Name: "ids", Dtype: safetensors.U8, Shape: []int64{6},
			Offsets: safetensors.Span{End: 6},
		},
		ReaderAt: bytes.NewReader([]byte{1, 2, 3, 5, 8, 13}),
	}
	c := stats.Counter{Bins: 3, Quantiles: []float64{0.5}}
	s, err := c.Of(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Histogram.Edges, s.Histogram.Counts)
	fmt.Println("median", s.Quantiles[0])
	// Output:
	// [1 5 9 13] [3 2 1]
	// median 3
}
