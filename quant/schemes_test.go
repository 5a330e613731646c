// Schemes: a small model of each, and the number that it has to come to.

package quant

import "testing"

// A matrix of 64 outputs and 128 inputs has 8,192 values. Beside one that is packed
// stands a norm of 128, so that 8,320 is right wherever nothing else is said.
const (
	outs, ins = 64, 128
	right     = outs*ins + ins
)

// packedModel returns a model of one module, "model.layers.0.mlp.up_proj", which fill
// adds by the name that it is given, and a norm.
func packedModel(config string, fill func(d *draft, name string)) *fixture {
	return single(config, func(d *draft) {
		fill(d, "model.layers.0.mlp.up_proj")
		d.add("model.norm.weight", "BF16", ins)
	})
}

func quantization(config string) string { return `{"quantization_config":` + config + `}` }

// small are models of a module or two, by name.
var small = []struct {
	name string
	make func() *fixture
	want Range
}{
	// GPTQ: in × bits / 32 words for each output.
	{"gptq 2 bits", func() *fixture { return gptq(2, `{"quant_method":"gptq","bits":2,"group_size":32}`) }, exactly(right)},
	{"gptq 3 bits", func() *fixture { return gptq(3, `{"quant_method":"gptq","bits":3,"group_size":32}`) }, exactly(right)},
	{"gptq 4 bits", func() *fixture { return gptq(4, `{"quant_method":"gptq","bits":4,"group_size":32}`) }, exactly(right)},
	{"gptq 8 bits", func() *fixture { return gptq(8, `{"quant_method":"gptq","bits":8,"group_size":32}`) }, exactly(right)},
	{"gptq 8 bits, the configuration says 4", func() *fixture { return gptq(8, `{"quant_method":"gptq","bits":4}`) }, exactly(right)},
	{"gptq 4 bits, no configuration", func() *fixture { return gptq(4, "{}") }, exactly(right)},
	{"auto-round, as gptq", func() *fixture {
		return gptq(4, `{"quant_method":"auto-round","bits":4,"group_size":32,"packing_format":"auto_round:auto_gptq"}`)
	}, exactly(right)},
	{"gptq 4 bits, without qzeros and g_idx", func() *fixture {
		return packedModel(quantization(`{"quant_method":"gptq","bits":4}`), func(d *draft, name string) {
			d.add(name+".qweight", "I32", ins*4/32, outs)
			d.add(name+".scales", "F16", 4, outs)
		})
	}, exactly(right)},
	// 1024 words have at least 8 bits a value, and at most 2.
	{"gptq, and nothing tells the bits", func() *fixture {
		return packedModel("", func(d *draft, name string) {
			d.add(name+".qweight", "I32", ins*4/32, outs)
			d.add(name+".scales", "F16", 4, outs)
		})
	}, Range{1024*4 + ins, 1024*16 + ins}},
	{"gptq, as Marlin packs it", func() *fixture {
		return packedModel(quantization(`{"quant_method":"gptq","bits":4,"checkpoint_format":"marlin"}`), func(d *draft, name string) {
			d.add(name+".B", "I32", ins/16, outs*16/8)
			d.add(name+".s", "F16", 4, outs)
		})
	}, exactly(right)},

	// AWQ: out × bits / 32 words for each input.
	{"awq", func() *fixture {
		return packedModel(quantization(`{"quant_method":"awq","bits":4,"group_size":32,"version":"gemm","zero_point":true}`), awqGEMM)
	}, exactly(right)},
	{"awq, no configuration", func() *fixture { return packedModel("", awqGEMM) }, exactly(right)},
	{"awq, gemv", func() *fixture {
		return packedModel(quantization(`{"quant_method":"awq","bits":4,"group_size":32,"version":"gemv"}`), func(d *draft, name string) {
			d.add(name+".qweight", "I32", outs, ins/8)
			d.add(name+".qzeros", "I32", outs, 1)
			d.add(name+".scales", "F16", outs, 8)
		})
	}, exactly(right)},
	{"awq, gemv fast", func() *fixture {
		return packedModel(quantization(`{"quant_method":"awq","bits":4,"group_size":32,"version":"gemv_fast"}`), func(d *draft, name string) {
			d.add(name+".qweight", "I16", outs/4, ins)
			d.add(name+".qzeros", "F16", 8, outs)
			d.add(name+".scales", "F16", 8, outs)
		})
	}, exactly(right)},

	// compressed-tensors: ceil(in × bits / 32) words for each output.
	{"pack-quantized, unread", func() *fixture { return compressed(4, ins, false) }, Range{outs*(ins-7) + ins, right}},
	{"pack-quantized, with g_idx", func() *fixture { return compressed(4, ins, true) }, exactly(right)},
	// 125 values of 3 bits take 375 bits, in 12 words; 126 and 127 and 128 would, too, and 118 to 124.
	{"pack-quantized 3 bits, unread", func() *fixture { return compressed(3, 125, false) }, Range{outs*118 + ins, outs*128 + ins}},
	{"pack-quantized 3 bits, with g_idx", func() *fixture { return compressed(3, 125, true) }, exactly(outs*125 + ins)},
	{"pack-quantized, two widths", compressedMixed, exactly(2*outs*ins + ins)},
	{"nvfp4-pack-quantized", func() *fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"nvfp4-pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":4,"type":"float","group_size":16}}}}`), func(d *draft, name string) {
			d.add(name+".weight_packed", "U8", outs, ins/2)
			d.add(name+".weight_scale", "F8_E4M3", outs, ins/16)
			d.add(name+".weight_global_scale", "F32", 1)
			d.add(name+".input_global_scale", "F32", 1)
		})
	}, exactly(right)},
	{"mxfp4-pack-quantized", func() *fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"mxfp4-pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":4,"type":"float","group_size":32}}}}`), func(d *draft, name string) {
			d.add(name+".weight_packed", "U8", outs, ins/2)
			d.add(name+".weight_scale", "U8", outs, ins/32)
		})
	}, exactly(right)},
	{"int-quantized", func() *fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"int-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":8,"type":"int"}}}}`), func(d *draft, name string) {
			d.add(name+".weight", "I8", outs, ins)
			d.add(name+".weight_scale", "BF16", outs, 1)
		})
	}, exactly(right)},
	{"float-quantized", func() *fixture {
		return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"float-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":8,"type":"float"}}}}`), func(d *draft, name string) {
			d.add(name+".weight", "F8_E4M3", outs, ins)
			d.add(name+".weight_scale", "BF16", outs, 1)
			d.add(name+".input_scale", "BF16", 1)
		})
	}, exactly(right)},

	// ModelOpt: no width anywhere, but the scales are for 16 values each.
	{"modelopt nvfp4", func() *fixture {
		f := packedModel(quantization(`{"quant_method":"modelopt","quant_algo":"NVFP4","ignore":["lm_head"]}`), modeloptNVFP4)
		f.modelop = `{"producer":{"name":"modelopt"},"quantization":{"quant_algo":"NVFP4","kv_cache_quant_algo":"FP8","group_size":16,"exclude_modules":["lm_head"]}}`
		return f
	}, exactly(right)},
	{"modelopt nvfp4, hf_quant_config.json alone", func() *fixture {
		f := packedModel("{}", modeloptNVFP4)
		f.modelop = `{"quantization":{"quant_algo":"NVFP4","group_size":16}}`
		return f
	}, exactly(right)},
	{"modelopt fp8", func() *fixture {
		return packedModel(quantization(`{"quant_method":"modelopt","quant_algo":"FP8"}`), func(d *draft, name string) {
			d.add(name+".weight", "F8_E4M3", outs, ins)
			d.add(name+".weight_scale", "F32")
			d.add(name+".input_scale", "F32")
			d.add("model.layers.0.self_attn.k_proj.k_scale", "F32")
		})
	}, exactly(right)},
	{"modelopt int4 awq", func() *fixture {
		return packedModel(quantization(`{"quant_method":"modelopt","quant_algo":"W4A16_AWQ"}`), func(d *draft, name string) {
			d.add(name+".weight", "U8", outs/2, ins)
			d.add(name+".weight_scale", "F32", outs, ins/128)
			d.add(name+".pre_quant_scale", "BF16", ins)
		})
	}, exactly(right)},

	// gpt-oss: blocks of 16 bytes.
	{"mxfp4 blocks", func() *fixture {
		return packedModel(quantization(`{"quant_method":"mxfp4"}`), func(d *draft, _ string) {
			d.add("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", 1, outs, ins/32, 16)
			d.add("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", 1, outs, ins/32)
		})
	}, exactly(right)},
	{"mxfp4 blocks, no configuration", func() *fixture {
		return packedModel("", func(d *draft, _ string) {
			d.add("block.0.mlp.mlp1_weight.blocks", "U8", 1, outs, ins/32, 16)
			d.add("block.0.mlp.mlp1_weight.scales", "U8", 1, outs, ins/32)
		})
	}, exactly(right)},

	// bitsandbytes: two values to a byte, so the last byte may have one or two.
	{"bitsandbytes nf4, unread", func() *fixture { return bnb("nf4", outs*ins) }, Range{right - 1, right}},
	{"bitsandbytes fp4, odd, unread", func() *fixture { return bnb("fp4", 33*3) }, Range{33*3 + ins, 33*3 + 1 + ins}},
	{"bitsandbytes kept as bf16", func() *fixture {
		return packedModel(quantization(`{"quant_method":"bitsandbytes","load_in_4bit":true}`), func(d *draft, name string) {
			d.add(name+".weight", "BF16", outs*ins/4, 1)
			d.add(name+".weight.absmax", "F32", outs*ins/64)
			d.add(name+".weight.quant_map", "F32", 16)
		})
	}, Range{right - 1, right}},
	{"bitsandbytes int8", func() *fixture {
		return packedModel(quantization(`{"quant_method":"bitsandbytes","load_in_8bit":true}`), func(d *draft, name string) {
			d.add(name+".weight", "I8", outs, ins)
			d.add(name+".SCB", "F32", outs)
			d.add(name+".weight_format", "U8")
		})
	}, exactly(right)},

	// Blocks of 128 × 128, and experts of half the width.
	{"fp8 blocks", func() *fixture {
		return packedModel(quantization(`{"quant_method":"fp8","weight_block_size":[128,128]}`), func(d *draft, name string) {
			d.add(name+".weight", "F8_E4M3", outs, ins)
			d.add(name+".weight_scale_inv", "F32", 1, 1)
		})
	}, exactly(right)},
	{"fp8, experts of 4 bits", func() *fixture {
		return packedModel(`{"expert_dtype":"fp4","quantization_config":{"quant_method":"fp8"}}`, func(d *draft, _ string) {
			d.add("layers.0.ffn.experts.0.w1.weight", "I8", outs, ins/2)
			d.add("layers.0.ffn.experts.0.w1.scale", "F8_E8M0", outs, ins/32)
		})
	}, exactly(right)},
	{"fp8, experts of 4 bits without scales", func() *fixture {
		return packedModel(`{"expert_dtype":"fp4","quantization_config":{"quant_method":"fp8"}}`, func(d *draft, _ string) {
			d.add("layers.0.ffn.experts.0.w1.weight", "I8", outs, ins/2)
		})
	}, exactly(right)},
	{"fp8, store_dtype", func() *fixture {
		return packedModel(quantization(`{"quant_method":"fp8","store_dtype":"mxfp4"}`), func(d *draft, _ string) {
			d.add("layers.0.mlp.experts.0.up_proj.weight", "U8", outs, ins/2)
			d.add("layers.0.mlp.experts.0.up_proj.weight_scale", "U8", outs, ins/32)
		})
	}, exactly(right)},
	{"fp8, no scales", func() *fixture {
		return packedModel("", func(d *draft, name string) { d.add(name+".weight", "F8_E4M3", outs, ins) })
	}, exactly(right)},
	{"f4 and its scales", func() *fixture {
		return packedModel("", func(d *draft, name string) {
			d.add(name+".weight", "F4", outs, ins)
			d.add(name+".weight_scale", "F8_E8M0", outs, ins/32)
		})
	}, exactly(right)},
}

func gptq(bits int64, config string) *fixture {
	return packedModel(quantization(config), func(d *draft, name string) {
		d.add(name+".g_idx", "I32", ins)
		d.add(name+".qweight", "I32", ins*bits/32, outs)
		d.add(name+".qzeros", "I32", ins/32, outs*bits/32)
		d.add(name+".scales", "F16", ins/32, outs)
	})
}

func awqGEMM(d *draft, name string) {
	d.add(name+".qweight", "I32", ins, outs/8)
	d.add(name+".qzeros", "I32", ins/32, outs/8)
	d.add(name+".scales", "F16", ins/32, outs)
}

func modeloptNVFP4(d *draft, name string) {
	d.add(name+".weight", "U8", outs, ins/2)
	d.add(name+".weight_scale", "F8_E4M3", outs, ins/16)
	d.add(name+".weight_scale_2", "F32")
	d.add(name+".input_scale", "F32")
}

func bnb(kind string, n int64) *fixture {
	return packedModel(quantization(`{"quant_method":"bitsandbytes","load_in_4bit":true,"bnb_4bit_quant_type":"`+kind+`"}`), func(d *draft, name string) {
		d.add(name+".weight", "U8", (n+1)/2, 1)
		d.add(name+".weight.absmax", "U8", (n+63)/64)
		d.add(name+".weight.nested_absmax", "F32", 1)
		d.add(name+".weight.nested_quant_map", "F32", 256)
		d.add(name+".weight.quant_map", "F32", 16)
		d.add(name+".weight.quant_state.bitsandbytes__"+kind, "U8", bnbStateSize)
	})
}

// compressed returns a module of 64 rows of n values.
func compressed(bits, n int64, index bool) *fixture {
	config := map[int64]string{3: `"num_bits":3`, 4: `"num_bits":4`}[bits]
	return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{`+config+`,"type":"int","group_size":32}}}}`), func(d *draft, name string) {
		if index {
			d.add(name+".weight_g_idx", "I32", n)
		}
		d.add(name+".weight_packed", "I32", outs, (n*bits+31)/32)
		d.add(name+".weight_scale", "BF16", outs, (n+31)/32)
		d.add(name+".weight_shape", "I64", 2)
	})
}

// compressedMixed has a module of 4 bits and one of 8, whose targets are patterns that
// not everybody reads.
func compressedMixed() *fixture {
	return packedModel(quantization(`{"quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{
		"group_0":{"targets":["re:.*(up|gate)_proj$"],"weights":{"num_bits":4,"type":"int","group_size":32}},
		"group_1":{"targets":["re:.*down_proj$"],"weights":{"num_bits":8,"type":"int","group_size":32}}}}`), func(d *draft, name string) {
		add := func(name string, bits int64) {
			d.add(name+".weight_g_idx", "I32", ins)
			d.add(name+".weight_packed", "I32", outs, ins*bits/32)
			d.add(name+".weight_scale", "BF16", outs, ins/32)
			d.add(name+".weight_shape", "I64", 2)
		}
		add(name, 4)
		add("model.layers.0.mlp.down_proj", 8)
	})
}

func TestSchemes(t *testing.T) {
	for _, tt := range append(small, smallMore...) {
		f := tt.make()
		n := Count(f.model())
		if n.Params != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, n.Params, tt.want)
			for _, g := range n.Groups {
				t.Logf("%+v", g)
			}
		}
		for _, g := range n.Groups {
			if g.Params.Exact() != (g.Why == "") {
				t.Errorf("%s: %+v, and why is %q", tt.name, g, g.Why)
			}
		}
	}
}
