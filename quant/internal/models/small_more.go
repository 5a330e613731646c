// Schemes of one program each, and models with more than parameters in them.

package models

import "github.com/weightools/safetensors"

var smallMore = []Case{
	// MLX: in × bits / 32 words, and in / group scales, for each output.
	{"mlx 4 bits", func() *Fixture { return mlx(`{"group_size":64,"bits":4}`, 4, 64) }, exactly(right)},
	{"mlx 3 bits", func() *Fixture { return mlx(`{"group_size":64,"bits":3,"mode":"affine"}`, 3, 64) }, exactly(right)},
	{"mlx 8 bits of one module", func() *Fixture {
		return mlx(`{"group_size":64,"bits":4,"model.layers.0.mlp.up_proj":{"group_size":32,"bits":8}}`, 8, 32)
	}, exactly(right)},
	// 4 bits × 64 is 8 × 32 and 2 × 128: 8, 4 or 16 values to each of 1024 words.
	{"mlx 4 bits, no configuration", func() *Fixture { return mlx("null", 4, 64) }, between(outs*ins/2+ins, outs*ins*2+ins)},
	{"mlx 5 bits, no configuration", func() *Fixture { return mlx("null", 5, 32) }, exactly(right)},
	{"mlx 8 bits, the configuration says 4", func() *Fixture { return mlx(`{"group_size":64,"bits":4}`, 8, 64) }, between(right, 2*outs*ins+ins)},
	{"mlx mxfp4", func() *Fixture { return mlxFloat(`{"group_size":32,"bits":4,"mode":"mxfp4"}`, 4, 32) }, exactly(right)},
	{"mlx nvfp4, no configuration", func() *Fixture { return mlxFloat("null", 4, 16) }, exactly(right)},
	{"mlx mxfp8, no configuration", func() *Fixture { return mlxFloat("null", 8, 32) }, exactly(right)},

	// HQQ: bytes packed along the first dimension, or ten values of 3 bits to a word.
	{"hqq 4 bits, unread", func() *Fixture {
		return hqq(quantization(`{"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":4,"group_size":64,"axis":1}}}`), "U8", outs*ins/64/2, 64)
	}, exactly(right)},
	{"hqq, unread, no configuration", func() *Fixture { return hqq("", "U8", outs*ins/64/2, 64) }, between(outs*ins/2+ins, outs*ins*4+ins)},
	// 128 rows of 64 are padded to 130, which fill 13 rows of words.
	{"hqq 3 bits, unread", func() *Fixture {
		return hqq(quantization(`{"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":3}}}`), "I32", 13, 64)
	}, between(13*64*10-9*64+ins, 13*64*10+ins)},

	// EXL2 and EXL3: padded to multiples of 32 and 128, unless the configuration
	// has none but multiples.
	{"exl2", func() *Fixture { return exl2(`{"hidden_size":128,"intermediate_size":64}`) }, exactly(right)},
	{"exl2, no configuration", func() *Fixture { return exl2("") }, between(ins*(outs-31)+ins, right)},
	{"exl3", func() *Fixture { return exl3(`{"hidden_size":256,"intermediate_size":128}`) }, exactly(256*128 + ins)},
	{"exl3, no configuration", func() *Fixture { return exl3("") }, between(129*1+ins, 256*128+ins)},
	{"exl3, of sizes that are padded", func() *Fixture { return exl3(`{"hidden_size":200,"intermediate_size":128}`) }, between(129*1+ins, 256*128+ins)},

	// AQLM: 8 inputs to a code.
	{"aqlm", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"aqlm","in_group_size":8,"out_group_size":1,"num_codebooks":1,"nbits_per_codebook":16}`), func(d *Draft, name string) {
			d.Add(name+".codes", "I16", outs, ins/8, 1)
			d.Add(name+".codebooks", "F16", 1, 65536, 1, 8)
			d.Add(name+".scales", "F16", outs, 1, 1, 1)
		})
	}, exactly(right)},
	{"bitnet", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"bitnet"}`), func(d *Draft, name string) {
			d.Add(name+".weight", "U8", outs/4, ins)
			d.Add(name+".weight_scale", "BF16", 1)
		})
	}, exactly(right)},
	{"eetq", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"eetq"}`), func(d *Draft, name string) {
			d.Add(name+".weight", "I8", ins, outs)
			d.Add(name+".weight_scales", "F16", outs)
		})
	}, exactly(right)},
	{"torchao int4", func() *Fixture {
		return torchao("U8", outs, ins/2, `{"_type":"Int4Tensor","_data":{"block_size":[1,32],"shape":[64,128]},"_tensor_data_names":["qdata","scale","zero_point"]}`)
	}, exactly(right)},
	{"torchao int8", func() *Fixture { return torchao("I8", outs, ins, `{"_type":"Int8Tensor","_data":{}}`) }, exactly(right)},
	{"torchao mxfp4", func() *Fixture {
		return torchao("U8", outs, ins/2, `{"_type":"MXTensor","_data":{"elem_dtype":{"_type":"torch.dtype","_data":"float4_e2m1fn_x2"}}}`)
	}, exactly(right)},
	{"torchao, no metadata", func() *Fixture { return torchao("U8", outs, ins/2, "") }, between(outs*ins/2+ins, right)},
	{"quanto int8", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"quanto","weights":"int8"}`), func(d *Draft, name string) {
			d.Add(name+".weight._data", "I8", outs, ins)
			d.Add(name+".weight._scale", "BF16", outs, 1)
		})
	}, exactly(right)},
	{"quanto int4", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"quanto","weights":"int4"}`), func(d *Draft, name string) {
			d.Add(name+".weight._data._data", "U8", outs/2, ins)
			d.Add(name+".weight._scale", "BF16", outs, 1)
			d.Add(name+".weight._shift", "BF16", outs, 1)
		})
	}, between(right-ins, right)},

	// ComfyUI: the metadata names formats, and so does a tensor beside the weight.
	{"comfy nvfp4, scales laid out for matrix units", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Add(name+".weight", "U8", outs, ins/2)
			d.Add(name+".weight_scale", "F8_E4M3", 128, 8)
			d.Add(name+".weight_scale_2", "F32")
			d.Add(name+".comfy_quant", "U8", 19)
		})
	}, exactly(right)},
	{"comfy w4a4, in the metadata", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Header.Metadata = map[string]string{"_quantization_metadata": `{"format_version":"1.0","layers":{"` + name + `":{"format":"convrot_w4a4"}}}`}
			d.Add(name+".weight", "I8", outs, ins/2)
			d.Add(name+".weight_scale", "BF16", ins/64, outs)
		})
	}, exactly(right)},
	{"comfy w4a4, unread", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Add(name+".weight", "I8", outs, ins/2)
			d.Add(name+".weight_scale", "BF16", ins/64, outs)
			d.Add(name+".comfy_quant", "U8", 26)
		})
	}, between(outs*ins/2+ins, right)},
	{"comfy fp8, of old", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Add(name+".weight", "F8_E4M3", outs, ins)
			d.Add(name+".scale_weight", "F32", 1)
			d.Add("scaled_fp8", "F8_E4M3", 2)
		})
	}, exactly(right)},

	// No scheme at all.
	{"masks and buffers", func() *Fixture {
		return packedModel("", func(d *Draft, _ string) {
			d.Add("h.0.attn.bias", "F32", 1, 1, 1024, 1024)
			d.Add("h.0.attn.masked_bias", "F32")
			d.Add("h.0.attn.c_attn.bias", "F32", 3*ins)
			d.Add("bn.running_mean", "F32", 10)
			d.Add("bn.num_batches_tracked", "I64")
			d.Add("rotary_emb.inv_freq", "F32", 32)
			d.Add("table", "I32", 77)
		})
	}, exactly(3*ins + ins)},
	{"scalars", func() *Fixture {
		return packedModel("", func(d *Draft, _ string) {
			d.Add("logit_scale", "F32")
			d.Add("logit_bias", "F32")
		})
	}, exactly(2 + ins)},
	{"learned scales", func() *Fixture {
		return packedModel("", func(d *Draft, _ string) {
			d.Add("block.scale", "BF16", 7)
			d.Add("block.scales", "BF16", 9)
			d.Add("block.layer_scale", "BF16", 11)
			d.Add("block.zero_point", "BF16", 13)
		})
	}, exactly(7 + 9 + 11 + 13 + ins)},
	// 4096 bytes are at least as many parameters if they are a weight, and at most bits.
	{"an unknown packing", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"vptq"}`), func(d *Draft, name string) {
			d.Add(name+".indices", "U16", 4, 8)
			d.Add("other.weight", "U8", 64, 64)
		})
	}, between(64*64+ins, 4*8*16+64*64*8+ins)},
	{"nothing", func() *Fixture { return single("", func(*Draft) {}) }, exactly(0)},
	{"no elements", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Add(name+".qweight", "I32", 0, 64)
			d.Add(name+".scales", "F16", 0, 64)
			d.Add("empty.weight", "BF16", 0, 64)
		})
	}, exactly(ins)},
}

func mlx(config string, bits, group int64) *Fixture {
	return packedModel(`{"quantization":`+config+`,"quantization_config":`+config+`}`, func(d *Draft, name string) {
		d.Add(name+".weight", "U32", outs, ins*bits/32)
		d.Add(name+".scales", "BF16", outs, ins/group)
		d.Add(name+".biases", "BF16", outs, ins/group)
	})
}

func mlxFloat(config string, bits, group int64) *Fixture {
	return packedModel(`{"quantization":`+config+`}`, func(d *Draft, name string) {
		d.Add(name+".weight", "U32", outs, ins*bits/32)
		d.Add(name+".scales", "U8", outs, ins/group)
	})
}

func hqq(config, dtype string, rows, columns int64) *Fixture {
	return packedModel(config, func(d *Draft, name string) {
		d.Add(name+".W_q", safetensors.Dtype(dtype), rows, columns)
		d.Add(name+".scale", "BF16", outs*ins/64, 1)
		d.Add(name+".zero", "BF16", outs*ins/64, 1)
		d.Add(name+".shape", "I64", 2)
		d.Add(name+".nbits", "I32")
		d.Add(name+".packing", "U8", 7)
		d.Add(name+".group_size", "I32")
	})
}

func exl2(config string) *Fixture {
	return packedModel(config, func(d *Draft, name string) {
		d.Add(name+".q_weight", "I32", 20, outs)
		d.Add(name+".q_invperm", "I32", ins)
		d.Add(name+".q_scale", "I32", 4, outs/8)
		d.Add(name+".q_scale_max", "F16", 4)
		d.Add(name+".q_groups", "I16", 8)
	})
}

func exl3(config string) *Fixture {
	return packedModel(config, func(d *Draft, name string) {
		d.Add(name+".trellis", "I16", 256/16, 128/16, 16*4)
		d.Add(name+".suh", "F16", 256)
		d.Add(name+".svh", "F16", 128)
	})
}

func torchao(dtype string, rows, columns int64, metadata string) *Fixture {
	return packedModel("", func(d *Draft, name string) {
		if metadata != "" {
			d.Header.Metadata = map[string]string{name + ".weight": metadata, "tensor_names": `["` + name + `.weight"]`}
		}
		d.Add(name+"._weight_qdata", safetensors.Dtype(dtype), rows, columns)
		d.Add(name+"._weight_scale", "BF16", outs, ins/32)
		d.Add(name+"._weight_zero_point", "BF16", outs, ins/32)
	})
}
