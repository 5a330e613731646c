// Dtypes in checkpoints.

package torch

import (
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/dtypes"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// dtypeOf returns the dtype for a name in module torch, or an error if safetensors lacks it.
func dtypeOf(name string) (safetensors.Dtype, error) {
	if d, ok := dtypes.Named(name); ok {
		return d, nil
	}
	return "", unsupportedf("a tensor of %s, a dtype that safetensors lacks", quoted(strings.TrimPrefix(name, "torch.")))
}

// descrOf returns a dtype in the form of a header, such as "<f4", or as the name of a dtype of ml_dtypes. A dtype is
// dtype("f4", False, True) or dtype(ml_dtypes.bfloat16, False, True), with a state: a version, the byte order, the
// dtype of sub-arrays, the names and the positions of fields, and more (numpy/core/src/multiarray/descriptor.c).
func descrOf(v pickle.Value) (string, error) {
	d, ok := v.Called()
	if !ok || tree.CalledName(d) != "numpy.dtype" {
		return "", unsupportedf("an array with a dtype that is %s, which safetensors lacks", tree.WhatIs(v))
	}
	state, _ := d.State()
	const first, last = 2, 4 // what only sub-arrays and fields have
	for i := first; i <= last; i++ {
		if part := state.Item(i); state.Len() > 0 && !part.IsNone() {
			return "", unsupportedf("an array with fields or sub-arrays")
		}
	}
	order, _ := state.Item(1).Str()
	kind := d.Args().Item(0)
	if module, name, ok := kind.Global(); ok && module == "ml_dtypes" {
		return order + name, nil
	}
	code, ok := kind.Str()
	if !ok {
		return "", lacking(tree.WhatIs(kind))
	}
	return order + code, nil
}

// lacking returns the error for an array with a dtype that safetensors lacks.
func lacking(descr string) error {
	return unsupportedf("an array with dtype %s, which safetensors lacks", quoted(descr))
}

// known reports whether safetensors has the dtype of a header.
func known(descr string) bool {
	_, _, ok := dtypes.OfArray(descr)
	return ok
}
