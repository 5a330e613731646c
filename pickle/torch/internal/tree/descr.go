// Dtypes of arrays.

package tree

import (
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// DescrOf returns a dtype in the form of a header, such as "<f4", or as the name of a dtype of ml_dtypes, or else what
// safetensors lacks. A dtype is dtype("f4", False, True) or dtype(ml_dtypes.bfloat16, False, True), with a state: a
// version, the byte order, the dtype of sub-arrays, the names and the positions of fields, and more
// (numpy/core/src/multiarray/descriptor.c).
func DescrOf(v pickle.Value) (descr, fault string) {
	d, ok := v.Called()
	if !ok || CalledName(d) != "numpy.dtype" {
		return "", "an array with a dtype that is " + WhatIs(v) + ", which safetensors lacks"
	}
	state, _ := d.State()
	const first, last = 2, 4 // what only sub-arrays and fields have
	for i := first; i <= last; i++ {
		if part := state.Item(i); state.Len() > 0 && !part.IsNone() {
			return "", "an array with fields or sub-arrays"
		}
	}
	order, _ := state.Item(1).Str()
	kind := d.Args().Item(0)
	if module, name, ok := kind.Global(); ok && module == "ml_dtypes" {
		return order + name, ""
	}
	code, ok := kind.Str()
	if !ok {
		return "", Lacks(WhatIs(kind))
	}
	return order + code, ""
}

// Lacks describes an array with a dtype that safetensors lacks.
func Lacks(descr string) string {
	return "an array with dtype " + wording.Quote(descr) + ", which safetensors lacks"
}
