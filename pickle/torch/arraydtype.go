// Dtypes of NumPy and their equivalents in safetensors.

package torch

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// arrayDtypes are the dtypes that safetensors has, without byte order. Package ml_dtypes adds those with longer names.
var arrayDtypes = map[string]safetensors.Dtype{
	"b1": safetensors.BOOL, "?": safetensors.BOOL, "u1": safetensors.U8, "i1": safetensors.I8,
	"u2": safetensors.U16, "i2": safetensors.I16, "f2": safetensors.F16,
	"u4": safetensors.U32, "i4": safetensors.I32, "f4": safetensors.F32,
	"u8": safetensors.U64, "i8": safetensors.I64, "f8": safetensors.F64, "c8": safetensors.C64,

	"bfloat16": safetensors.BF16, "float8_e4m3fn": safetensors.F8_E4M3, "float8_e5m2": safetensors.F8_E5M2,
	"float8_e4m3fnuz": safetensors.F8_E4M3FNUZ, "float8_e5m2fnuz": safetensors.F8_E5M2FNUZ,
	"float8_e8m0fnu": safetensors.F8_E8M0,
}

// descrOf returns a dtype in the form of a header, such as "<f4", or as the name of a dtype of ml_dtypes. A dtype is
// dtype("f4", False, True) or dtype(ml_dtypes.bfloat16, False, True), with a state: a version, the byte order, the dtype
// of sub-arrays, the names and the positions of fields, and more (numpy/core/src/multiarray/descriptor.c).
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
	_, _, ok := npyDtype(descr)
	return ok
}
