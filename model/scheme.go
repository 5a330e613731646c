// Schemes: how weights are packed, as a table in which the rules are data.

package model

// A scheme is one way to pack a weight, and the rule by which its values are
// counted.
type scheme struct {
	rule Rule
	name string // what people call it

	holds role   // the part that has the values
	in    dtypes // the dtypes that this part may have
	needs role   // a part that must be there, too; weight if none

	text string // the rule
	from string // where it comes from

	// count returns the number of values. It returns false if the module is not
	// packed in this way after all.
	count func(*module, *config) (values, bool)
}

// values are how many values a part has.
type values struct {
	n    Range
	bits int64  // that each takes; 0 if that is not known, or differs
	why  string // why n is not exact
	name string // what the scheme is called, if not by its name
}

// schemes are in the order in which they are tried. A scheme that more is needed
// for comes before one that less is needed for.
var schemes = []scheme{
	{
		"bnb-4bit", "bitsandbytes", weight, isAny &^ isUnheard, absmax,
		"Two values to a byte. quant_state has the shape; without it there may be one value less.",
		"bitsandbytes 95f9af3: functional.py QuantState.as_dict, backends/default/ops.py quantize_4bit", countBnB4,
	},
	{
		"bnb-8bit", "bitsandbytes int8", weight, is8, columnMax,
		"One value to a byte.",
		"bitsandbytes 95f9af3: nn/modules.py Linear8bitLt", countOne,
	},
	{
		"comfy", "ComfyUI", weight, is8, weight,
		"comfy_quant, or _quantization_metadata, names the format: of 4 bits there are two values to a byte, of 8 bits one.",
		"comfy-kitchen 7d86acf: comfy_kitchen/tensor; ComfyUI: QUANTIZATION.md", countComfy,
	},
	{
		"mxfp4-blocks", "mxfp4", blocks, isU8, scales,
		"Two values to a byte, in blocks of 16 bytes with a scale each.",
		"transformers: integrations/mxfp4.py convert_moe_packed_tensors; OCP MX v1.0", countBlocks,
	},
	{
		"mlx", "mlx", weight, is32, scales,
		"bits × group size × scales is 32 × words. The configuration says bits and group size; without it, all that MLX has are tried.",
		"MLX: mlx.core.quantize", countMLX,
	},
	{
		"fp-quant", "fp4", qweight, isU8, scales,
		"Two values to a byte. A scale is for 16 values (nvfp4) or 32 (mxfp4).",
		"FP-Quant b50e00a: inference_lib/src/fp_quant/module/linear.py", countFPQuant,
	},
	{
		"int-words", "gptq", qweight, isInteger | is64, scales,
		"Values of a width that the shapes of qzeros, g_idx or scales prove, or else the configuration says, fill words without a gap: 3 bits take 32 values in three words.",
		"GPTQModel f4c327a: nn_modules/qlinear/__init__.py; AutoAWQ 88e4c76: modules/linear", countWords,
	},
	{
		"packed-fp4", "fp4", packed, is8, scale,
		"Two values to a byte, the first in the low half. A scale is for 16 values (nvfp4) or 32 (mxfp4).",
		"compressed-tensors ac8e2ba: compressors/nvfp4/base.py, mxfp4/base.py", countFP4,
	},
	{
		"marlin-24", "compressed-tensors 2:4", packed, is32, sparsity,
		"Of each four values two are kept. An element of meta says which, of 16 values.",
		"compressed-tensors 9919229: compressors/sparse_quantized_compressors/marlin_24.py", countMarlin24,
	},
	{
		"packed-int", "compressed-tensors", packed, is16 | is32, weight,
		"Values fill the words of a row without a gap, and weight_shape, or the length of weight_g_idx, says how many there are; without them, up to the rest of the last word.",
		"compressed-tensors ac8e2ba: compressors/pack_quantized/helpers.py pack_to_int32", countRows,
	},
	{
		"sparse", "compressed-tensors", kept, isFloat | isF8 | is8, bitmask,
		"The mask has a bit for each value. Where two of each four are kept, there are twice as many as these; otherwise shape says how many, and without it, up to the rest of the last byte of each row.",
		"compressed-tensors 179cba9: compressors/sparse_compressors/sparse_24_bitmask.py, sparse_bitmask.py", countSparse,
	},
	{
		"higgs", "higgs", weight, is16, tables,
		"Values of 2 to 4 bits fill words of 16 along the outputs, of which the scales have one row each.",
		"transformers: integrations/higgs.py", countHIGGS,
	},
	{
		"fp8", "fp8", weight, isF8, scale,
		"One value to a byte.",
		"DeepSeek-V3: README_WEIGHTS.md; compressed-tensors ac8e2ba: compressors/naive_quantized", countOne,
	},
	{
		"block-scaled", "fp4", weight, is8, scale,
		"The shape of the scales tells two values to a byte from one: nvfp4 has a scale for 16 values, mxfp4 for 32, and int8 has floats for scales.",
		"compressed-tensors ac8e2ba: entrypoints/convert/converters/modelopt_nvfp4.py; transformers: integrations/bitnet.py; OCP MX v1.0", countScaled,
	},
	{
		"eetq", "int8", weight, isI8, scales,
		"One value to a byte.",
		"transformers: integrations/eetq.py", countOne,
	},
	{
		"expert-dtype", "fp4", weight, is8, weight,
		"Routed experts are as wide as expert_dtype, or store_dtype, says.",
		"huggingface.js 2.17.5: parse-safetensors-metadata.ts", countExperts,
	},
	{
		"hqq", "hqq", hqqWeight, isAny &^ isUnheard, scale,
		"shape says how many values there are; without it, a byte or a word is full of values of the configuration's width.",
		"HQQ d88a488: core/quantize.py state_dict, core/bitpack.py", countHQQ,
	},
	{
		"exl2", "exl2", exl2Weight, is32, inverse,
		"One value for each of q_invperm and each column; columns are padded to a multiple of 32.",
		"exllamav2 da07fac: conversion/adaptivegptq.py pack", countEXL2,
	},
	{
		"exl3", "exl3", trellis, is16, weight,
		"Tiles of 16 × 16 values; rows and columns are padded to a multiple of 128.",
		"exllamav3 4f8ad01: modules/quant/exl3.py, modules/linear.py", countEXL3,
	},
	{
		"aqlm", "aqlm", codes, isInteger, codebooks,
		"Each code stands for as many values as an entry of the codebook has.",
		"AQLM e79a896: inference_lib/src/aqlm/inference.py", countAQLM,
	},
	{
		"vptq", "vptq", indices, is16 | is32 | isFloat, codebooks,
		"in_features × out_features of the module's configuration, whose vectors there are as many of as the indices say.",
		"VPTQ eb6e683: vptq/layers/vqlinear.py; transformers: integrations/vptq.py", countVPTQ,
	},
	{
		"quip-sharp", "quip#", latticeCodes, isInteger | is64, inSigns,
		"One value for each input, of which SU has the signs, and each output, of which SV has them.",
		"quip-sharp 1d6e3c2: lib/linear/quantized_linear.py", countQuIP,
	},
	{
		"spqr", "spqr", tiles, is64, offsets,
		"A word of 64 bits has a row of a tile of 16 × 16 values. row_offsets has one for each output and one more, in_perm one for two inputs; without them, tiles may be padded.",
		"SpQR 0ce087c: inference_lib/src/spqr_quant/inference.py", countSpQR,
	},
	{
		"torchao", "torchao", qdata, isAny &^ isUnheard, weight,
		"The metadata has the type and, where values are packed, the shape.",
		"torchao 36027d8: prototype/safetensors/safetensors_support.py", countTorchAO,
	},
	{
		"quanto", "quanto", data, isAny &^ isUnheard, scale,
		"Bytes hold one value, or are packed along the first dimension with values of 2 or 4 bits: the rows of scales tell, or else the configuration.",
		"optimum-quanto e33f820: tensor/packed.py, tensor/grouped.py", countQuanto,
	},
}

// match finds the scheme that a module is packed by, and the part that has the
// values. There is none if it is not packed, or not in a way that is known.
func (m *module) match(c *config) (*scheme, *entry, values) {
	for i := range schemes {
		s := &schemes[i]
		if !m.holds(s) {
			continue
		}
		if v, ok := s.count(m, c); ok {
			return s, m.parts[s.holds], v
		}
	}
	return nil, nil, values{}
}

// one is the number of values where each element is one.
func one(e *entry) values { return values{n: exactly(e.stored()), bits: e.width()} }

// countOne counts one value for each element of the weight.
func countOne(m *module, _ *config) (values, bool) { return one(m.parts[weight]), true }

// twice is the number of values where each byte has two.
func twice(e *entry, name string) values {
	return values{n: exactly(times(e.stored(), 2)), bits: 4, name: name}
}
