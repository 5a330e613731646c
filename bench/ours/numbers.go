// Decoding elements, and computing their statistics.

package main

import (
	"fmt"
	"os"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/stats"
)

// elements returns the named file's bytes as a tensor in memory, where the peers have theirs.
func elements(name string, dtype safetensors.Dtype) (*safetensors.Tensor, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if dtype.Bits() == 0 {
		return nil, fmt.Errorf("unknown dtype %q", dtype)
	}
	t, err := safetensors.NewTensor("t", b, int64(len(b)))
	if err != nil {
		return nil, err
	}
	t.Dtype, t.Shape = dtype, []int64{t.Size() * 8 / int64(dtype.Bits())}
	return t, nil
}

// timeDecode times decoding to float32. The rate counts the bytes read and written.
func timeDecode(name string, dtype safetensors.Dtype, iters string) (map[string]float64, error) {
	t, err := elements(name, dtype)
	if err != nil {
		return nil, err
	}
	dst := make([]float32, t.NumElems())
	once := func() error {
		_, err := safetensors.DecodeAt(t, dst, 0)
		return err
	}
	if err := once(); err != nil {
		return nil, err
	}
	ns, err := mean(iters, once)
	return map[string]float64{"ns": ns, "bytes": float64(t.Size() + 4*t.NumElems())}, err
}

// timeStats times a summary by one goroutine. The rate counts the bytes read.
func timeStats(name string, dtype safetensors.Dtype, iters string) (map[string]float64, error) {
	t, err := elements(name, dtype)
	if err != nil {
		return nil, err
	}
	c := stats.Counter{Workers: 1}
	once := func() error {
		_, err := c.Of(t)
		return err
	}
	if err := once(); err != nil {
		return nil, err
	}
	ns, err := mean(iters, once)
	return map[string]float64{"ns": ns, "bytes": float64(t.Size())}, err
}
