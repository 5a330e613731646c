// Opening a PyTorch checkpoint, as weigh info does.

package main

import (
	"os"

	"github.com/weightools/safetensors/pickle/torch"
)

// timeTorch times opening a checkpoint up to its last tensor.
func timeTorch(name, iters string) (map[string]float64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	tensors := 0
	ns, err := mean(iters, func() error {
		cp, err := torch.Open(f, info.Size(), nil)
		if err == nil {
			tensors = len(cp.Tensors)
		}
		return err
	})
	return map[string]float64{"ns": ns, "tensors": float64(tensors)}, err
}
