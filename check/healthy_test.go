// Repositories as they are published, in which there is nothing to complain about.

package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
)

// beside adds what lies beside the weights of most models.
func beside(f folder) {
	f.text("README.md", "---\nlicense: mit\n---\n# A model: C:\\path\n")
	f.text(".gitattributes", "*.safetensors filter=lfs\n")
	f.text("tokenizer.json", `{"version":"1.0"}`)
	f.text("tokenizer_config.json", `{"bos_token":"<s>"}`)
	f.text("tokenizer.model", "\n\x0e\n\x05<unk>")
	f.text("merges.txt", "#version: 0.2\na b\n")
	f.text("generation_config.json", `{}`)
}

// healthy are the layouts, each with what may be found above a note: the header of
// MLX is not padded, and that is a fault of each file.
var healthy = []struct {
	name  string
	make  func(t *testing.T, f folder)
	known []safetensors.Rule
}{
	{"one file", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(plain)...)
		f.text("config.json", llamaConfig)
		beside(f)
	}, nil},
	{"shards and an index", func(t *testing.T, f folder) {
		f.sharded(t, 4, 1, headed(plain)...)
		f.text("config.json", llamaConfig)
	}, nil},
	{"numbers from zero, without an index and a library that looks for one", func(t *testing.T, f folder) {
		f.sharded(t, 3, 0, headed(plain)...)
		delete(f, "model.safetensors.index.json")
	}, nil},
	{"shards of a vendor, without an index", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		for _, n := range []string{"1", "2"} {
			f["consolidated-0000"+n+"-of-00002.safetensors"] = f["model-0000"+n+"-of-00002.safetensors"]
			delete(f, "model-0000"+n+"-of-00002.safetensors")
		}
		delete(f, "model.safetensors.index.json")
		f.text("config.json", llamaConfig)
	}, nil},
	{"tied, and so without an output layer", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", llama(plain)...)
		f.text("config.json", strings.Replace(llamaConfig, `"tie_word_embeddings": false`, `"tie_word_embeddings": true`, 1))
	}, nil},
	{"an output layer that OpenLLaMA shares", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", llama(plain)...)
		f.text("config.json", strings.Replace(llamaConfig, `{`, `{"shared_input_output_embedding": true, `, 1))
	}, nil},
	{"nothing said of ties", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", llama(plain)...)
		f.text("config.json", strings.Replace(llamaConfig, `"tie_word_embeddings": false, `, "", 1))
		f.text("config.json", strings.Replace(string(f["config.json"]), `"tie_word_embeddings": false,`, "", 1))
	}, nil},
	{"GPTQ", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(gptq)...)
		f.text("config.json", quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": false, "sym": true}`))
		f.text("quantize_config.json", `{"bits": 4, "group_size": 32}`)
	}, nil},
	{"GPTQ with other settings of some modules", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(gptq)...)
		f.text("config.json", quantised(`{"quant_method": "gptq", "bits": 8, "group_size": 128, "dynamic": {"+:.*down.*": {"bits": 4, "group_size": 32}}}`))
	}, nil},
	{"AWQ", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(awq)...)
		f.text("config.json", quantised(`{"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm", "zero_point": true}`))
	}, nil},
	{"AWQ with swapped axes", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(gemv)...)
		f.text("config.json", quantised(`{"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemv"}`))
	}, nil},
	{"AWQ with swapped axes, described by a file of its own", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(gemv)...)
		f.text("config.json", llamaConfig)
		f.text("quant_config.json", `{"zero_point": true, "q_group_size": 32, "w_bit": 4, "version": "gemv"}`)
	}, nil},
	{"compressed-tensors, integers", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(compressed)...)
		f.text("config.json", quantised(`{"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"],
			"config_groups": {"group_0": {"weights": {"num_bits": 4, "group_size": 32, "strategy": "group"}, "targets": ["Linear"]}}}`))
	}, nil},
	{"compressed-tensors with zero points that are all zero", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(func(module string, in, out int64) []tensor {
			return append(compressed(module, in, out), tensor{module + ".weight_zero_point", safetensors.I8, []int64{out, in / 32}, zeros})
		})...)
	}, nil},
	{"NVFP4, compressed-tensors", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(nvfp4)...)
		f.text("config.json", quantised(`{"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"}`))
	}, nil},
	{"NVFP4, ModelOpt", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(modelopt)...)
		f.text("config.json", llamaConfig)
		f.text("hf_quant_config.json", `{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["lm_head"]}}`)
	}, nil},
	{"MXFP4 in experts", func(t *testing.T, f folder) {
		all := llama(plain)
		for i := range layersOf {
			at := fmt.Sprintf("model.layers.%d.mlp.experts.", i)
			all = append(all,
				tensor{at + "gate_up_proj_blocks", safetensors.U8, []int64{4, 2 * wide, 2, 16}, nil}, tensor{at + "gate_up_proj_scales", safetensors.U8, []int64{4, 2 * wide, 2}, nil},
				tensor{at + "down_proj_blocks", safetensors.U8, []int64{4, hidden, 5, 16}, nil}, tensor{at + "down_proj_scales", safetensors.U8, []int64{4, hidden, 5}, nil},
				bf16(at+"gate_up_proj_bias", 4, 2*wide), bf16(at+"down_proj_bias", 4, hidden))
		}
		f.sharded(t, 3, 0, append(all, bf16("lm_head.weight", vocab, hidden))...)
		f.text("config.json", strings.Replace(quantised(`{"quant_method": "mxfp4"}`), `"llama"`, `"gpt_oss"`, 1))
	}, nil},
	{"bitsandbytes", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(bitsandbytes)...)
		f.text("config.json", quantised(`{"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": true}`))
	}, nil},
	{"bitsandbytes stored as BF16", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(func(module string, in, out int64) []tensor {
			return append(bitsandbytes(module, in, out)[1:], bf16(module+".weight", in*out/4, 1))
		})...)
	}, nil},
	{"8-bit floats with scales of tiles", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(fp8)...)
		f.text("config.json", quantised(`{"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}`))
	}, nil},
	{"8-bit floats that were cast, with and without scales", func(t *testing.T, f folder) {
		all := []tensor{{"img_in.weight", safetensors.F8_E4M3, []int64{64, 16}, nil}, {"scaled_fp8", safetensors.F8_E4M3, []int64{0}, nil}}
		for i := range 10 {
			at := fmt.Sprintf("double_blocks.%d.", i)
			all = append(all, tensor{at + "attn.weight", safetensors.F8_E4M3, []int64{64, 64}, nil}, f32(at+"attn.scale_weight"),
				tensor{at + "mod.weight", safetensors.F8_E4M3, []int64{64, 64}, nil}, f32(at+"norm.scale", 64))
		}
		f.weights(t, "flux1-dev-fp8.safetensors", all...)
	}, nil},
	{"MLX, with an unpadded header and bits for each module", func(t *testing.T, f folder) {
		all := headed(mlx)
		for _, name := range []string{"weight", "scales", "biases"} {
			all = without(all, "model.layers.0.mlp.down_proj."+name)
		}
		all = append(all, tensor{"model.layers.0.mlp.down_proj.weight", safetensors.U32, []int64{hidden, wide / 4}, nil},
			bf16("model.layers.0.mlp.down_proj.scales", hidden, wide/32), bf16("model.layers.0.mlp.down_proj.biases", hidden, wide/32))
		f["model.safetensors"] = file(t, false, inOrder(all)...)
		f.text("config.json", llamaConfig[:len(llamaConfig)-1]+`, "quantization": {"group_size": 32, "bits": 4, "mode": "affine",
			"model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 8}, "lm_head": false}}`)
	}, []safetensors.Rule{safetensors.RuleDataAlignment, safetensors.RuleElementAlignment}},
	{"forms that are not known here", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(func(module string, in, out int64) []tensor {
			return []tensor{{module + ".qweight", safetensors.I8, []int64{out, in / 2}, nil}, bf16(module+".wscales", in/64, out), bf16(module+".smooth_factor", in)}
		})...)
		f.text("config.json", quantised(`{"quant_method": "svdquant"}`))
	}, nil},
	{"NVFP4 with scales that are filled up for the hardware", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(func(module string, in, out int64) []tensor {
			return reshaped(modelopt(module, in, out), module+".weight_scale", (out+127)/128*128, (in/16+3)/4*4)
		})...)
	}, nil},
	{"compressed-tensors for sparse hardware", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(func(module string, in, out int64) []tensor {
			return []tensor{{module + ".weight_packed", safetensors.I32, []int64{in / 32, 2 * out}, nil}, {module + ".meta", safetensors.I16, []int64{in / 32, 2 * out}, nil}, bf16(module+".scale_packed", 2, out)}
		})...)
		f.text("config.json", quantised(`{"quant_method": "compressed-tensors", "format": "marlin-24"}`))
	}, nil},
	{"GPTQ whose rows end in a word that is not full", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(func(module string, in, out int64) []tensor {
			return reshaped(reshaped(reshaped(gptq(module, in, out-3), module+".qzeros", in/32, out/8), module+".g_idx", in-1), module+".scales", (in-1+31)/32, out-3)
		})...)
		f.text("config.json", quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`))
	}, nil},
	{"MLX in MXFP4 and in integers, by turns", func(t *testing.T, f folder) {
		all := headed(mlx)
		for i := range layersOf / 2 {
			at := fmt.Sprintf("model.layers.%d.mlp.up_proj.", 2*i)
			all = without(all, at+"biases", at+"scales")
			all = append(all, tensor{at + "scales", safetensors.U8, []int64{wide, hidden / 32}, nil})
		}
		f.weights(t, "model.safetensors", all...)
	}, nil},
	{"8-bit floats, several weights in one, each with its own last tile", func(t *testing.T, f folder) {
		all := llama(plain)
		for i := range layersOf {
			at := fmt.Sprintf("model.layers.%d.self_attn.qkv_proj.", i)
			all = append(all, tensor{at + "weight", safetensors.F8_E4M3, []int64{320, 64}, nil}, f32(at+"weight_scale_inv", 4, 1))
		}
		f.weights(t, "model.safetensors", append(all, bf16("lm_head.weight", vocab, hidden))...)
		f.text("config.json", quantised(`{"quant_method": "fp8", "weight_block_size": [128, 128]}`))
	}, nil},
	{"layers that a search has left without tensors", func(t *testing.T, f folder) {
		var all []tensor
		for _, one := range headed(plain) {
			if !strings.HasPrefix(one.name, "model.layers.3.") {
				all = append(all, one)
			}
		}
		f.weights(t, "model.safetensors", all...)
		f.text("config.json", llamaConfig[:len(llamaConfig)-1]+`, "block_configs": []}`)
	}, nil},
	{"a model of rewards", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", append(llama(plain), bf16("score.weight", 1, hidden))...)
		f.text("config.json", llamaConfig)
	}, nil},
	{"an adapter that names its matrices otherwise", func(t *testing.T, f folder) {
		f.weights(t, "adapter_model.safetensors", f32("q.lora_A.weight", 4, hidden), f32("q.lora_B0.weight", hidden, 4), f32("q.lora_B1.weight", hidden, 4))
	}, nil},
	{"an adapter", func(t *testing.T, f folder) {
		f.weights(t, "adapter_model.safetensors", lora(4)...)
		f.text("adapter_config.json", peftConfig)
		f.text("training_args.bin", "PK")
	}, nil},
	{"an adapter beside its model", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(plain)...)
		f.text("config.json", llamaConfig)
		f.weights(t, "adapter/adapter_model.safetensors", lora(4)...)
		f.text("adapter/adapter_config.json", peftConfig)
	}, nil},
	{"adapters of kohya's scripts, in one folder", func(t *testing.T, f folder) {
		f.weights(t, "style.safetensors", kohya()...)
		f.weights(t, "other.safetensors", append(kohya(), bf16("lora_te_x.hada_w1_a", 4, 4))...)
	}, nil},
	{"an adapter of ranks by module", func(t *testing.T, f folder) {
		all := reshaped(lora(4), "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", 2, hidden)
		f.weights(t, "adapter_model.safetensors", reshaped(all, "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", hidden, 2)...)
		f.text("adapter_config.json", strings.Replace(peftConfig, `"rank_pattern": {}`, `"rank_pattern": {"layers.0.self_attn.q_proj": 2}`, 1))
	}, nil},
	{"an adapter of stacked experts, whose shapes do not show the rank", func(t *testing.T, f folder) {
		f.weights(t, "adapter_model.safetensors", f32("experts.lora_A.weight", 2, 4, hidden), f32("experts.lora_B.weight", 2, hidden, 4))
		f.text("adapter_config.json", peftConfig)
	}, nil},
	{"an adapter of MLX", func(t *testing.T, f folder) {
		f.weights(t, "adapters.safetensors", f32("model.layers.0.q_proj.lora_a", hidden, 4), f32("model.layers.0.q_proj.lora_b", 4, kv))
		f.text("adapter_config.json", `{"fine_tune_type": "lora", "lora_parameters": {"rank": 4}}`)
	}, nil},
	{"the makers' form beside the shards", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		f["consolidated.safetensors"] = file(t, true, inOrder(headed(plain))...)
		f.text("config.json", llamaConfig)
		f.text("params.json", `{"dim": 64}`)
	}, nil},
	{"a pipeline of diffusers, in two precisions", func(t *testing.T, f folder) {
		f.text("model_index.json", `{"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderKL"], "text_encoder": ["transformers", "CLIPTextModel"]}`)
		f.weights(t, "unet/diffusion_pytorch_model.safetensors", f32("conv_in.weight", 32, 4, 3, 3), f32("conv_in.bias", 32))
		f.weights(t, "unet/diffusion_pytorch_model.fp16.safetensors", tensor{"conv_in.weight", safetensors.F16, []int64{32, 4, 3, 3}, nil}, tensor{"conv_in.bias", safetensors.F16, []int64{32}, nil})
		f.text("unet/config.json", `{"_class_name": "UNet2DConditionModel", "sample_size": 64}`)
		f.weights(t, "vae/diffusion_pytorch_model.safetensors", f32("decoder.conv_in.weight", 16, 4, 3, 3))
		f.text("vae/config.json", `{"_class_name": "AutoencoderKL"}`)
		f.weights(t, "text_encoder/model.safetensors", f32("text_model.encoder.layers.0.mlp.fc1.weight", 16, 8), tensor{"text_model.embeddings.position_ids", safetensors.I64, []int64{1, 77}, nil})
		f.text("text_encoder/config.json", `{"model_type": "clip_text_model", "num_hidden_layers": 12, "hidden_size": 8, "vocab_size": 49408}`)
		f.text("scheduler/scheduler_config.json", `{}`)
	}, nil},
	{"sentence-transformers", func(t *testing.T, f folder) {
		all := []tensor{f32("embeddings.word_embeddings.weight", vocab, hidden), {"embeddings.position_ids", safetensors.I64, []int64{1, 512}, nil}}
		for i := range layersOf {
			all = append(all, f32(fmt.Sprintf("encoder.layer.%d.attention.self.query.weight", i), hidden, hidden))
		}
		f.weights(t, "model.safetensors", all...)
		f.text("config.json", `{"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 64, "num_hidden_layers": 8, "vocab_size": 256}`)
		f.text("modules.json", `[{"idx": 0, "type": "sentence_transformers.models.Transformer"}]`)
		f.text("1_Pooling/config.json", `{"word_embedding_dimension": 64}`)
		f.weights(t, "2_Dense/model.safetensors", f32("linear.weight", 32, hidden), f32("linear.bias", 32))
		f.text("2_Dense/config.json", `{"in_features": 64, "out_features": 32}`)
	}, nil},
	{"a model of embeddings with the architecture of its origin", func(t *testing.T, f folder) {
		var all []tensor
		for _, one := range llama(plain) {
			one.name = strings.TrimPrefix(one.name, "model.")
			all = append(all, one)
		}
		f.weights(t, "model.safetensors", all...)
		f.text("config.json", llamaConfig)
		f.text("modules.json", "[]")
	}, nil},
	{"timm", func(t *testing.T, f folder) {
		all := []tensor{f32("cls_token", 1, 1, 32), f32("pos_embed", 1, 197, 32), f32("head.weight", 10, 32), f32("head.bias", 10)}
		for i := range 12 {
			all = append(all, f32(fmt.Sprintf("blocks.%d.attn.qkv.weight", i), 96, 32))
		}
		f.weights(t, "model.safetensors", all...)
		f["pytorch_model.bin"] = []byte("PK")
		f.text("config.json", `{"architecture": "vit_tiny_patch16_224", "num_classes": 10, "num_features": 32}`)
	}, nil},
	{"single files for ComfyUI, each a model", func(t *testing.T, f folder) {
		f.weights(t, "v1-5-pruned.safetensors", bf16("model.diffusion_model.input_blocks.0.0.weight", 32, 4, 3, 3), f32("betas", 10))
		f.weights(t, "other/sdxl.safetensors", bf16("model.diffusion_model.input_blocks.0.0.weight", 32, 4, 3, 3), f32("alphas", 10))
	}, nil},
	{"empty tensors", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", append(headed(plain), f32("model.buffer", 0, 4), f32("transformer.h.0.attn.masked_bias", 0), bf16("model.cache.weight", 0, hidden))...)
		f.text("config.json", llamaConfig)
	}, nil},
	{"other formats beside", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(plain)...)
		f.text("config.json", llamaConfig)
		f["model-Q4_K_M.gguf"] = []byte("GGUF\x03\x00\x00\x00")
		f["pytorch_model.bin"] = []byte("PK\x03\x04")
		f["onnx/model.onnx"] = []byte("\x08\x07")
		f["original/consolidated.00.pth"] = []byte("PK\x03\x04")
	}, nil},
	{"steps of a training, and what it keeps", func(t *testing.T, f folder) {
		for _, step := range []string{"checkpoint-100/", "checkpoint-200/"} {
			f.weights(t, step+"model.safetensors", filled(headed(plain), "model.norm.weight", pattern(step[11], 0x3d))...)
			f.text(step+"config.json", llamaConfig)
			f[step+"optimizer.pt"], f[step+"rng_state.pth"], f[step+"scheduler.pt"] = []byte("PK"), []byte("PK"), []byte("PK")
			f.text(step+"trainer_state.json", `{"best_metric": NaN}`)
		}
	}, nil},
	{"a mixture of experts: the first layer is dense, and one more predicts a second token", func(t *testing.T, f folder) {
		all := []tensor{bf16("model.embed_tokens.weight", vocab, hidden), bf16("lm_head.weight", vocab, hidden)}
		for i := range 11 {
			at := fmt.Sprintf("model.layers.%d.", i)
			all = append(all, bf16(at+"input_layernorm.weight", hidden))
			if i == 0 {
				all = append(all, bf16(at+"mlp.up_proj.weight", wide, hidden))
				continue
			}
			for e := range 4 {
				all = append(all, fp8(fmt.Sprintf("%smlp.experts.%d.up_proj", at, e), hidden, wide)...)
			}
			if i == 10 {
				all = append(all, bf16(at+"eh_proj.weight", hidden, 2*hidden))
			}
		}
		f.sharded(t, 3, 1, all...)
		f.text("config.json", `{"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 10, "num_nextn_predict_layers": 1,
			"n_routed_experts": 4, "vocab_size": 256, "tie_word_embeddings": false, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}`)
	}, nil},
	{"an encoder and a decoder", func(t *testing.T, f folder) {
		all := []tensor{f32("shared.weight", vocab, hidden)}
		for i := range 12 {
			all = append(all, f32(fmt.Sprintf("encoder.block.%d.layer.0.SelfAttention.q.weight", i), hidden, hidden), f32(fmt.Sprintf("decoder.block.%d.layer.0.SelfAttention.q.weight", i), hidden, hidden))
		}
		f.weights(t, "model.safetensors", append(all, f32("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", 32, 8))...)
		f.text("config.json", `{"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": true, "d_model": 64, "num_layers": 24, "vocab_size": 256}`)
	}, nil},
	{"the first layer has no norm before its attention", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", without(headed(plain), "model.layers.0.input_layernorm.weight", "model.layers.7.self_attn.q_proj.weight")...)
		f.text("config.json", llamaConfig)
	}, nil},
	{"layers of two kinds by turns, and a configuration in Python's JSON", func(t *testing.T, f folder) {
		all := []tensor{bf16("model.embed_tokens.weight", vocab+64, hidden)}
		for i := range 12 {
			kind := []string{"mamba.in_proj", "self_attn.q_proj"}[i%2]
			all = append(all, bf16(fmt.Sprintf("model.layers.%d.%s.weight", i, kind), 96, hidden))
		}
		f.weights(t, "model.safetensors", all...)
		f.text("config.json", `{"model_type": "bamba", "hidden_size": 64, "vocab_size": 256, "num_hidden_layers": 12, "time_step_limit": [0.0, Infinity], "x": -Infinity, "y": NaN, "z": "NaN"}`)
	}, nil},
	{"an image model and a language model in one", func(t *testing.T, f folder) {
		all := []tensor{bf16("model.language_model.embed_tokens.weight", vocab, hidden), bf16("lm_head.weight", vocab, hidden), bf16("model.visual.patch_embed.proj.weight", 32, 3, 2, 14, 14)}
		for i := range 8 {
			all = append(all, bf16(fmt.Sprintf("model.language_model.layers.%d.mlp.up_proj.weight", i), wide, hidden))
		}
		for i := range 3 {
			all = append(all, bf16(fmt.Sprintf("model.visual.blocks.%d.mlp.up_proj.weight", i), 48, 32))
		}
		f.weights(t, "model.safetensors", all...)
		f.text("config.json", `{"model_type": "qwen2_5_vl", "hidden_size": 99, "text_config": {"hidden_size": 64, "num_hidden_layers": 8, "vocab_size": 256}, "vision_config": {"depth": 3}, "tie_word_embeddings": true}`)
	}, nil},
	{"a head for drafts, with the configuration of its model", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", bf16("model.layers.8.eh_proj.weight", hidden, 2*hidden), bf16("model.layers.8.mlp.up_proj.weight", wide, hidden))
		f.text("config.json", llamaConfig)
	}, nil},
	{"numbers that are as they have to be", func(t *testing.T, f folder) {
		all := filled(headed(plain), "model.norm.weight", ones)
		for i := range layersOf { // norms of ones, biases of zeros
			at := fmt.Sprintf("model.layers.%d.", i)
			all = filled(all, at+"input_layernorm.weight", ones)
			all = append(all, tensor{at + "self_attn.q_proj.bias", safetensors.BF16, []int64{hidden}, zeros}, tensor{at + "self_attn.k_proj.bias", safetensors.BF16, []int64{kv}, zeros})
		}
		f.weights(t, "model.safetensors", append(all,
			tensor{"model.causal_mask", safetensors.BOOL, []int64{8, 8}, nil},
			tensor{"model.attn_bias", safetensors.F32, []int64{16, 16}, func(b []byte) { // 0 and minus infinity
				for i := range b {
					b[i] = []byte{0, 0, 0, 0, 0, 0, 0x80, 0xff}[i%8]
				}
			}},
			tensor{"model.final_logits_bias", safetensors.BF16, []int64{1, vocab}, func(b []byte) { copy(b, "\x80\xff") }},
			tensor{"model.observer.min_val", safetensors.F32, []int64{}, pattern(0, 0, 0x80, 0x7f)},
			tensor{"model.up.zero_conv.weight", safetensors.F32, []int64{64, 64}, zeros},
		)...)
		f.text("config.json", llamaConfig)
	}, nil},
	{"a sub-folder for each size, and a name with spaces", func(t *testing.T, f folder) {
		f.weights(t, "small/model.safetensors", headed(plain)...)
		f.text("small/config.json", llamaConfig)
		f.weights(t, "large model/model.safetensors", filled(headed(plain), "model.norm.weight", ones)...)
		f.text("large model/config.json", llamaConfig)
	}, nil},
	{"fetched to a local folder, with the Hub's records", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", headed(plain)...)
		f.text("config.json", llamaConfig)
		f.text(".cache/huggingface/download/model.safetensors.metadata", strings.Repeat("a", 40)+"\n"+sha256Of(f["model.safetensors"])+"\n1726498370.84\n")
		f.text(".cache/huggingface/download/config.json.metadata", strings.Repeat("a", 40)+"\n"+strings.Repeat("b", 40)+"\n1726498370.84\n") // changed since
		f.text(".cache/huggingface/download/model.safetensors.lock", "")
	}, nil},
}

// few returns some of the tests of a table with -short, as for the race detector, and otherwise all.
func few[T any](table []T) []T {
	if !testing.Short() {
		return table
	}
	return slices.Collect(func(yield func(T) bool) {
		for i := 0; i < len(table) && yield(table[i]); i += 5 {
		}
	})
}

// abbreviated are rules about loaders that layouts violate because their configurations are abbreviated, or because
// they are for other programs.
var abbreviated = []safetensors.Rule{
	check.RuleConfigMissing, check.RuleConfigField, check.RuleQuantMethod, check.RuleQuantSetting, check.RuleQuantPlace,
	check.RuleWeightsNotFound, check.RuleIndexMetadata, check.RuleTensorRequired,
}

func TestHealthy(t *testing.T) {
	for _, test := range few(healthy) {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			for _, opts := range []*check.Options{nil, {Data: true}, {For: allThree}} {
				known := test.known
				if opts != nil && opts.For != nil {
					known = append(slices.Clone(known), abbreviated...)
				}
				judgeHealthy(t, f, "", opts, known)
			}
			for path := range f { // what is right as a whole is right in its parts
				if strings.HasSuffix(path, ".safetensors") || strings.HasSuffix(path, ".index.json") {
					judgeHealthy(t, f, path, nil, test.known)
				}
			}
		})
	}
}

func judgeHealthy(t *testing.T, f folder, path string, opts *check.Options, known []safetensors.Rule) {
	t.Helper()
	for _, l := range judge(t, f.store(), path, opts) {
		ok := l.Severity == safetensors.Note
		for _, rule := range known {
			ok = ok || l.Rule == rule
		}
		if !ok {
			t.Errorf("target %q, options %+v: %s: %s %s", path, opts, l.file, string(l.Rule), l.Detail)
		}
	}
}

// TestDescribed: a configuration counts as looked at if tensors were judged by it.
func TestDescribed(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		want         []string
	}{
		{"there", llamaConfig, []string{"config.json"}},
		{"broken", "{", nil},
		{"absent", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := make(folder)
			f.weights(t, "model.safetensors", headed(plain)...)
			if tt.config != "" {
				f.text("config.json", tt.config)
			}
			sets, err := checkpoint.Discover(t.Context(), f.store(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			opts := &check.Options{Described: func(config string) { got = append(got, config) }}
			for range check.Validate(t.Context(), f.store(), "", sets, opts) {
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("described by %q, want %q", got, tt.want)
			}
		})
	}
}
