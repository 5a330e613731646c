// Roles: which part of a packed weight a tensor is, by its name.

package parts

import (
	"strings"
	"sync"
)

// A Role is the part that a tensor plays in its module. The roles before Extra hold the values of a
// weight; the others accompany a packed weight and hold none.
type Role uint8

// The roles that hold values.
const (
	Weight       Role = iota // "weight", or any other name, such as "experts.gate_up_proj"
	Packed                   // compressed-tensors: weight_packed
	QWeight                  // GPTQ, AWQ and similar
	Blocks                   // gpt-oss: *_blocks
	HQQWeight                // HQQ: W_q
	EXL2Weight               // EXL2: q_weight
	Trellis                  // EXL3
	Codes                    // AQLM
	Indices                  // VPTQ
	LatticeCodes             // QuIP#: Qidxs
	Tiles                    // SpQR: dense_weights
	Kept                     // compressed-tensors, sparse: compressed
	QData                    // torchao: *_qdata
	Data                     // quanto: weight._data, weight._data._data
)

// The roles of companions.
const (
	Extra        Role = Data + 1 + iota // no rule needs it
	Scale                               // one for each block of values
	ScaleInv                            // the same: weight_scale_inv, or scale_packed
	Scale2                              // ModelOpt and torchao: the scale of scales
	GlobalScale                         // compressed-tensors: the scale of scales
	Scales                              // one for each block of values, as named by GPTQ, MLX and gpt-oss
	Zeros                               // zero points
	GroupIndex                          // the group of each input, so one for each input
	ShapeOf                             // the shape of the weight
	Biases                              // MLX: the offsets of affine quantization
	Absmax                              // bitsandbytes, 4 bits: the scales
	NestedAbsmax                        // bitsandbytes, 4 bits: the scales of scales
	QuantMap                            // bitsandbytes, 4 bits: the values of the codes
	NestedMap                           // bitsandbytes, 4 bits: the same for scales
	QuantState                          // bitsandbytes, 4 bits: JSON
	ColumnMax                           // bitsandbytes, 8 bits: the scales
	BitWidth                            // HQQ: nbits
	Inverse                             // EXL2: one for each input
	Codebooks                           // AQLM, VPTQ
	Tables                              // HIGGS
	InSigns                             // QuIP#: SU, and EXL3: suh; one for each input
	OutSigns                            // QuIP#: SV, and EXL3: svh; one for each output
	Offsets                             // SpQR: one for each row, and one more
	Pairs                               // SpQR: the permutation of inputs, two to an element
	Bitmask                             // compressed-tensors, sparse: a bit for each value
	Sparsity                            // Marlin: which two of four values are kept
	Marker                              // ComfyUI: JSON
	WScales                             // Nunchaku: one for each block of values, [in/group, out]
	WeightOffset                        // msmodelslim: zero points, shaped like the scales
	OutputScale                         // msmodelslim: deq_scale, one for each output
	GroupScales                         // EXL2: q_scale, 4 bits for each group and output
	GroupMax                            // EXL2: q_scale_max, one for each group
	Activation                          // scales of inputs, outputs and the key-value cache

	Count // the number of roles
)

// Holds reports whether tensors of the role hold the values of a weight.
func (r Role) Holds() bool { return r < Extra }

// IsScale reports whether values of the role are multiplied with the values of the weight.
func (r Role) IsScale() bool {
	switch r {
	case Scale, ScaleInv, Scale2, GlobalScale, Scales, Absmax:
		return true
	}
	return false
}

// IsAuxiliary reports whether the role also occurs without a packed weight.
func (r Role) IsAuxiliary() bool {
	switch r {
	case Extra, Activation, Scale2, GlobalScale, NestedAbsmax, NestedMap:
		return true
	}
	return false
}

// IsOnlyPacked reports whether tensors of the role, under any name that it has, exist only in packed models.
func (r Role) IsOnlyPacked() bool {
	switch r {
	case Activation, ScaleInv, Scale2, GlobalScale, GroupIndex, Absmax, NestedAbsmax, QuantMap, NestedMap, QuantState,
		ColumnMax, WScales, WeightOffset, OutputScale, GroupScales, GroupMax:
		return true
	}
	return false
}

// IsWeightScale reports whether a tensor is the scale or zero point of a packed weight by its name alone.
func IsWeightScale(name string) bool {
	_, r := Split(name)
	return (r == Scale || r == Zeros) && strings.HasPrefix(Last(name), "weight_")
}

// roleNames are the usual names of companions.
var roleNames = [Count]string{
	Scale: "weight_scale", ScaleInv: "weight_scale_inv", Scale2: "weight_scale_2", GlobalScale: "weight_global_scale",
	Scales: "scales", Zeros: "qzeros", GroupIndex: "g_idx", ShapeOf: "weight_shape", Biases: "biases",
	Absmax: "absmax", QuantMap: "quant_map", QuantState: "quant_state", NestedAbsmax: "nested_absmax",
	NestedMap: "nested_quant_map",
}

// String returns the usual name of a companion, for messages.
func (r Role) String() string { return roleNames[r] }

// leaves are names after the last dot.
var leaves = sync.OnceValue(func() map[string]Role {
	return map[string]Role{
		"qweight": QWeight, "qzeros": Zeros, "scales": Scales, "g_idx": GroupIndex,
		"B": QWeight, "s": Scales, "workspace": Extra, // GPTQ as Marlin packs it
		"s_group": Scales, "s_channel": Extra, // QQQ
		"theta": Extra, "pairs": Extra, "channel_scales": Extra, // ParoQuant: rotations of the inputs
		"W_q": HQQWeight, "scale": Scale, "zero": Zeros, "nbits": BitWidth, "shape": ShapeOf, "packing": Extra,
		"group_size": Extra, "axis": Extra, "unpack_view_dtype": Extra, "view_as_float": Extra, "quant_scale": Extra,
		"quant_zero": Extra, "compute_dtype": Extra, "offload_meta": Extra, "encoded_state_dict": Extra,
		"stores_quant_config": Extra, "channel_wise": Extra, "optimize": Extra, "round_zero": Extra,
		"q_weight": EXL2Weight, "q_invperm": Inverse, "q_perm": Inverse,
		"q_scale": GroupScales, "q_scale_max": GroupMax, "q_groups": Extra,
		"blocks": Blocks, "trellis": Trellis, "suh": InSigns, "svh": OutSigns, "su": Extra, "sv": Extra, "mcg": Extra,
		"mul1":  Extra,
		"codes": Codes, "codebooks": Codebooks,
		"indices": Indices, "res_indices": Extra, "outlier_indices": Extra, "perm": Extra, "weight_bias": Extra,
		"Qidxs": LatticeCodes, "SU": InSigns, "SV": OutSigns,
		"Wscale": Extra, "codebook_id": Extra, "scaleWH": Extra, "ocs_dupe_inds": Extra,
		"dense_weights": Tiles, "row_offsets": Offsets, "in_perm": Pairs, "col_vals": Extra,
		"compressed": Kept, "bitmask": Bitmask, "meta": Sparsity,
		"tables": Tables, "tables2": Extra,
		"absmax": Absmax, "quant_map": QuantMap, "nested_absmax": NestedAbsmax, "nested_quant_map": NestedMap,
		"SCB": ColumnMax, "weight_format": Extra,
		"biases": Biases,
		"_data":  Data, "_scale": Scale, "_shift": Zeros,
		"scale_weight": Scale, "scale_packed": ScaleInv, "scale_input": Activation, "comfy_quant": Marker,
		"pre_quant_scale": Extra,
		"weight_zeros":    Zeros, "weight_s_rel": Extra, "weight_s_channel": Extra, "weight_codebook": Extra,
		"weight_correction": Extra, "weight_proj_down": Extra, "weight_proj_up": Extra, "weight_smooth_factor": Extra,
		"zero_point": Zeros, "input_scale": Activation, "input_global_scale": Activation, "input_zero_point": Activation,
		"output_scale": Activation, "k_scale": Activation, "v_scale": Activation, "act_global_scale": Activation,
		"input_scale_ub": Activation, "q_scale_ub": Activation, "input_offset": Activation,
		"kv_cache_scale": Activation, "kv_cache_offset": Activation, "k_cache_scale": Activation,
		"v_cache_scale": Activation, "k_cache_offset": Activation, "v_cache_offset": Activation,
		"forward_hadamard_matrix": Extra, "backward_hadamard_matrix": Extra,
		"wscales": WScales, "wzeros": Zeros, "wtscale": Extra, "wcscales": Extra, "smooth": Extra, "smooth_orig": Extra,
		"smooth_factor": Extra, "smooth_factor_orig": Extra, "proj_down": Extra, "proj_up": Extra, "lora_down": Extra,
		"lora_up":       Extra,
		"weight_offset": WeightOffset, "deq_scale": OutputScale, "quant_bias": Extra, "scale_bias": Extra,
		"weight_scale_second": Extra, "weight_offset_second": Extra, "weight_dual_scale": Extra, "clip_ratio": Extra,
		"left_trans": Extra, "right_trans": Extra, "svd_lowrank_l1": Extra, "svd_lowrank_l2": Extra,
	}
})

// endings are the ends of names that make a tensor a part of what comes before them, as in
// "weight_scale" and "experts.down_proj_scales". Of two that end alike, the longer comes first.
var endings = []struct {
	text string
	role Role
}{
	{"_weight_scale_inv", ScaleInv}, {"_weight_scale_2", Scale2}, {"_weight_scale", Scale}, {"_input_scale", Activation},
	{"_act_per_tensor_scale", Extra}, {"_per_tensor_scale", Scale2}, {"_act_pre_scale", Extra},
	{"_global_scale", GlobalScale}, {"_scale_inv", ScaleInv}, {"_scale_2", Scale2}, {"_scales", Scales},
	{"_scale", Scale},
	{"_blocks", Blocks}, {"_packed", Packed}, {"_shape", ShapeOf}, {"_g_idx", GroupIndex},
	{"_zero_point", Zeros}, {"_qzeros", Zeros}, {"_qdata", QData}, {"_scale_and_zero", Scales},
}

// Split returns the role that a tensor of the given name may have, and the module that it belongs to.
// The module's name is the name of the weight without a final ".weight".
func Split(name string) (module string, r Role) {
	leaf := Last(name)
	rest := strings.TrimSuffix(name[:len(name)-len(leaf)], ".")
	if strings.Contains(name, "_q.") || strings.Contains(name, "meta.") {
		if module, r, ok := splitSINQ(name); ok {
			return module, r
		}
	}
	if leaf == "weight" {
		if of, ok := strings.CutSuffix(rest, "centroids"); ok { // VPTQ stores them as embeddings
			of = strings.TrimSuffix(strings.TrimSuffix(of, "res_"), "outlier_")
			if strings.HasSuffix(of, ".") {
				return of[:len(of)-1], Codebooks
			}
		}
		return rest, Weight
	}
	if r, ok := leaves()[leaf]; ok {
		return owner(rest), r
	}
	if strings.HasPrefix(leaf, "bitsandbytes__") {
		return owner(rest), QuantState
	}
	if strings.IndexByte(leaf, '_') < 0 {
		return name, Weight
	}
	for i := range endings {
		e := &endings[i]
		if len(leaf) <= len(e.text) || !strings.HasSuffix(leaf, e.text) {
			continue
		}
		if leaf[:len(leaf)-len(e.text)] == "weight" {
			return rest, e.role
		}
		return owner(name[:len(name)-len(e.text)]), e.role
	}
	return name, Weight
}

// sinqFields are the parts of SINQ's metadata that are tensors. A scale that is itself quantized has three.
var sinqFields = sync.OnceValue(func() map[string]Role {
	return map[string]Role{
		"scale": Scale, "scale.x": Scale, "scale.s": Extra, "scale.m": Extra, "scale2": Extra, "awq_scale": Extra,
		"zero": Zeros, "zero.x": Zeros, "zero.s": Extra, "zero.m": Extra,
	}
})

// splitSINQ splits the names of SINQ: "up.meta.scale", and of experts "experts.gate_up_W_q.0" and
// "experts.gate_up_meta.0.scale".
func splitSINQ(name string) (module string, r Role, ok bool) {
	if before, number, ok := strings.Cut(name, "_W_q."); ok {
		return before + "." + number, HQQWeight, true
	}
	if before, field, ok := strings.Cut(name, ".meta."); ok {
		r, ok := sinqFields()[field]
		return before, r, ok
	}
	if before, after, ok := strings.Cut(name, "_meta."); ok {
		number, field, _ := strings.Cut(after, ".")
		r, ok := sinqFields()[field]
		return before + "." + number, r, ok
	}
	return "", 0, false
}

// owner returns the module of a part from the part's name without its own word. Some programs name
// parts after the weight, and others after the module.
func owner(rest string) string {
	rest = strings.TrimSuffix(rest, ".quant_state")
	rest = strings.TrimSuffix(rest, "._data")
	if short, ok := strings.CutSuffix(rest, "._weight"); ok {
		return short
	}
	return strings.TrimSuffix(rest, ".weight")
}

// Last returns the part of a name after its last dot.
func Last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
