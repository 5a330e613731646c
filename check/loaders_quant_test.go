// What loaders need of packed weights, and of sizes that devices share.

package check_test

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
)

const (
	gptqConfig = `{"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": false, "sym": true}`
	awqConfig  = `{"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm", "zero_point": true}`
	fp8Config  = `{"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}`
	packConfig = `{"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"], "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "group_size": 32, "strategy": "group"}}}}`
)

// mixed returns a linear of one form, and of another in some modules.
func mixed(of, other linear, modules ...string) linear {
	return func(module string, in, out int64) []tensor {
		for _, m := range modules {
			if strings.HasSuffix(module, m) {
				return other(module, in, out)
			}
		}
		return of(module, in, out)
	}
}

// block returns FP8 with a scale for each block of so many rows and columns.
func block(side int64) linear {
	return func(module string, in, out int64) []tensor {
		return []tensor{
			{module + ".weight", safetensors.F8_E4M3, []int64{out, in}, nil},
			f32(module+".weight_scale_inv", (out+side-1)/side, (in+side-1)/side),
		}
	}
}

// experts returns the small model with three experts in each layer, instead of one part of its size.
func experts() (all []tensor) {
	for _, one := range headed(plain) {
		if !strings.Contains(one.name, ".mlp.") {
			all = append(all, one)
		}
	}
	for layer := range layersOf {
		all = append(all, bf16(fmt.Sprintf("model.layers.%d.mlp.gate.weight", layer), 3, hidden))
		for e := range 3 {
			at := fmt.Sprintf("model.layers.%d.mlp.experts.%d.", layer, e)
			all = append(all, bf16(at+"gate_proj.weight", 90, hidden), bf16(at+"up_proj.weight", 90, hidden),
				bf16(at+"down_proj.weight", hidden, 90))
		}
	}
	return all
}

var ofQuantizations = []loading{
	{"GPTQ", modelOf(quantised(gptqConfig), headed(gptq)), allThree, 0, nil},
	{"AWQ", modelOf(quantised(awqConfig), headed(awq)), allThree, 0, nil},
	{"FP8", modelOf(quantised(fp8Config), headed(fp8)), allThree, 0, nil},
	{"compressed-tensors", modelOf(quantised(packConfig), headed(compressed)), allThree, 0, nil},
	{"a method that one program does not know", modelOf(quantised(`{"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4"}`), headed(bitsandbytes)), allThree, 0,
		fault(check.RuleQuantMethod, "config.json", "", `quant_method in "config.json" is "bitsandbytes"`, "vllm")},
	{"a method that none knows", modelOf(quantised(`{"quant_method": "mine", "bits": 4, "group_size": 32}`), headed(gptq)), allThree, 0,
		fault(check.RuleQuantMethod, "config.json", "", `is "mine"`, "transformers vllm sglang")},
	{"no method", modelOf(quantised(`{"bits": 4, "group_size": 32}`), headed(gptq)), allThree, 0,
		fault(check.RuleQuantMethod, "config.json", "", "has no quant_method", "transformers vllm sglang")},
	{"ModelOpt without a method", modelOf(quantised(`{"quant_algo": "NVFP4", "producer": {"name": "modelopt"}, "group_size": 16}`), headed(modelopt)), vllmOnly, 0, nil},
	{"described in another file", and(modelOf(llamaConfig, headed(gptq)), text("quantize_config.json", `{"bits": 4, "group_size": 32, "desc_act": false, "sym": true}`)), allThree, 0,
		fault(check.RuleQuantPlace, "config.json", "", `"quantize_config.json" describes the quantization`, "transformers vllm sglang")},
	{"described by ModelOpt in another file", and(modelOf(llamaConfig, headed(modelopt)), text("hf_quant_config.json", `{"quantization": {"quant_algo": "NVFP4", "group_size": 16}}`)), allThree, 0,
		fault(check.RuleQuantPlace, "config.json", "", `"hf_quant_config.json" describes the quantization`, "transformers")},
	{"GPTQ without its settings", modelOf(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": true}`), headed(gptq)), allThree, 0,
		fault(check.RuleQuantSetting, "config.json", "", "has no desc_act", "vllm sglang")},
	{"GPTQ with zero points", modelOf(quantised(changed(gptqConfig, `"sym": true`, `"sym": false`)), headed(gptq)), allThree, 0,
		fault(check.RuleQuantSetting, "config.json", "", "has sym false", "vllm")},
	{"AWQ of another width", modelOf(quantised(`{"quant_method": "awq", "bits": 3, "group_size": 32, "zero_point": true}`), headed(plain)), sglangOnly, 0, []loaderWant{
		{want{check.RuleQuantSetting, "config.json", "", `quantization_config of awq in "config.json" has 3 bits`}, safetensors.Error, "sglang"},
		{want{check.RuleQuantUnused, "config.json", "", ""}, safetensors.Error, "sglang"},
	}},

	{"a plain module among packed ones", modelOf(quantised(packConfig), headed(mixed(compressed, plain, "layers.3.self_attn.o_proj"))), allThree, 0,
		fault(check.RuleQuantModules, "model.safetensors", "model.layers.3.self_attn.o_proj.weight", "is plain, 7 others packed, and", "transformers vllm sglang")},
	{"a plain module that is left out", modelOf(quantised(changed(packConfig, `"lm_head"`, `"lm_head", "model.layers.3.self_attn.o_proj"`)), headed(mixed(compressed, plain, "layers.3.self_attn.o_proj"))), allThree, 0, nil},
	{"plain modules that a pattern leaves out", modelOf(quantised(changed(packConfig, `"lm_head"`, `"lm_head", "re:.*layers\\.3\\.self_attn.*"`)),
		headed(mixed(compressed, plain, "layers.3.self_attn.o_proj", "layers.3.self_attn.q_proj", "layers.3.self_attn.k_proj", "layers.3.self_attn.v_proj"))), allThree, 0, nil},
	{"plain modules of a kind", modelOf(quantised(packConfig), headed(mixed(compressed, plain, "o_proj"))), allThree, 0, nil},
	{"a packed module that is left out", modelOf(quantised(changed(fp8Config, `"activation_scheme"`, `"modules_to_not_convert": ["lm_head", "model.layers.2.mlp.down_proj"], "activation_scheme"`)), headed(fp8)), allThree, 0,
		fault(check.RuleQuantModules, "model.safetensors", "model.layers.2.mlp.down_proj.weight", `that "config.json" leaves out is packed`, "transformers vllm sglang")},
	{"half of what is loaded into one matrix", modelOf(quantised(changed(packConfig, `"lm_head"`, `"lm_head", "model.layers.3.self_attn.q_proj"`)), headed(mixed(compressed, plain, "layers.3.self_attn.q_proj"))), allThree, 0,
		fault(check.RuleQuantModules, "model.safetensors", "model.layers.3.self_attn.q_proj.weight", "which is loaded into the same matrix, is packed", "vllm")},
	{"settings for each module", modelOf(quantised(changed(gptqConfig, `"sym"`, `"dynamic": {"-:.*o_proj": {}}, "sym"`)), headed(mixed(gptq, plain, "layers.3.self_attn.o_proj"))), allThree, 0, nil},
}

// inConfig and inWeights are faults of a size that devices share.
func inConfig(says, programs string) []loaderWant {
	return fault(check.RuleTensorParallel, "config.json", "", says, programs)
}

func inWeights(tensor, says string) loaderWant {
	return loaderWant{want{check.RuleTensorParallel, "model.safetensors", tensor, says}, safetensors.Error, "vllm sglang"}
}

var ofDevices = []loading{
	{"one device", healthyModel, allThree, 1, nil},
	{"four devices, and two heads of keys", healthyModel, allThree, 4, nil},
	{"four devices, for a program that divides nothing", modelOf(quantised(awqConfig), headed(awq)), transformersOnly, 4, nil},
	{"eight devices, and four heads", healthyModel, allThree, 8, inConfig(`"config.json" has num_attention_heads 4, which 8 devices cannot share`, "vllm sglang")},
	{"three devices", configured(`"num_attention_heads": 4`, `"head_dim": 16, "num_attention_heads": 4`), vllmOnly, 3, append(append(
		inConfig("num_attention_heads 4, which 3 devices cannot share", "vllm"), inConfig("num_key_value_heads 2, which 3 devices can neither", "vllm")...), append(
		inConfig("vocab_size 256 is 256 when it is padded", "vllm"),
		loaderWant{want{check.RuleTensorParallel, "model.safetensors", "model.layers.0.mlp.down_proj.weight", `"mlp.down_proj" has 160 inputs`}, safetensors.Error, "vllm"},
		loaderWant{want{check.RuleTensorParallel, "model.safetensors", "model.layers.0.mlp.gate_proj.weight", `"mlp.gate_proj" has 160 outputs`}, safetensors.Error, "vllm"},
		loaderWant{want{check.RuleTensorParallel, "model.safetensors", "model.layers.0.mlp.up_proj.weight", ""}, safetensors.Error, "vllm"},
		loaderWant{want{check.RuleTensorParallel, "model.safetensors", "model.layers.0.self_attn.o_proj.weight", ""}, safetensors.Error, "vllm"},
		loaderWant{want{check.RuleTensorParallel, "model.safetensors", "model.layers.0.self_attn.q_proj.weight", ""}, safetensors.Error, "vllm"},
	)...)},
	{"groups of AWQ", modelOf(quantised(awqConfig), headed(awq)), allThree, 2,
		[]loaderWant{inWeights("model.layers.0.mlp.down_proj.qweight", `"mlp.down_proj" has 160 inputs in 5 groups of 32, which 2 devices cannot share: 1 can`)}},
	{"groups of GPTQ", modelOf(quantised(gptqConfig), headed(gptq)), allThree, 2,
		[]loaderWant{inWeights("model.layers.0.mlp.down_proj.qweight", "5 groups of 32")}},
	{"groups of GPTQ in another order, for which each device has all scales", modelOf(quantised(changed(gptqConfig, `"desc_act": false`, `"desc_act": true`)), headed(gptq)), allThree, 2, nil},
	{"groups of compressed-tensors", modelOf(quantised(packConfig), headed(compressed)), allThree, 2,
		[]loaderWant{inWeights("model.layers.0.mlp.down_proj.weight_packed", "5 groups of 32")}},
	{"blocks of FP8", modelOf(quantised(changed(fp8Config, "[128, 128]", "[32, 32]")), headed(block(32))), allThree, 2, []loaderWant{
		inWeights("model.layers.0.mlp.down_proj.weight", `"mlp.down_proj" has 160 inputs in blocks of 32, and each of 2 devices would have 80: 1 can`),
		inWeights("model.layers.0.mlp.gate_proj.weight", "160 outputs in blocks of 32"),
		inWeights("model.layers.0.mlp.up_proj.weight", "160 outputs in blocks of 32"),
	}},
	{"blocks of FP8 that fit", modelOf(quantised(changed(fp8Config, "[128, 128]", "[16, 16]")), headed(block(16))), allThree, 2, nil},
	{"experts", modelOf(changed(llamaConfig, `"model_type": "llama"`, `"model_type": "mymoe", "num_experts": 3`), experts()), []loader.Name{loader.VLLM, loader.SGLang}, 4, []loaderWant{
		inWeights("model.layers.0.mlp.experts.0.down_proj.weight", `"mlp.experts.down_proj" has 90 inputs, which 4 devices cannot share`),
		inWeights("model.layers.0.mlp.experts.0.gate_proj.weight", "90 outputs"),
		inWeights("model.layers.0.mlp.experts.0.up_proj.weight", "90 outputs"),
	}},
}
