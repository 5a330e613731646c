// Dtypes in checkpoints.

package torch

import (
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/dtypes"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// dtypeOf returns the dtype for a name in module torch, or an error if safetensors lacks it.
func dtypeOf(name string) (safetensors.Dtype, error) {
	if d, ok := dtypes.Named(name); ok {
		return d, nil
	}
	return "", unsupportedf("a tensor of %s, a dtype that safetensors lacks", quoted(strings.TrimPrefix(name, "torch.")))
}

// descrOf returns a dtype in the form of a header; see [tree.DescrOf].
func descrOf(v pickle.Value) (string, error) {
	descr, fault := tree.DescrOf(v)
	if fault != "" {
		return "", unsupportedf("%s", fault)
	}
	return descr, nil
}

// lacking returns the error for an array with a dtype that safetensors lacks.
func lacking(descr string) error {
	return unsupportedf("%s", tree.Lacks(descr))
}

// known reports whether safetensors has the dtype of a header.
func known(descr string) bool {
	_, _, ok := dtypes.OfArray(descr)
	return ok
}
