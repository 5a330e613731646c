// Package scheme counts the values of packed weights. Each scheme of packing is one row of a table
// and one function.
package scheme

import "github.com/weightools/safetensors/internal/parts"

// Table lists the schemes in the order in which they are tried. A scheme that needs more parts comes
// before one that needs fewer.
var Table = []Scheme{
	{
		"bnb-4bit", "bitsandbytes", parts.Weight, parts.Known, parts.Absmax,
		"Each byte holds two values. quant_state has the shape and the block size, which has to fit absmax; without it, " +
			"there may be one value fewer.",
		"bitsandbytes 95f9af3: functional.py QuantState.as_dict, backends/default/ops.py quantize_4bit", countBnB4,
	},
	{
		"bnb-8bit", "bitsandbytes int8", parts.Weight, parts.Int8, parts.ColumnMax,
		"Each byte holds one value. SCB has a scale for each row.",
		"bitsandbytes 95f9af3: nn/modules.py Linear8bitLt", countBnB8,
	},
	{
		"comfy", "ComfyUI", parts.Weight, parts.Int8, parts.Weight,
		"comfy_quant or _quantization_metadata names the format. A byte holds two values of 4 bits or one of 8 bits.",
		"comfy-kitchen 7d86acf: comfy_kitchen/tensor; ComfyUI: QUANTIZATION.md", countComfy,
	},
	{
		"mxfp4-blocks", "mxfp4", parts.Blocks, parts.U8, parts.Scales,
		"Each byte holds two values. Each block of 16 bytes has one scale.",
		"transformers: integrations/mxfp4.py convert_moe_packed_tensors; OCP MX v1.0", countBlocks,
	},
	{
		"mlx", "mlx", parts.Weight, parts.Int32, parts.Scales,
		"bits × group size × scales = 32 × words. The configuration gives bits and group size; without it, all combinations " +
			"that MLX supports are tried, and the size of the norms tells how many inputs there are.",
		"MLX: mlx.core.quantize", countMLX,
	},
	{
		"svdquant", "svdquant", parts.QWeight, parts.I8 | parts.Int32, parts.WScales,
		"Each value has 4 bits. wscales has one row for every 64 inputs (int4) or 16 (nvfp4) and a column for each output. " +
			"The low-rank matrices correct the weight and are not counted in addition.",
		"nunchaku 3a3cc3d: nunchaku/models/linear.py SVDQW4A4Linear, AWQW4A16Linear", countSVDQuant,
	},
	{
		"fp-quant", "fp4", parts.QWeight, parts.U8, parts.Scales,
		"Each byte holds two values. A scale covers 16 values (nvfp4) or 32 (mxfp4).",
		"FP-Quant b50e00a: inference_lib/src/fp_quant/module/linear.py", countFPQuant,
	},
	{
		"int-words", "gptq", parts.QWeight, parts.Integer | parts.Int64, parts.Scales,
		"Values fill words without gaps: 32 values of 3 bits fill three words. " +
			"The shapes of qzeros, g_idx and scales prove the width; otherwise the configuration gives it. " +
			"The number of scales has to fit the group size.",
		"GPTQModel f4c327a: nn_modules/qlinear/__init__.py; AutoAWQ 88e4c76: modules/linear", countWords,
	},
	{
		"packed-fp4", "fp4", parts.Packed, parts.Int8, parts.Scale,
		"Each byte holds two values, the first in the low half. A scale covers 8 bytes (nvfp4) or 16 (mxfp4); " +
			"24 bytes are 32 values of 6 bits (mxfp6).",
		"compressed-tensors ac8e2ba: compressors/nvfp4/base.py, mxfp4/base.py", countFP4,
	},
	{
		"marlin-24", "compressed-tensors 2:4", parts.Packed, parts.Int32, parts.Sparsity,
		"Two of each four values are stored. An element of meta describes 16 values.",
		"compressed-tensors 9919229: compressors/sparse_quantized_compressors/marlin_24.py", countMarlin24,
	},
	{
		"packed-int", "compressed-tensors", parts.Packed, parts.Int16 | parts.Int32, parts.Weight,
		"Values fill the words of a row without gaps. weight_shape or the length of weight_g_idx gives their number; " +
			"without them, the last word of each row may be partly empty.",
		"compressed-tensors ac8e2ba: compressors/pack_quantized/helpers.py pack_to_int32", countRows,
	},
	{
		"sparse", "compressed-tensors", parts.Kept, parts.Float | parts.Float8 | parts.Int8, parts.Bitmask,
		"The mask has a bit for each value. If two of each four values are stored, there are twice as many values; " +
			"otherwise shape gives their number. Without it, the last byte of each row may be partly empty.",
		"compressed-tensors 179cba9: compressors/sparse_compressors/sparse_24_bitmask.py, sparse_bitmask.py", countSparse,
	},
	{
		"higgs", "higgs", parts.Weight, parts.Int16, parts.Tables,
		"Values of 2 to 4 bits fill words of 16 bits along the outputs; scales has one row for each output.",
		"transformers: integrations/higgs.py", countHIGGS,
	},
	{
		"fp8", "fp8", parts.Weight, parts.Float8, parts.Scale,
		"Each byte holds one value.",
		"DeepSeek-V3: README_WEIGHTS.md; compressed-tensors ac8e2ba: compressors/naive_quantized", countFP8,
	},
	{
		"ascend", "int8", parts.Weight, parts.I8, parts.OutputScale,
		"Each byte holds one value. deq_scale has a scale for each output.",
		"msmodelslim 26.1.0: core/quant_service/modelslim_v1/save/ascendv1.py on_w8a8_static", countAscend,
	},
	{
		"block-scaled", "fp4", parts.Weight, parts.Int8, parts.Scale,
		"The shape of the scales tells whether a byte holds one value or two: a scale covers 8 bytes of nvfp4, 16 of mxfp4, " +
			"24 of mxfp6 and 32 of mxfp8. If scales are floats, there is one value in a byte, or two if there are twice as " +
			"many rows of scales as of bytes; quant_model_description.json and the configuration tell other packings.",
		"compressed-tensors ac8e2ba: compressors/naive_quantized/base.py, entrypoints/convert/converters/modelopt_nvfp4.py; " +
			"Model-Optimizer a2fbac7: export/quant_utils.py pack_int4_in_uint8; msmodelslim 26.1.0: " +
			"save/utils/pack.py w4a8_pack_int4; transformers: integrations/bitnet.py; OCP MX v1.0", countScaled,
	},
	{
		"quark", "quark", parts.Weight, parts.Int32, parts.Scale,
		"Each word holds eight values of 4 bits: outputs if scales are for groups, and inputs otherwise.",
		"amd-quark 0.13: torch/utils/pack.py Pack_4_bits", countQuark,
	},
	{
		"eetq", "int8", parts.Weight, parts.I8, parts.Scales,
		"Each byte holds one value.",
		"transformers: integrations/eetq.py", countEETQ,
	},
	{
		"expert-dtype", "fp4", parts.Weight, parts.Int8, parts.Weight,
		"expert_dtype or store_dtype in the configuration gives the width of routed experts.",
		"huggingface.js 2.17.5: parse-safetensors-metadata.ts", countExperts,
	},
	{
		"hqq", "hqq", parts.HQQWeight, parts.Known, parts.Scale,
		"There is a scale for each row that is unpacked. If groups are columns, shape gives the number of values, " +
			"or the configuration the width.",
		"HQQ d88a488: core/quantize.py state_dict, core/bitpack.py; SINQ 6930f78: sinq/quantizer.py, sinq/patch_model.py " +
			"save_weights_safetensors", countHQQ,
	},
	{
		"exl2", "exl2", parts.EXL2Weight, parts.Int32, parts.Inverse,
		"There is one value for each element of q_invperm and each column. Columns are padded to a multiple of 32.",
		"exllamav2 da07fac: conversion/adaptivegptq.py pack", countEXL2,
	},
	{
		"exl3", "exl3", parts.Trellis, parts.Int16, parts.Weight,
		"Values are stored in tiles of 16 × 16. Rows and columns are padded to a multiple of 128.",
		"exllamav3 4f8ad01: modules/quant/exl3.py, modules/linear.py", countEXL3,
	},
	{
		"aqlm", "aqlm", parts.Codes, parts.Integer, parts.Codebooks,
		"Each code stands for as many values as an entry of the codebook has.",
		"AQLM e79a896: inference_lib/src/aqlm/inference.py", countAQLM,
	},
	{
		"vptq", "vptq", parts.Indices, parts.Int16 | parts.Int32 | parts.Float, parts.Codebooks,
		"The count is in_features × out_features from the module's configuration, if it fits the number of indices.",
		"VPTQ eb6e683: vptq/layers/vqlinear.py; transformers: integrations/vptq.py", countVPTQ,
	},
	{
		"quip-sharp", "quip#", parts.LatticeCodes, parts.Integer | parts.Int64, parts.InSigns,
		"There is one value for each element of SU (inputs) and each element of SV (outputs).",
		"quip-sharp 1d6e3c2: lib/linear/quantized_linear.py", countQuIP,
	},
	{
		"spqr", "spqr", parts.Tiles, parts.Int64, parts.Offsets,
		"A word of 64 bits holds one row of a tile of 16 × 16 values. row_offsets has one element more than there are " +
			"outputs, and in_perm one for every two inputs; without them, tiles may be padded.",
		"SpQR 0ce087c: inference_lib/src/spqr_quant/inference.py", countSpQR,
	},
	{
		"torchao", "torchao", parts.QData, parts.Known, parts.Weight,
		"The metadata has the tensor's type and, for packed values, the shape.",
		"torchao 36027d8: prototype/safetensors/safetensors_support.py", countTorchAO,
	},
	{
		"quanto", "quanto", parts.Data, parts.Known, parts.Scale,
		"A byte holds one value, or several values of 2 or 4 bits packed along the first dimension. " +
			"The rows of the scales or the configuration tell which.",
		"optimum-quanto e33f820: tensor/packed.py, tensor/grouped.py", countQuanto,
	},
}

// Match returns the scheme by which a module is packed, and its values. It returns nil if the module is
// not packed, or packed in an unknown way.
func (m *Module) Match(c *Context) (*Scheme, Values) {
	for i := range Table {
		s := &Table[i]
		if !m.is(s.Holds, s.In) || !Countable(m.Parts[s.Holds].Info.Shape) || s.Needs != parts.Weight && !m.has(s.Needs) {
			continue
		}
		if v, ok := s.count(m, c); ok {
			if v.In > 0 && parts.ReadsHidden(m.Name) && c.hidden(m.Name) > 0 && v.In != c.hidden(m.Name) {
				v = v.unless(m.Parts[s.Holds], "the number of inputs differs from the size of the norms")
			}
			return s, v
		}
	}
	return nil, Values{}
}
