// The files that a Python script made, as its comments have it.

package torch

import (
	"fmt"
	"strings"
	"testing"
)

func TestTestdata(t *testing.T) {
	for name, want := range map[string]string{
		"checkpoint.pt": "pytorch-zip model: module.embed.weight module.norm.weight module.proj.weight module.head.weight",
		"double.pt":     "pytorch-zip : weight",
		"extra.pt":      "pytorch-zip model: weight",
		"arrays.npz":    "npz : weight bias",
		"sharded/pytorch_model-00001-of-00002.bin": "pytorch-zip : embed.weight layers.0.weight",
		"sharded/pytorch_model-00002-of-00002.bin": "pytorch-zip : norm.weight mask",
	} {
		cp, err := open(t, "../../testdata/torch/"+name, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, tensor := range cp.Tensors {
			names = append(names, tensor.Name)
		}
		if got := fmt.Sprintf("%s %s: %s", cp.Format, cp.Root, strings.Join(names, " ")); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if err := cp.CheckSums(); err != nil {
			t.Error(err)
		}
	}
}
