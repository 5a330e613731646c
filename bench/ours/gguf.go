// Reading GGUF files.

package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf"
)

// timeGGUF times opening a file, and listing its tensors.
func timeGGUF(name, iters string) (map[string]float64, error) {
	tensors := 0
	once := func() error {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		f, err := gguf.Open(file, info.Size())
		if err != nil {
			return err
		}
		tensors = len(f.Tensors)
		return nil
	}
	if err := once(); err != nil {
		return nil, err
	}
	ns, err := mean(iters, once)
	return map[string]float64{"ns": ns, "tensors": float64(tensors)}, err
}

// timeDequantize times decoding the first tensor of a file to float32, in memory and on one core. The rate counts the
// bytes read and written.
func timeDequantize(name, iters string) (map[string]float64, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := gguf.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	if len(f.Tensors) == 0 {
		return nil, fmt.Errorf("%s has no tensors", name)
	}
	t, err := f.Tensor(&f.Tensors[0])
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
	return map[string]float64{"ns": ns, "bytes": float64(f.Tensors[0].Span.Len() + 4*t.NumElems())}, err
}
