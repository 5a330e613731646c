// The rules about llama.cpp, mlx-lm, ollama and diffusers: folders with one fault each, and near misses.

package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
)

var (
	llamaCPP   = []loader.Name{loader.LlamaCPP}
	mlxOnly    = []loader.Name{loader.MLX}
	ollamaOnly = []loader.Name{loader.Ollama}
	converters = []loader.Name{loader.LlamaCPP, loader.MLX, loader.Ollama}
	diffusers  = []loader.Name{loader.Diffusers}
	comfyUI    = []loader.Name{loader.ComfyUI}
)

// tokenizer is a tokenizer.json whose pre-tokenizer is that of Qwen2.
const tokenizer = `{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}}, "added_tokens": [{"id": 3, "content": "<x>"}],
"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": ` + qwen2Pattern + `}}]}}`

// qwen2Pattern is published in the tokenizer.json of Qwen2-7B.
const qwen2Pattern = `"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"`

// joined returns what makes a folder with more files.
func joined(of func(*testing.T, folder), files ...string) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		of(t, f)
		for i := 0; i < len(files); i += 2 {
			f.text(files[i], files[i+1])
		}
	}
}

// lacking returns what makes a folder without some files.
func lacking(of func(*testing.T, folder), names ...string) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		of(t, f)
		for _, name := range names {
			if f[name] == nil {
				t.Fatalf("there is no %s", name)
			}
			delete(f, name)
		}
	}
}

// whole is a model with all that it needs.
func whole(config string, of linear) func(*testing.T, folder) {
	return joined(modelOf(config, headed(of)), "tokenizer.json", tokenizer)
}

// one returns a want of a rule for one program.
func one(rule safetensors.Rule, severity safetensors.Severity, program, file, tensor, says string, more ...loaderWant) []loaderWant {
	return append([]loaderWant{{want{rule, file, tensor, says}, severity, program}}, more...)
}

// theta returns a configuration as transformers 5 writes it.
func theta(config, number string) string {
	return config[:len(config)-1] + `, "rope_parameters": {"rope_theta": ` + number + `, "rope_type": "default"}}`
}

// sidecar is a file of attributes of macOS.
const sidecar = "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "

const failed = safetensors.Error

var loadingsOfOthers = []loading{
	{"a whole model", whole(llamaConfig, plain), converters, 0, nil},
	{"a model without a tokenizer", modelOf(llamaConfig, headed(plain)), llamaCPP, 0,
		one(check.RuleTokenizerAbsent, safetensors.Note, "llama.cpp", "config.json", "", "the folder has no tokenizer")},
	{"shards without an index, for programs that take all", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		delete(f, "model.safetensors.index.json")
		f.text("config.json", llamaConfig)
		f.text("tokenizer.json", tokenizer)
	}, []loader.Name{loader.LlamaCPP, loader.MLX, loader.Ollama}, 0, []loaderWant{{want{checkpoint.RuleIndexMissing,
		"model-*-of-00002.safetensors", "", "are in no index"}, safetensors.Warning, ""}}},

	{"an unknown class", whole(changed(llamaConfig, `["LlamaForCausalLM"]`, `["MobileLLMForCausalLM"]`), plain), llamaCPP, 0,
		one(check.RuleModelUnknown, failed, "llama.cpp", "config.json", "", `class is "MobileLLMForCausalLM", which is not among the`)},
	{"no class", whole(changed(llamaConfig, `["LlamaForCausalLM"]`, `[]`), plain), ollamaOnly, 0,
		one(check.RuleModelUnknown, failed, "ollama", "config.json", "", `names no class`)},
	{"the class of the language model", whole(changed(llamaConfig, `["LlamaForCausalLM"]`, `["NewForConditionalGeneration"], "text_config": {"architectures": ["LlamaForCausalLM"]}`), plain), llamaCPP, 0, nil},
	{"an unknown type", whole(changed(llamaConfig, `"model_type": "llama"`, `"model_type": "mobilellm"`), plain), mlxOnly, 0,
		one(check.RuleModelUnknown, failed, "mlx", "config.json", "", `type is "mobilellm"`)},
	{"a type that is loaded as another", whole(changed(llamaConfig, `"model_type": "llama"`, `"model_type": "mistral"`), plain), mlxOnly, 0, nil},
	{"a type that only mlx-vlm loads", whole(changed(llamaConfig, `"model_type": "llama"`, `"model_type": "idefics3"`), plain), mlxOnly, 0, nil},

	{"weights under another name", renamed(whole(llamaConfig, plain), "model.safetensors", "my.safetensors"), llamaCPP, 0,
		one(check.RuleWeightsNotFound, failed, "llama.cpp", "my.safetensors", "", `no file is called model*.safetensors; llama.cpp writes a GGUF file without tensors`)},
	{"weights with more in their name", renamed(whole(llamaConfig, plain), "model.safetensors", "model-bf16.safetensors"), converters, 0, nil},
	{"two copies that match", func(t *testing.T, f folder) {
		whole(llamaConfig, plain)(t, f)
		f["model.fp16.safetensors"] = f["model.safetensors"]
	}, ollamaOnly, 0, one(check.RuleWeightsTwice, failed, "ollama", "model.fp16.safetensors", "lm_head.weight", "and have 75 tensors in common; ollama stops with: duplicate")},
	{"two copies, one by another name", func(t *testing.T, f folder) {
		whole(llamaConfig, plain)(t, f)
		f["consolidated.safetensors"] = f["model.safetensors"]
	}, converters, 0, nil},
	{"a tensor that the index does not list", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		f.weights(t, "model-00002-of-00002.safetensors", append(headed(plain)[38:], bf16("extra.weight", 4, 4))...)
		f.text("config.json", llamaConfig)
		f.text("tokenizer.json", tokenizer)
	}, llamaCPP, 0, one(checkpoint.RuleTensorUnlisted, failed, "llama.cpp", "model.safetensors.index.json", "extra.weight", "llama.cpp stops with ValueError: Mismatch")},

	{"a member that mlx-lm needs", whole(changed(llamaConfig, `"rms_norm_eps": 1e-05, `, ``), plain), mlxOnly, 0,
		one(check.RuleConfigField, failed, "mlx", "config.json", "", "lacks 1 member: rms_norm_eps; mlx stops with TypeError or AttributeError")},
	{"a member that is null", whole(changed(llamaConfig, `1e-05`, `null`), plain), mlxOnly, 0, nil},
	{"rope_theta in rope_parameters", whole(theta(llamaConfig, "500000.0"), plain), []loader.Name{loader.MLX, loader.Ollama}, 0,
		append(one(check.RuleRopeNested, failed, "mlx", "config.json", "", "rope_theta, 500000.0, is only in rope_parameters"),
			one(check.RuleRopeNested, failed, "ollama", "config.json", "", "rope_theta, 500000.0, is only in rope_parameters")...)},
	{"rope_theta that is the default", whole(theta(llamaConfig, "10000.0"), plain), converters, 0, nil},
	{"rope_theta in both places", whole(changed(theta(llamaConfig, "500000.0"), `{"arch`, `{"rope_theta": 500000.0, "arch`), plain), converters, 0, nil},
	{"rope_theta that llama.cpp finds", whole(theta(llamaConfig, "500000.0"), plain), llamaCPP, 0, nil},
	{"an output layer that mlx-lm drops", whole(changed(llamaConfig, `"tie_word_embeddings": false,`, ``), plain), mlxOnly, 0,
		one(check.RuleHeadDropped, failed, "mlx", "model.safetensors", "lm_head.weight", "config.json has no tie_word_embeddings")},
	{"an output layer that mlx-lm refuses", whole(changed(changed(llamaConfig, `"tie_word_embeddings": false,`, ``), `"model_type": "llama"`, `"model_type": "olmo2"`), plain), mlxOnly, 0,
		one(check.RuleHeadDropped, failed, "mlx", "model.safetensors", "lm_head.weight", "or stops with ValueError")},
	{"a member that transformers 5 does not write", whole(changed(llamaConfig, `"LlamaForCausalLM"`, `"GPTNeoXForCausalLM"`), plain), llamaCPP, 0,
		one(check.RuleConfigField, failed, "llama.cpp", "config.json", "", `of the class "GPTNeoXForCausalLM" lacks 1 member: rotary_pct; llama.cpp stops with KeyError`)},
	{"no output layer that could be dropped", lacking(func(t *testing.T, f folder) {
		joined(modelOf(changed(llamaConfig, `"tie_word_embeddings": false`, `"tie_word_embeddings": true`), llama(plain)), "tokenizer.json", tokenizer, "x", "")(t, f)
	}, "x"), converters, 0, nil},

	{"AWQ for llama.cpp", whole(quantised(`{"quant_method": "awq", "bits": 4, "group_size": 32}`), awq), llamaCPP, 0,
		one(check.RuleQuantUnsupported, failed, "llama.cpp", "model.safetensors", "", `quantized by "awq"; llama.cpp stops`)},
	{"AWQ for mlx-lm", whole(quantised(`{"quant_method": "awq", "bits": 4, "group_size": 32}`), awq), mlxOnly, 0, nil},
	{"AWQ that is plain for mlx-lm", whole(quantised(`{"quant_method": "awq", "bits": 4, "group_size": 32}`), plain), mlxOnly, 0,
		append(one(check.RuleQuantUnsupported, failed, "mlx", "model.safetensors", "", `the weights are plain, but declared as quantized by "awq"`),
			loaderWant{want{check.RuleQuantUnused, "config.json", "", "awq"}, safetensors.Warning, ""})},
	{"GPTQ for llama.cpp", whole(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), gptq), llamaCPP, 0, nil},
	{"GPTQ for mlx-lm", whole(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), gptq), mlxOnly, 0,
		one(check.RuleQuantUnsupported, failed, "mlx", "model.safetensors", "", `"gptq", with g_idx`)},
	{"FP8 in blocks for llama.cpp", whole(quantised(`{"quant_method": "fp8", "weight_block_size": [128, 128]}`), fp8), llamaCPP, 0, nil},
	{"FP8 in blocks for ollama", whole(quantised(`{"quant_method": "fp8", "weight_block_size": [128, 128]}`), fp8), ollamaOnly, 0, nil},
	{"FP8 in blocks for mlx-lm", whole(quantised(`{"quant_method": "fp8", "weight_block_size": [128, 128]}`), fp8), mlxOnly, 0,
		one(check.RuleQuantUnsupported, failed, "mlx", "model.safetensors", "", `quantized by "fp8"`)},
	{"compressed tensors in groups", whole(quantised(compressedConfig("group")), compressed), llamaCPP, 0, nil},
	{"compressed tensors by channel", whole(quantised(compressedConfig("channel")), compressed), llamaCPP, 0,
		one(check.RuleQuantUnsupported, failed, "llama.cpp", "model.safetensors", "", `in the format "pack-quantized" with the strategy "channel"`)},
	{"MLX for mlx-lm", whole(llamaConfig[:len(llamaConfig)-1]+`, "quantization": {"group_size": 32, "bits": 4}}`, mlx), mlxOnly, 0, nil},
	{"MLX for llama.cpp", whole(llamaConfig[:len(llamaConfig)-1]+`, "quantization": {"group_size": 32, "bits": 4}}`, mlx), llamaCPP, 0,
		one(check.RuleQuantUnsupported, failed, "llama.cpp", "model.safetensors", "", `quantized by "mlx"`)},
	{"a plain module with settings", whole(mlxConfig(`"lm_head": {"group_size": 32, "bits": 8}`), mlx), mlxOnly, 0,
		one(check.RuleQuantMode, failed, "mlx", "model.safetensors", "lm_head.weight", `the module "lm_head" has settings of its own in the configuration, and is not packed`)},
	{"a packed module that is not to be", whole(mlxConfig(fmt.Sprintf("%q: false", q5)), mlx), mlxOnly, 0,
		one(check.RuleQuantMode, failed, "mlx", "model.safetensors", q5+".weight", "is packed, and the configuration says that it is not", loaderWant{want{check.RuleQuantConfig, "model.safetensors", q5 + ".weight", "0 bits"}, safetensors.Warning, ""})},
	{"biases in a mode without", whole(mlxConfig(fmt.Sprintf(`%q: {"group_size": 32, "bits": 4, "mode": "mxfp4"}`, q5)), mlx), mlxOnly, 0,
		one(check.RuleQuantMode, failed, "mlx", "model.safetensors", q5+".weight", "has biases, which the mode mxfp4 does not have")},
	{"a module with its own settings", whole(mlxConfig(fmt.Sprintf(`%q: {"group_size": 32, "bits": 4}, "lm_head": false`, q5)), mlx), mlxOnly, 0, nil},
	{"a dtype that MLX does not read", whole(llamaConfig, func(module string, in, out int64) []tensor {
		return []tensor{{module + ".weight", safetensors.F64, []int64{out, in}, nil}}
	}), mlxOnly, 0, one(check.RuleDtypeUnsupported, failed, "mlx", "model.safetensors", "model.layers.0.mlp.down_proj.weight", "F64")},

	{"half of a tokenizer", joined(modelOf(llamaConfig, headed(plain)), "tokenizer_config.json", "{}"), llamaCPP, 0,
		one(check.RuleTokenizerMissing, failed, "llama.cpp", "tokenizer_config.json", "", "no file with the tokens")},
	{"a vocabulary for others", joined(modelOf(llamaConfig, headed(plain)), "vocab.json", "{}", "merges.txt", "#version"), ollamaOnly, 0,
		one(check.RuleTokenizerMissing, failed, "ollama", "vocab.json", "", "neither tokenizer.json nor tokenizer.model")},
	{"a vocabulary", joined(modelOf(llamaConfig, headed(plain)), "vocab.json", "{}", "merges.txt", "#version"), llamaCPP, 0, nil},
	{"a gap", joined(whole(llamaConfig, plain), "tokenizer.json", strings.Replace(tokenizer, `"id": 3`, `"id": 5`, 1)), ollamaOnly, 0,
		one(check.RuleTokenGap, failed, "ollama", "tokenizer.json", "", "no token has the id 3, and the greatest id is 5")},
	{"a gap that others fill", joined(whole(llamaConfig, plain), "tokenizer.json", strings.Replace(tokenizer, `"id": 3`, `"id": 5`, 1)), llamaCPP, 0, nil},
	{"special tokens as strings", joined(whole(llamaConfig, plain), "tokenizer.model", "\x0a\x01", "special_tokens_map.json", `{"additional_special_tokens": ["<x>"]}`), ollamaOnly, 0,
		one(check.RuleSpecialTokens, failed, "ollama", "special_tokens_map.json", "", `has "<x>", a string`)},
	{"special tokens as objects", joined(whole(llamaConfig, plain), "tokenizer.model", "\x0a\x01", "special_tokens_map.json", `{"additional_special_tokens": [{"content": "<x>"}]}`), ollamaOnly, 0, nil},
	{"special tokens without pieces", joined(whole(llamaConfig, plain), "special_tokens_map.json", `{"additional_special_tokens": ["<x>"]}`), ollamaOnly, 0, nil},
	{"a pre-tokenizer that ollama does not know", joined(whole(llamaConfig, plain), "tokenizer.json", strings.Replace(tokenizer, `\\p{N}|`, `\\p{N}{1,2}|`, 1)), ollamaOnly, 0,
		one(check.RulePreTokenizer, safetensors.Note, "ollama", "tokenizer.json", "", "which is not among the 6 that it knows")},
	{"attributes of macOS", joined(whole(llamaConfig, plain), "._config.json", sidecar), ollamaOnly, 0,
		one(check.RuleJSONText, failed, "ollama", "._config.json", "", "has attributes of \"config.json\"")},
	{"attributes of macOS that nobody reads", joined(whole(llamaConfig, plain), "._config.json", sidecar), []loader.Name{loader.MLX, loader.LlamaCPP}, 0, nil},
	{"Infinity for ollama", whole(changed(llamaConfig, `1e-05`, `1e-05, "limit": [0.0, Infinity]`), plain), ollamaOnly, 0,
		one(check.RuleConfigNumber, safetensors.Warning, "ollama", "config.json", "", "ollama stops in releases before")},

	{"names without their prefix", func(t *testing.T, f folder) {
		whole(llamaConfig, plain)(t, f)
		bare := llama(plain)
		for i := range bare {
			bare[i].name = strings.TrimPrefix(bare[i].name, "model.")
		}
		f.weights(t, "model.safetensors", append(bare, bf16("lm_head.weight", vocab, hidden))...)
	}, []loader.Name{loader.MLX, loader.Ollama}, 0, []loaderWant{{want{check.RuleNamesPrefix, "model.safetensors", "embed_tokens.weight",
		"mlx stops with ValueError: Received parameters"}, failed, "mlx ollama"}}},

	{"a tensor that each layer of the architecture has", func(t *testing.T, f folder) {
		whole(changed(llamaConfig, `"num_hidden_layers": 8`, `"num_hidden_layers": 2`), plain)(t, f)
		var two []tensor
		for _, one := range headed(plain) {
			_, rest, inLayer := strings.Cut(one.name, "layers.")
			if !inLayer || rest[0] < '2' && !strings.HasPrefix(rest, "1.mlp.down_proj") {
				two = append(two, one)
			}
		}
		f.weights(t, "model.safetensors", two...)
	}, mlxOnly, 0, one(check.RuleTensorRequired, failed, "mlx", "model.safetensors", "model.layers.1.mlp.down_proj.weight", "mlx stops with ValueError: Missing")},

	{"an adapter of PEFT", adapterOf(loraConfig, smallLoRA()...), llamaCPP, 0, nil},
	{"an adapter of PEFT for mlx-lm", renamed(adapterOf(loraConfig, smallLoRA()...), "adapter_model.safetensors", "adapters.safetensors"), mlxOnly, 0,
		one(check.RuleConfigField, failed, "mlx", "adapter_config.json", "", "lacks num_layers and lora_parameters: the adapter is one of PEFT")},
	{"an adapter of mlx-lm", func(t *testing.T, f folder) {
		f.weights(t, "adapters.safetensors", f32("model.layers.0.self_attn.q_proj.lora_a", 8, 4), f32("model.layers.0.self_attn.q_proj.lora_b", 4, 8))
		f.text("adapter_config.json", `{"num_layers": 1, "lora_parameters": {"rank": 4, "scale": 20.0}}`)
	}, mlxOnly, 0, nil},
	{"an adapter of PEFT for ollama", adapterOf(loraConfig, smallLoRA()...), ollamaOnly, 0,
		one(check.RuleWeightsNotFound, failed, "ollama", "adapter_model.safetensors", "", "no file is called model*.safetensors")},
	{"an adapter with the name that ollama looks for", renamed(adapterOf(loraConfig, smallLoRA()...), "adapter_model.safetensors", "model.safetensors"), ollamaOnly, 0, nil},
	{"an adapter with DoRA", adapterOf(loraConfig, append(smallLoRA(), f32("base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector", 8))...), llamaCPP, 0,
		one(check.RuleAdapterTensor, failed, "llama.cpp", "adapter_model.safetensors", "base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector",
			"1 tensor is neither lora_A nor lora_B")},

	{"a pipeline", pipelineOf("", nil), diffusers, 0, nil},
	{"a pipeline without a checker", pipelineOf("", map[string]string{"model_index.json": changed(pipelineIndex, `{"_class`, `{"safety_checker": [null, null], "_class`)}), diffusers, 0, nil},
	{"a component without a folder", lacking(pipelineOf("", nil), "scheduler/scheduler_config.json"), diffusers, 0,
		one(check.RulePipelineComponent, failed, "diffusers", "model_index.json", "", `the component "scheduler" is "EulerDiscreteScheduler" of diffusers, and there is no folder`)},
	{"a component without weights", lacking(pipelineOf("", nil), "unet/diffusion_pytorch_model.safetensors"), diffusers, 0,
		one(check.RulePipelineComponent, failed, "diffusers", "model_index.json", "", `the component "unet" is "UNet2DConditionModel" of diffusers, and its folder has no weights`)},
	{"weights of the other library", renamed(pipelineOf("", nil), "unet/diffusion_pytorch_model.safetensors", "unet/model.safetensors"), diffusers, 0,
		one(check.RulePipelineComponent, failed, "diffusers", "model_index.json", "", `its folder has "model.safetensors", and no diffusion_pytorch_model.safetensors`)},
	{"a component without its configuration", lacking(pipelineOf("", nil), "vae/config.json"), diffusers, 0,
		one(check.RulePipelineComponent, failed, "diffusers", "model_index.json", "", `its folder has no config.json`)},
	{"a tokenizer without tokens", lacking(pipelineOf("", nil), "tokenizer/vocab.json"), diffusers, 0,
		one(check.RulePipelineComponent, failed, "diffusers", "model_index.json", "", `"CLIPTokenizer" of transformers, and its folder has no tokenizer.json`)},
	{"a component that the pipeline needs", pipelineOf("", map[string]string{"model_index.json": changed(pipelineIndex, `["diffusers", "AutoencoderKL"]`, `[null, null]`)}), diffusers, 0,
		one(check.RulePipelineComponent, failed, "diffusers", "model_index.json", "", `names no "vae", which StableDiffusionPipeline needs`)},
	{"a class of the future", pipelineOf("", map[string]string{"model_index.json": changed(pipelineIndex, `"UNet2DConditionModel"`, `"UNet9DConditionModel"`)}), diffusers, 0,
		one(check.RuleModelUnknown, failed, "diffusers", "model_index.json", "", `the class of "unet" is "UNet9DConditionModel"`)},
	{"only a variant", pipelineOf(".fp16", nil), diffusers, 0,
		one(check.RuleVariantOnly, safetensors.Warning, "diffusers", "model_index.json", "", `3 components, the first "text_encoder", exist only in the variant "fp16"`)},
	{"a transformer with the names of its authors", func(t *testing.T, f folder) {
		f.weights(t, "diffusion_pytorch_model.safetensors", fluxLike("")...)
		f.text("config.json", `{"_class_name": "FluxTransformer2DModel"}`)
	}, diffusers, 0, one(check.RuleNamesOriginal, failed, "diffusers", "diffusion_pytorch_model.safetensors", "double_blocks.0.img_attn.norm.key_norm.scale",
		`such as "double_blocks.0.img_attn.norm.key_norm.scale"`)},
	{"a transformer with the names of diffusers", func(t *testing.T, f folder) {
		f.weights(t, "diffusion_pytorch_model.safetensors", bf16("transformer_blocks.0.attn.to_q.weight", 16, 16), bf16("single_transformer_blocks.0.proj_mlp.weight", 64, 16))
		f.text("config.json", `{"_class_name": "FluxTransformer2DModel"}`)
	}, diffusers, 0, nil},
	{"a component alone under another name", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", bf16("conv_in.weight", 8, 4))
		f.text("config.json", `{"_class_name": "ControlNetModel"}`)
	}, diffusers, 0, one(check.RuleWeightsNotFound, failed, "diffusers", "config.json", "", `there is "model.safetensors", but no diffusion_pytorch_model.safetensors`)},

	{"a diffusion model alone", fileOf("flux.safetensors", fluxLike("")...), comfyUI, 0,
		one(check.RuleModelPlace, safetensors.Note, "comfyui", "flux.safetensors", "", "alone, without a VAE and text encoders, by \"double_blocks.0")},
	{"a diffusion model in its folder", fileOf("models/diffusion_models/flux.safetensors", fluxLike("")...), comfyUI, 0, nil},
	{"a diffusion model among checkpoints", fileOf("models/checkpoints/more/flux.safetensors", fluxLike("")...), comfyUI, 0,
		one(check.RuleModelFolder, safetensors.Warning, "comfyui", "models/checkpoints/more/flux.safetensors", "", "and the folder is models/checkpoints")},
	{"an adapter among checkpoints", fileOf("checkpoints/wan.safetensors", wanLoRA("diffusion_model.")...), comfyUI, 0,
		one(check.RuleModelFolder, safetensors.Warning, "comfyui", "checkpoints/wan.safetensors", "", "it is an adapter: LoRA (Wan")},
	{"an adapter in its folder", fileOf("loras/wan.safetensors", wanLoRA("diffusion_model.")...), comfyUI, 0, nil},
	{"an adapter with the names of PEFT", fileOf("loras/wan.safetensors", wanLoRA("base_model.model.")...), comfyUI, 0,
		one(check.RuleAdapterUnread, safetensors.Warning, "comfyui", "loras/wan.safetensors", "base_model.model.blocks.0.cross_attn.v.lora_A.weight", "comfyui logs")},
	{"shards", func(t *testing.T, f folder) { f.sharded(t, 2, 1, fluxLike("")...) }, comfyUI, 0,
		one(check.RuleOneFile, failed, "comfyui", "model.safetensors.index.json", "", "the model consists of 2 shards")},
	{"packed for a custom node", fileOf("models/diffusion_models/a.safetensors", append(fluxLike(""), bf16("double_blocks.0.img_attn.proj.smooth_factor", 16))...), comfyUI, 0,
		one(check.RuleCustomNode, safetensors.Warning, "comfyui", "models/diffusion_models/a.safetensors", "double_blocks.0.img_attn.proj.smooth_factor", "quantized by SVDQuant")},
	{"packed for other programs", fileOf("text_encoders/a.safetensors", headed(gptq)...), comfyUI, 0,
		one(check.RuleQuantUnsupported, failed, "comfyui", "text_encoders/a.safetensors", "model.layers.0.mlp.down_proj.qzeros", "quantized by GPTQ or AWQ")},
	{"scaled FP8", fileOf("models/diffusion_models/a.safetensors", append(fluxLike(""), tensor{"scaled_fp8", safetensors.F8_E4M3, []int64{0}, nil}, f32("img_in.scale_weight"))...), comfyUI, 0, nil},
	{"a pipeline for ComfyUI", pipelineOf("", nil), comfyUI, 0, nil},
}

const loraConfig = `{"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], "base_model_name_or_path": "o/m"}`

// smallLoRA is a small adapter of PEFT.
func smallLoRA() []tensor {
	return []tensor{f32("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", 4, 8),
		f32("base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", 8, 4)}
}

// fluxLike has the names of Flux.
func fluxLike(prefix string) []tensor {
	return []tensor{bf16(prefix+"double_blocks.0.img_attn.qkv.weight", 48, 16), bf16(prefix+"double_blocks.0.img_attn.norm.key_norm.scale", 4),
		bf16(prefix+"double_blocks.0.txt_attn.qkv.weight", 48, 16), bf16(prefix+"double_blocks.0.img_mlp.0.weight", 64, 16),
		bf16(prefix+"single_blocks.0.linear1.weight", 112, 16), bf16(prefix+"single_blocks.0.linear2.weight", 16, 80),
		bf16(prefix+"img_in.weight", 16, 64), bf16(prefix+"txt_in.weight", 16, 32), bf16(prefix+"final_layer.linear.weight", 64, 16),
		bf16(prefix+"guidance_in.in_layer.weight", 16, 256), bf16(prefix+"time_in.in_layer.weight", 16, 256), bf16(prefix+"vector_in.in_layer.weight", 16, 24)}
}

// fileOf returns what makes a folder of one file.
func fileOf(name string, tensors ...tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) { f.weights(t, name, tensors...) }
}

// wanLoRA is an adapter of Wan.
func wanLoRA(prefix string) (all []tensor) {
	for _, module := range []string{"self_attn.q", "cross_attn.v"} {
		all = append(all, bf16(prefix+"blocks.0."+module+".lora_A.weight", 4, 32), bf16(prefix+"blocks.0."+module+".lora_B.weight", 32, 4))
	}
	return all
}

// mlxConfig is the configuration of MLX with settings of modules.
func mlxConfig(modules string) string {
	return llamaConfig[:len(llamaConfig)-1] + `, "quantization": {"group_size": 32, "bits": 4, ` + modules + "}}"
}

// compressedConfig is the configuration of compressed-tensors with one group.
func compressedConfig(strategy string) string {
	size := `32`
	if strategy == "channel" {
		size = `null`
	}
	return fmt.Sprintf(`{"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": {"weights":
{"num_bits": 4, "type": "int", "strategy": %q, "group_size": %s}}}}`, strategy, size)
}

const pipelineIndex = `{"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.42.1", "requires_safety_checker": true,
"scheduler": ["diffusers", "EulerDiscreteScheduler"], "text_encoder": ["transformers", "CLIPTextModel"],
"tokenizer": ["transformers", "CLIPTokenizer"], "unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderKL"]}`

// pipelineOf returns what makes a small pipeline, whose weights are of a variant.
func pipelineOf(variant string, files map[string]string) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		f.text("model_index.json", pipelineIndex)
		f.text("scheduler/scheduler_config.json", `{"_class_name": "EulerDiscreteScheduler"}`)
		f.text("tokenizer/vocab.json", `{}`)
		f.text("tokenizer/merges.txt", `#version: 0.2`)
		f.text("text_encoder/config.json", `{"architectures": ["CLIPTextModel"], "model_type": "clip_text_model"}`)
		f.weights(t, "text_encoder/model"+variant+".safetensors", bf16("text_model.final_layer_norm.weight", 8))
		for _, name := range []string{"unet", "vae"} {
			f.text(name+"/config.json", `{}`)
			f.weights(t, name+"/diffusion_pytorch_model"+variant+".safetensors", bf16("conv_in.weight", 8, 4))
		}
		for name, content := range files {
			f.text(name, content)
		}
	}
}
