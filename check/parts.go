// Parts of a packed weight: what the tensors are called that belong to one module.

package check

import (
	"strings"

	"github.com/weightools/safetensors"
)

// A part is what a tensor is to a packed weight. The first ones are weights, the
// others their companions.
type part uint8

// The parts, with the names by which each is known.
const (
	partNone      part = iota
	partQWeight        // "qweight": GPTQ and AWQ, and others
	partPacked         // "weight_packed": compressed-tensors, integers
	partPacked4        // "weight_packed", U8: compressed-tensors, NVFP4 and MXFP4
	partBlocks         // "..._blocks", U8: MXFP4
	partWeightF8       // "weight" or an expert's projection, of an 8-bit float
	partWeightI8       // "weight", I8
	partWeightU8       // "weight", U8: NVFP4 by ModelOpt, or bitsandbytes
	partWeightU32      // "weight", U32: MLX

	partScales      // "scales"
	partBlockScales // "..._scales", or "scales" of U8: exponents
	partScale       // "weight_scale", "..._scale", "scale_weight" or "scale"
	partScaleInv    // "weight_scale_inv", or "scale_packed"
	partScale2      // "weight_scale_2"
	partGlobalScale // "weight_global_scale"
	partZeros       // "qzeros"
	partGIdx        // "g_idx"
	partShape       // "weight_shape"
	partBiases      // "biases"
	partAbsmax      // "weight.absmax"
	partQuantMap    // "weight.quant_map"
	partQuantState  // "weight.quant_state.bitsandbytes__nf4" and the like
	partNested      // "weight.nested_absmax"
	partNestedMap   // "weight.nested_quant_map"
	partCount
)

// partNames are the names of companions in messages.
var partNames = [partCount]string{
	partScales: "scales", partBlockScales: "scales", partScale: "weight_scale", partScaleInv: "weight_scale_inv", partScale2: "weight_scale_2",
	partGlobalScale: "weight_global_scale", partZeros: "qzeros", partGIdx: "g_idx", partShape: "weight_shape", partBiases: "biases",
	partAbsmax: "absmax", partQuantMap: "quant_map", partQuantState: "quant_state", partNested: "nested_absmax", partNestedMap: "nested_quant_map",
}

// isScale says whether numbers of the part are multiplied with those of the weight.
func (p part) isScale() bool {
	switch p {
	case partScales, partBlockScales, partScale, partScaleInv, partScale2, partGlobalScale, partAbsmax:
		return true
	}
	return false
}

// leaves are companions, by the last element of their names.
var leaves = map[string]part{
	"scales": partScales, "qzeros": partZeros, "g_idx": partGIdx, "biases": partBiases, "scale": partScale, "scale_weight": partScale,
	"scale_packed": partScaleInv,
	"absmax":       partAbsmax, "quant_map": partQuantMap, "nested_absmax": partNested, "nested_quant_map": partNestedMap,
}

// suffixes are companions by the end of a name. What is before it is the weight, or
// the name of an expert's projection in which all experts are one tensor. The
// longer of two that end alike comes first.
var suffixes = []struct {
	text string
	part part
}{
	{"_global_scale", partGlobalScale}, {"_scale_inv", partScaleInv}, {"_scale_2", partScale2}, {"_scale", partScale}, {"_scales", partBlockScales}, {"_shape", partShape},
}

// partOf returns what a tensor is to a packed weight, and the module of that.
func partOf(ti *safetensors.TensorInfo, n name) (part, string) {
	if n.leaf == "weight" {
		return weightPart(ti.Dtype), n.module
	}
	if p := leaves[n.leaf]; p != partNone && !(p == partScales && ti.Dtype == safetensors.U8) {
		return p, strings.TrimSuffix(n.module, ".weight")
	}
	switch {
	case n.leaf == "scales":
		return partBlockScales, n.module
	case n.leaf == "qweight":
		return partQWeight, n.module
	case n.leaf == "weight_packed" && ti.Dtype == safetensors.U8:
		return partPacked4, n.module
	case n.leaf == "weight_packed":
		return partPacked, n.module
	case strings.HasPrefix(n.leaf, "bitsandbytes__"):
		return partQuantState, strings.TrimSuffix(strings.TrimSuffix(n.module, ".quant_state"), ".weight")
	case strings.HasSuffix(n.leaf, "_blocks") && ti.Dtype == safetensors.U8:
		return partBlocks, strings.TrimSuffix(ti.Name, "_blocks")
	}
	for i := range suffixes {
		if of, ok := strings.CutSuffix(ti.Name, suffixes[i].text); ok {
			return suffixes[i].part, strings.TrimSuffix(of, ".weight")
		}
	}
	if isFloat8(ti.Dtype) {
		return partWeightF8, ti.Name
	}
	return partNone, ""
}

// weightPart returns what a tensor called "weight" is, by its dtype.
func weightPart(d safetensors.Dtype) part {
	switch {
	case isFloat8(d):
		return partWeightF8
	case d == safetensors.I8:
		return partWeightI8
	case d == safetensors.U8:
		return partWeightU8
	case d == safetensors.U32:
		return partWeightU32
	}
	return partNone
}
