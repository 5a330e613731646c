// Writing files from memory and from other files.

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// inMemory returns the named file's tensors, which have 16-bit elements, with their data in memory.
func inMemory(name string) ([]*safetensors.Tensor, error) {
	f, err := safetensors.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var tensors []*safetensors.Tensor
	for t := range f.Tensors() {
		elements, err := safetensors.Read[uint16](t)
		if err != nil {
			return nil, err
		}
		held, err := safetensors.NewTensor(t.Name, elements, t.Shape...)
		if err != nil {
			return nil, err
		}
		tensors = append(tensors, held)
	}
	return tensors, nil
}

// encode writes tensors to a temporary file and renames it, without waiting for the disk, as the peers do.
func encode(name string, tensors ...*safetensors.Tensor) error {
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return err
	}
	if err := errors.Join(safetensors.Encode(f, tensors...), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// timeWrite times write with tensors in memory.
func timeWrite(name, out, iters string, write func(string, ...*safetensors.Tensor) error) (map[string]float64, error) {
	tensors, err := inMemory(name)
	if err != nil {
		return nil, err
	}
	return timeAnew(out, iters, func() error { return write(out, tensors...) })
}

// timeMerge times merging a folder of shards to one file, without waiting for the disk.
func timeMerge(dir, out, iters string) (map[string]float64, error) {
	ctx := context.Background()
	return timeAnew(out, iters, func() error {
		cp, err := checkpoint.Open(ctx, dir, nil)
		if err != nil {
			return err
		}
		defer cp.Close()
		var tensors []*safetensors.Tensor
		for t, err := range cp.Tensors(ctx) {
			if err != nil {
				return err
			}
			tensors = append(tensors, t.Tensor)
		}
		return encode(out, tensors...)
	})
}

// timeAnew times the creation of a file that does not exist, on an idle disk.
func timeAnew(out, iters string, once func() error) (map[string]float64, error) {
	n, err := strconv.Atoi(iters)
	if err != nil {
		return nil, err
	}
	var total time.Duration
	for range n {
		os.Remove(out)
		if err := exec.Command("sync").Run(); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := once(); err != nil {
			return nil, err
		}
		total += time.Since(start)
	}
	info, err := os.Stat(out)
	if err != nil {
		return nil, err
	}
	return map[string]float64{
		"ns":    float64(total.Nanoseconds()) / float64(n),
		"bytes": float64(info.Size()),
	}, os.Remove(out)
}
