// Roles: which part of a packed weight a tensor is, by its name alone.

package model

import "strings"

// A role is the part that a tensor plays in its module. The first can hold the
// values of a weight; those after firstExtra come with one, and hold none.
type role uint8

const (
	weight       role = iota // "weight", or a parameter of its own such as "experts.gate_up_proj"
	packed                   // compressed-tensors: weight_packed
	qweight                  // GPTQ, AWQ and their kin
	blocks                   // gpt-oss: *_blocks
	hqqWeight                // HQQ: W_q
	exl2Weight               // EXL2: q_weight
	trellis                  // EXL3
	codes                    // AQLM
	indices                  // VPTQ
	latticeCodes             // QuIP#: Qidxs
	tiles                    // SpQR: dense_weights
	kept                     // compressed-tensors, sparse: compressed
	qdata                    // torchao: *_qdata
	data                     // quanto: weight._data, weight._data._data

	firstExtra
	scale      // one for each block of values
	scales     // the same, as GPTQ, MLX and gpt-oss call it
	zeros      // zero points
	groupIndex // the group of each input, so one for each input
	shapeOf    // the shape of the weight
	biases     // MLX: the offsets of affine quantization
	absmax     // bitsandbytes, 4 bits: the scales
	quantMap   // bitsandbytes, 4 bits: the values of the codes
	quantState // bitsandbytes, 4 bits: JSON
	columnMax  // bitsandbytes, 8 bits: the scales
	bitWidth   // HQQ: nbits
	inverse    // EXL2: one for each input
	codebooks  // AQLM, VPTQ
	tables     // HIGGS
	inSigns    // QuIP#: SU, one for each input
	outSigns   // QuIP#: SV, one for each output
	offsets    // SpQR: one for each row, and one more
	pairs      // SpQR: the permutation of inputs, two to an element
	bitmask    // compressed-tensors, sparse: a bit for each value
	sparsity   // Marlin: which of each four values are kept
	marker     // ComfyUI: JSON
	activation // scales of inputs, outputs and the cache of keys and values
	extra      // what no rule looks at
	roleCount
)

// leaves are the names of parts that stand alone after the last dot.
var leaves = map[string]role{
	"qweight": qweight, "qzeros": zeros, "scales": scales, "g_idx": groupIndex,
	"B": qweight, "s": scales, "workspace": extra, // GPTQ as Marlin packs it
	"W_q": hqqWeight, "scale": scale, "zero": zeros, "nbits": bitWidth, "shape": shapeOf, "packing": extra,
	"group_size": extra, "axis": extra, "unpack_view_dtype": extra, "view_as_float": extra, "quant_scale": extra,
	"quant_zero": extra, "compute_dtype": extra, "offload_meta": extra, "encoded_state_dict": extra,
	"stores_quant_config": extra, "channel_wise": extra, "optimize": extra, "round_zero": extra,
	"q_weight": exl2Weight, "q_invperm": inverse, "q_perm": inverse, "q_scale": extra, "q_scale_max": extra, "q_groups": extra,
	"blocks": blocks, "trellis": trellis, "suh": extra, "svh": extra, "su": extra, "sv": extra, "mcg": extra, "mul1": extra,
	"codes": codes, "codebooks": codebooks,
	"indices": indices, "res_indices": extra, "outlier_indices": extra, "perm": extra, "weight_bias": extra,
	"Qidxs": latticeCodes, "SU": inSigns, "SV": outSigns, "Wscale": extra, "codebook_id": extra, "scaleWH": extra, "ocs_dupe_inds": extra,
	"dense_weights": tiles, "row_offsets": offsets, "in_perm": pairs, "col_vals": extra,
	"compressed": kept, "bitmask": bitmask, "meta": sparsity,
	"tables": tables, "tables2": extra,
	"absmax": absmax, "quant_map": quantMap, "nested_absmax": extra, "nested_quant_map": extra,
	"SCB": columnMax, "weight_format": extra,
	"biases": biases,
	"_data":  data, "_scale": scale, "_shift": zeros,
	"scale_weight": scale, "scale_packed": scale, "scale_input": activation, "comfy_quant": marker, "pre_quant_scale": extra,
	"weight_zeros": zeros, "weight_s_rel": extra, "weight_s_channel": extra, "weight_codebook": extra,
	"weight_correction": extra, "weight_proj_down": extra, "weight_proj_up": extra, "weight_smooth_factor": extra,
	"zero_point": zeros, "input_scale": activation, "input_global_scale": activation, "input_zero_point": activation,
	"output_scale": activation, "k_scale": activation, "v_scale": activation, "act_global_scale": activation,
	"forward_hadamard_matrix": extra, "backward_hadamard_matrix": extra,
}

// endings are the ends of names that make a part of what stands before them, as
// in "weight_scale" and "experts.down_proj_scales". The longer come first.
var endings = []struct {
	text string
	role role
}{
	{"_weight_scale_inv", scale}, {"_weight_scale_2", extra}, {"_weight_scale", scale}, {"_input_scale", activation},
	{"_act_per_tensor_scale", extra}, {"_per_tensor_scale", extra}, {"_act_pre_scale", extra}, {"_global_scale", extra}, {"_scale_inv", scale}, {"_scale_2", extra}, {"_scales", scales}, {"_scale", scale},
	{"_blocks", blocks}, {"_packed", packed}, {"_shape", shapeOf}, {"_g_idx", groupIndex},
	{"_zero_point", zeros}, {"_qzeros", zeros}, {"_qdata", qdata}, {"_scale_and_zero", extra},
}

// split returns the part that a tensor of the given name may be, and the module
// that it would be a part of. The name of the module is that of the weight, with
// "weight" at its end left out.
func split(name string) (module string, r role) {
	leaf := name[strings.LastIndexByte(name, '.')+1:]
	rest := strings.TrimSuffix(name[:len(name)-len(leaf)], ".")
	if leaf == "weight" {
		if of, ok := strings.CutSuffix(rest, "centroids"); ok { // VPTQ keeps them as embeddings
			if of = strings.TrimSuffix(strings.TrimSuffix(of, "res_"), "outlier_"); strings.HasSuffix(of, ".") {
				return of[:len(of)-1], codebooks
			}
		}
		return rest, weight
	}
	if r, ok := leaves[leaf]; ok {
		return owner(rest), r
	}
	if strings.HasPrefix(leaf, "bitsandbytes__") {
		return owner(rest), quantState
	}
	if strings.IndexByte(leaf, '_') >= 0 {
		for i := range endings {
			// What is all ending is no part of anything.
			if e := &endings[i]; len(leaf) > len(e.text) && strings.HasSuffix(leaf, e.text) {
				if leaf[:len(leaf)-len(e.text)] == "weight" {
					return rest, e.role
				}
				return owner(name[:len(name)-len(e.text)]), e.role
			}
		}
	}
	return name, weight
}

// owner returns the module of a part, from its name without the part's: what is
// stored of a weight is named after the weight by some, and by others after the
// module.
func owner(rest string) string {
	rest = strings.TrimSuffix(rest, ".quant_state")
	rest = strings.TrimSuffix(rest, "._data")
	if short, ok := strings.CutSuffix(rest, "._weight"); ok {
		return short
	}
	return strings.TrimSuffix(rest, ".weight")
}
