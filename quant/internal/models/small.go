// Schemes: a small model of each, and the number that it has to come to.

package models

import (
	"slices"

	"github.com/weightools/safetensors/quant"
)

// A Case is a model of a module or two.
type Case struct {
	Name string
	Make func() *Fixture
	Want quant.Range // logical parameters
}

// Small returns a model for every way to pack that there is, and for what else headers
// have in them.
func Small() []Case { return append(slices.Clone(small), smallMore...) }

func exactly(n int64) quant.Range { return quant.Range{Low: n, High: n} }

func between(low, high int64) quant.Range { return quant.Range{Low: low, High: high} }

// A matrix of 64 outputs and 128 inputs has 8,192 values. Beside one that is packed
// stands a norm of 128, so that 8,320 is right wherever nothing else is said.
const (
	outs, ins = 64, 128
	right     = outs*ins + ins
)

// packedModel returns a model of one module, "model.layers.0.mlp.up_proj", which fill
// adds by the name that it is given, and a norm.
func packedModel(config string, fill func(d *Draft, name string)) *Fixture {
	return single(config, func(d *Draft) {
		fill(d, "model.layers.0.mlp.up_proj")
		d.Add("model.norm.weight", "BF16", ins)
	})
}

func quantization(config string) string { return `{"quantization_config":` + config + `}` }

// small are models of a module or two, by name.
var small = []Case{
	// GPTQ: in × bits / 32 words for each output.
	{"gptq 2 bits", func() *Fixture { return gptq(2, `{"quant_method":"gptq","bits":2,"group_size":32}`) }, exactly(right)},
	{"gptq 3 bits", func() *Fixture { return gptq(3, `{"quant_method":"gptq","bits":3,"group_size":32}`) }, exactly(right)},
	{"gptq 4 bits", func() *Fixture { return gptq(4, `{"quant_method":"gptq","bits":4,"group_size":32}`) }, exactly(right)},
	{"gptq 8 bits", func() *Fixture { return gptq(8, `{"quant_method":"gptq","bits":8,"group_size":32}`) }, exactly(right)},
	{"gptq 8 bits, the configuration says 4", func() *Fixture { return gptq(8, `{"quant_method":"gptq","bits":4}`) }, exactly(right)},
	{"gptq 4 bits, no configuration", func() *Fixture { return gptq(4, "{}") }, exactly(right)},
	{"auto-round, as gptq", func() *Fixture {
		return gptq(4, `{"quant_method":"auto-round","bits":4,"group_size":32,"packing_format":"auto_round:auto_gptq"}`)
	}, exactly(right)},
	{"gptq 4 bits, without qzeros and g_idx", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"gptq","bits":4}`), func(d *Draft, name string) {
			d.Add(name+".qweight", "I32", ins*4/32, outs)
			d.Add(name+".scales", "F16", 4, outs)
		})
	}, exactly(right)},
	// 1024 words have at least 8 bits a value, and at most 2.
	{"gptq, and nothing tells the bits", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Add(name+".qweight", "I32", ins*4/32, outs)
			d.Add(name+".scales", "F16", 4, outs)
		})
	}, between(1024*4+ins, 1024*16+ins)},
	{"gptq, as Marlin packs it", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"gptq","bits":4,"checkpoint_format":"marlin"}`), func(d *Draft, name string) {
			d.Add(name+".B", "I32", ins/16, outs*16/8)
			d.Add(name+".s", "F16", 4, outs)
		})
	}, exactly(right)},

	// AWQ: out × bits / 32 words for each input.
	{"awq", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"awq","bits":4,"group_size":32,"version":"gemm","zero_point":true}`), awqGEMM)
	}, exactly(right)},
	{"awq, no configuration", func() *Fixture { return packedModel("", awqGEMM) }, exactly(right)},
	{"awq, gemv", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"awq","bits":4,"group_size":32,"version":"gemv"}`), func(d *Draft, name string) {
			d.Add(name+".qweight", "I32", outs, ins/8)
			d.Add(name+".qzeros", "I32", outs, 1)
			d.Add(name+".scales", "F16", outs, 8)
		})
	}, exactly(right)},
	{"awq, gemv fast", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"awq","bits":4,"group_size":32,"version":"gemv_fast"}`), func(d *Draft, name string) {
			d.Add(name+".qweight", "I16", outs/4, ins)
			d.Add(name+".qzeros", "F16", 8, outs)
			d.Add(name+".scales", "F16", 8, outs)
		})
	}, exactly(right)},

	// compressed-tensors: ceil(in × bits / 32) words for each output.
	{"pack-quantized, unread", func() *Fixture { return compressed(4, ins, false) }, between(outs*(ins-7)+ins, right)},
	{"pack-quantized, with g_idx", func() *Fixture { return compressed(4, ins, true) }, exactly(right)},
	// 125 values of 3 bits take 375 bits, in 12 words; 126 and 127 and 128 would, too, and 118 to 124.
	{"pack-quantized 3 bits, unread", func() *Fixture { return compressed(3, 125, false) }, between(outs*118+ins, outs*128+ins)},
	{"pack-quantized 3 bits, with g_idx", func() *Fixture { return compressed(3, 125, true) }, exactly(outs*125 + ins)},
	{"pack-quantized, two widths", compressedMixed, exactly(2*outs*ins + ins)},
	{"nvfp4-pack-quantized", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"nvfp4-pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":4,"type":"float","group_size":16}}}}`), func(d *Draft, name string) {
			d.Add(name+".weight_packed", "U8", outs, ins/2)
			d.Add(name+".weight_scale", "F8_E4M3", outs, ins/16)
			d.Add(name+".weight_global_scale", "F32", 1)
			d.Add(name+".input_global_scale", "F32", 1)
		})
	}, exactly(right)},
	{"mxfp4-pack-quantized", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"mxfp4-pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":4,"type":"float","group_size":32}}}}`), func(d *Draft, name string) {
			d.Add(name+".weight_packed", "U8", outs, ins/2)
			d.Add(name+".weight_scale", "U8", outs, ins/32)
		})
	}, exactly(right)},
	{"int-quantized", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"int-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":8,"type":"int"}}}}`), func(d *Draft, name string) {
			d.Add(name+".weight", "I8", outs, ins)
			d.Add(name+".weight_scale", "BF16", outs, 1)
		})
	}, exactly(right)},
	{"float-quantized", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"float-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":8,"type":"float"}}}}`), func(d *Draft, name string) {
			d.Add(name+".weight", "F8_E4M3", outs, ins)
			d.Add(name+".weight_scale", "BF16", outs, 1)
			d.Add(name+".input_scale", "BF16", 1)
		})
	}, exactly(right)},

	// ModelOpt: no width anywhere, but the scales are for 16 values each.
	{"modelopt nvfp4", func() *Fixture {
		f := packedModel(quantization(`{"quant_method":"modelopt","quant_algo":"NVFP4","ignore":["lm_head"]}`), modeloptNVFP4)
		f.ModelOpt = `{"producer":{"name":"modelopt"},"quantization":{"quant_algo":"NVFP4","kv_cache_quant_algo":"FP8","group_size":16,"exclude_modules":["lm_head"]}}`
		return f
	}, exactly(right)},
	{"modelopt nvfp4, hf_quant_config.json alone", func() *Fixture {
		f := packedModel("{}", modeloptNVFP4)
		f.ModelOpt = `{"quantization":{"quant_algo":"NVFP4","group_size":16}}`
		return f
	}, exactly(right)},
	{"modelopt fp8", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"modelopt","quant_algo":"FP8"}`), func(d *Draft, name string) {
			d.Add(name+".weight", "F8_E4M3", outs, ins)
			d.Add(name+".weight_scale", "F32")
			d.Add(name+".input_scale", "F32")
			d.Add("model.layers.0.self_attn.k_proj.k_scale", "F32")
		})
	}, exactly(right)},
	{"modelopt int4 awq", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"modelopt","quant_algo":"W4A16_AWQ"}`), func(d *Draft, name string) {
			d.Add(name+".weight", "U8", outs/2, ins)
			d.Add(name+".weight_scale", "F32", outs, ins/128)
			d.Add(name+".pre_quant_scale", "BF16", ins)
		})
	}, exactly(right)},

	// gpt-oss: blocks of 16 bytes.
	{"mxfp4 blocks", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"mxfp4"}`), func(d *Draft, _ string) {
			d.Add("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", 1, outs, ins/32, 16)
			d.Add("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", 1, outs, ins/32)
		})
	}, exactly(right)},
	{"mxfp4 blocks, no configuration", func() *Fixture {
		return packedModel("", func(d *Draft, _ string) {
			d.Add("block.0.mlp.mlp1_weight.blocks", "U8", 1, outs, ins/32, 16)
			d.Add("block.0.mlp.mlp1_weight.scales", "U8", 1, outs, ins/32)
		})
	}, exactly(right)},

	// bitsandbytes: two values to a byte, so the last byte may have one or two.
	{"bitsandbytes nf4, unread", func() *Fixture { return bnb("nf4", outs*ins) }, between(right-1, right)},
	{"bitsandbytes fp4, odd, unread", func() *Fixture { return bnb("fp4", 33*3) }, between(33*3+ins, 33*3+1+ins)},
	{"bitsandbytes kept as bf16", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"bitsandbytes","load_in_4bit":true}`), func(d *Draft, name string) {
			d.Add(name+".weight", "BF16", outs*ins/4, 1)
			d.Add(name+".weight.absmax", "F32", outs*ins/64)
			d.Add(name+".weight.quant_map", "F32", 16)
		})
	}, between(right-1, right)},
	{"bitsandbytes int8", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"bitsandbytes","load_in_8bit":true}`), func(d *Draft, name string) {
			d.Add(name+".weight", "I8", outs, ins)
			d.Add(name+".SCB", "F32", outs)
			d.Add(name+".weight_format", "U8")
		})
	}, exactly(right)},

	// Blocks of 128 × 128, and experts of half the width.
	{"fp8 blocks", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"fp8","weight_block_size":[128,128]}`), func(d *Draft, name string) {
			d.Add(name+".weight", "F8_E4M3", outs, ins)
			d.Add(name+".weight_scale_inv", "F32", 1, 1)
		})
	}, exactly(right)},
	{"fp8, experts of 4 bits", func() *Fixture {
		return packedModel(`{"expert_dtype":"fp4","quantization_config":{"quant_method":"fp8"}}`, func(d *Draft, _ string) {
			d.Add("layers.0.ffn.experts.0.w1.weight", "I8", outs, ins/2)
			d.Add("layers.0.ffn.experts.0.w1.scale", "F8_E8M0", outs, ins/32)
		})
	}, exactly(right)},
	{"fp8, experts of 4 bits without scales", func() *Fixture {
		return packedModel(`{"expert_dtype":"fp4","quantization_config":{"quant_method":"fp8"}}`, func(d *Draft, _ string) {
			d.Add("layers.0.ffn.experts.0.w1.weight", "I8", outs, ins/2)
		})
	}, exactly(right)},
	{"fp8, store_dtype", func() *Fixture {
		return packedModel(quantization(`{"quant_method":"fp8","store_dtype":"mxfp4"}`), func(d *Draft, _ string) {
			d.Add("layers.0.mlp.experts.0.up_proj.weight", "U8", outs, ins/2)
			d.Add("layers.0.mlp.experts.0.up_proj.weight_scale", "U8", outs, ins/32)
		})
	}, exactly(right)},
	{"fp8, no scales", func() *Fixture {
		return packedModel("", func(d *Draft, name string) { d.Add(name+".weight", "F8_E4M3", outs, ins) })
	}, exactly(right)},
	{"f4 and its scales", func() *Fixture {
		return packedModel("", func(d *Draft, name string) {
			d.Add(name+".weight", "F4", outs, ins)
			d.Add(name+".weight_scale", "F8_E8M0", outs, ins/32)
		})
	}, exactly(right)},
}

func gptq(bits int64, config string) *Fixture {
	return packedModel(quantization(config), func(d *Draft, name string) {
		d.Add(name+".g_idx", "I32", ins)
		d.Add(name+".qweight", "I32", ins*bits/32, outs)
		d.Add(name+".qzeros", "I32", ins/32, outs*bits/32)
		d.Add(name+".scales", "F16", ins/32, outs)
	})
}

func awqGEMM(d *Draft, name string) {
	d.Add(name+".qweight", "I32", ins, outs/8)
	d.Add(name+".qzeros", "I32", ins/32, outs/8)
	d.Add(name+".scales", "F16", ins/32, outs)
}

func modeloptNVFP4(d *Draft, name string) {
	d.Add(name+".weight", "U8", outs, ins/2)
	d.Add(name+".weight_scale", "F8_E4M3", outs, ins/16)
	d.Add(name+".weight_scale_2", "F32")
	d.Add(name+".input_scale", "F32")
}

func bnb(kind string, n int64) *Fixture {
	return packedModel(quantization(`{"quant_method":"bitsandbytes","load_in_4bit":true,"bnb_4bit_quant_type":"`+kind+`"}`), func(d *Draft, name string) {
		d.Add(name+".weight", "U8", (n+1)/2, 1)
		d.Add(name+".weight.absmax", "U8", (n+63)/64)
		d.Add(name+".weight.nested_absmax", "F32", 1)
		d.Add(name+".weight.nested_quant_map", "F32", 256)
		d.Add(name+".weight.quant_map", "F32", 16)
		d.Add(name+".weight.quant_state.bitsandbytes__"+kind, "U8", bnbStateSize)
	})
}

// compressed returns a module of 64 rows of n values.
func compressed(bits, n int64, index bool) *Fixture {
	config := map[int64]string{3: `"num_bits":3`, 4: `"num_bits":4`}[bits]
	return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{`+config+`,"type":"int","group_size":32}}}}`), func(d *Draft, name string) {
		if index {
			d.Add(name+".weight_g_idx", "I32", n)
		}
		d.Add(name+".weight_packed", "I32", outs, (n*bits+31)/32)
		d.Add(name+".weight_scale", "BF16", outs, (n+31)/32)
		d.Add(name+".weight_shape", "I64", 2)
	})
}

// compressedMixed has a module of 4 bits and one of 8, whose targets are patterns that
// not everybody reads.
func compressedMixed() *Fixture {
	return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{
		"group_0":{"targets":["re:.*(up|gate)_proj$"],"weights":{"num_bits":4,"type":"int","group_size":32}},
		"group_1":{"targets":["re:.*down_proj$"],"weights":{"num_bits":8,"type":"int","group_size":32}}}}`), func(d *Draft, name string) {
		add := func(name string, bits int64) {
			d.Add(name+".weight_g_idx", "I32", ins)
			d.Add(name+".weight_packed", "I32", outs, ins*bits/32)
			d.Add(name+".weight_scale", "BF16", outs, ins/32)
			d.Add(name+".weight_shape", "I64", 2)
		}
		add(name, 4)
		add("model.layers.0.mlp.down_proj", 8)
	})
}
