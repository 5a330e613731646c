// One folder for each fault that a rule is about: found, with its cause in the message.

package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
)

// A fixture is a folder with one fault.
type fixture struct {
	name  string
	make  func(t *testing.T, f folder)
	data  bool // the fault is in the data
	wants []want
}

// modelOf returns what makes a folder of the tensors in one file, with a configuration
// if it is not "".
func modelOf(config string, tensors []tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", tensors...)
		if config != "" {
			f.text("config.json", config)
		}
	}
}

// inModel returns a want of the one file of a model.
func inModel(rule safetensors.Rule, tensor, says string) []want {
	return []want{{rule, "model.safetensors", tensor, says}}
}

const (
	q5     = "model.layers.5.self_attn.q_proj"
	down5  = "model.layers.5.mlp.down_proj"
	loraA5 = "base_model.model.model.layers.5.self_attn.q_proj.lora_A.weight"
	loraB5 = "base_model.model.model.layers.5.self_attn.q_proj.lora_B.weight"
)

// changed returns the configuration with one thing in place of another.
func changed(config, old, new string) string {
	if !strings.Contains(config, old) {
		panic("there is no " + old)
	}
	return strings.Replace(config, old, new, 1)
}

// adapterOf returns what makes a folder of an adapter.
func adapterOf(config string, tensors ...tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		f.weights(t, "adapter_model.safetensors", tensors...)
		f.text("adapter_config.json", config)
	}
}

// besides are fixtures of what lies beside weights, and of configurations.
var besides = []fixture{
	{"a tokenizer that is a pointer", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.text("tokenizer.json", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("0", 64)+"\nsize 17525357\n")
	}, false, []want{{check.RuleNotFetched, "tokenizer.json", "", `"tokenizer.json" is a Git LFS pointer to 17,525,357 bytes`}}},
	{"a configuration that is a page", func(t *testing.T, f folder) {
		modelOf("<!DOCTYPE html>\n<html>Log in</html>", headed(plain))(t, f)
	}, false, []want{{check.RuleNotFetched, "config.json", "", `"config.json" is an HTML page, such as an error or a login page ("<!DOCTYPE html>")`}}},
	{"a configuration that is empty", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.text("config.json", "")
	}, false, []want{{check.RuleNotFetched, "config.json", "", `"config.json" is an empty file`}}},
	{"an error of an object store", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.text("vocab.json", "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>")
	}, false, []want{{check.RuleNotFetched, "vocab.json", "", `"vocab.json" is an XML error message from object storage ("<?xml`}}},
	{"shards without an index", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		delete(f, "model.safetensors.index.json")
		f.text("config.json", llamaConfig)
	}, false, []want{{checkpoint.RuleIndexMissing, "model-*-of-00002.safetensors", "", `2 shards of "model-*-of-00002.safetensors" are in no index`}}},
	{"what a download has left", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		f["model-00002-of-00002.safetensors.incomplete"] = f["model-00002-of-00002.safetensors"][:1234]
		delete(f, "model-00002-of-00002.safetensors")
	}, false, []want{
		{checkpoint.RuleShardMissing, "model.safetensors.index.json", "lm_head.weight", "model-00002-of-00002.safetensors"},
		{check.RuleDownloadUnfinished, "model-00002-of-00002.safetensors.incomplete", "", `"model-00002-of-00002.safetensors.incomplete" has 1,234 bytes of an unfinished download`},
	}},
	{"what the Hub's library has left, beside the whole", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f["blobs/"+strings.Repeat("a", 64)+".incomplete"] = make([]byte, 10)
		f["blobs/"+strings.Repeat("a", 64)] = make([]byte, 20)
	}, false, []want{{check.RuleDownloadUnfinished, "blobs/" + strings.Repeat("a", 64) + ".incomplete", "", `"blobs/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.incomplete" has 10 bytes of`}}},
	{"what interrupted runs have left", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.text("unet/.weigh-journal", "{")
		f.text("unet/.index.tmp-0123456789/replaced/model.safetensors", "")
		f.text(".index.tmp-0123456789/model.safetensors", "")
		f.text(".index.tmp-0123456789/replaced/model.safetensors", "")
		f.text("vae/.x.tmp-abcdefghij", "")
		f.text("vae/.x.tmp-abcdefghi", "")
	}, false, []want{
		{check.RuleLeftover, ".index.tmp-0123456789", "", `".index.tmp-0123456789" was left by an interrupted run`},
		{check.RuleExchangeUnfinished, "unet/.weigh-journal", "", "an interrupted run has replaced only some of the files"},
		{check.RuleLeftover, "vae/.x.tmp-abcdefghij", "", "was left by an interrupted run"},
	}},
	{"a pickle beside", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f["pytorch_model-00001-of-00002.bin"], f["pytorch_model-00002-of-00002.bin"] = make([]byte, 1000), make([]byte, 234)
		f["model.gguf"], f["model.onnx"] = make([]byte, 500), []byte(pointer)
	}, false, inModel(check.RuleOtherFormat, "", `1 GGUF file "model.gguf"; 2 PyTorch files, the first "pytorch_model-00001-of-00002.bin"; 1,734 bytes in all`)},
	{"a name that is shown as another", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.text("notes\u202egpj.txt", "")
	}, false, []want{{check.RulePathUnsafe, "notes\u202egpj.txt", "", `the path "notes\u202egpj.txt" contains the control character '\u202e'`}}},
	{"a reference to a snapshot that was removed", func(t *testing.T, f folder) {
		f.weights(t, "snapshots/0a/model.safetensors", headed(plain)...)
		f.text("snapshots/0a/config.json", llamaConfig)
		f.text("refs/main", "0b\n")
	}, false, []want{{check.RuleRefMissing, "refs/main", "", `"refs/main" names the snapshot "0b", which has no files`}}},
	{"a backslash in the name of weights", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.weights(t, `a\b/model.safetensors`, f32("x", 4))
	}, false, []want{{check.RulePathUnsafe, `a\b/model.safetensors`, "", `the path "a\\b/model.safetensors" contains '\\', which is not allowed in names on Windows`}}},
	{"names that differ in case alone", func(t *testing.T, f folder) {
		modelOf(llamaConfig, headed(plain))(t, f)
		f.text("Config.json", "{}")
	}, false, []want{{check.RulePathCollision, "config.json", "", `"Config.json" and "config.json" differ only in case: on Windows and macOS, one overwrites the other`}}},
	{"a configuration that is cut off", modelOf(llamaConfig[:100], headed(plain)), false,
		[]want{{check.RuleConfigJSON, "config.json", "", `"config.json" is not a JSON object: at byte 100: expected '"' at the end of the string from byte`}}},
	{"a configuration that is no object", modelOf(`[1]`, headed(plain)), false,
		[]want{{check.RuleConfigJSON, "config.json", "", "expected an object"}}},
	{"fewer rows than the vocabulary", modelOf(changed(llamaConfig, `"vocab_size": 256`, `"vocab_size": 258`), headed(plain)), false,
		inModel(check.RuleConfigShape, "model.embed_tokens.weight", `tensor "model.embed_tokens.weight" has 256 rows, but "config.json" has vocab_size 258`)},
	{"another width", modelOf(changed(llamaConfig, `"llama", "hidden_size": 64`, `"x", "hidden_size": 128`), headed(plain)), false,
		inModel(check.RuleConfigShape, "model.embed_tokens.weight", `tensor "model.embed_tokens.weight" has 64 columns, but "config.json" has hidden_size 128`)},
	{"another number of heads", modelOf(changed(llamaConfig, `"num_key_value_heads": 2`, `"num_key_value_heads": 4`), headed(plain)), false, []want{
		{check.RuleConfigShape, "model.safetensors", "model.layers.0.self_attn.k_proj.weight", `8 tensors, the first "model.layers.0.self_attn.k_proj.weight", have the shape [32, 64]; expected`},
		{check.RuleConfigShape, "model.safetensors", "model.layers.0.self_attn.v_proj.weight", `8 tensors, the first "model.layers.0.self_attn.v_proj.weight", have the shape [32, 64]; expected`},
	}},
	{"one layer of another width", modelOf(llamaConfig, reshaped(headed(plain), down5+".weight", hidden, wide/2)), false,
		inModel(check.RuleConfigShape, down5+".weight", `tensor "`+down5+`.weight" has the shape [64, 80]; expected [64, 160] by hidden_size and intermediate_size in "config.json"`)},
}

// models are fixtures of what is missing from models.
var models = []fixture{
	{"fewer layers than the configuration tells", modelOf(changed(llamaConfig, `"num_hidden_layers": 8`, `"num_hidden_layers": 10`), headed(plain)), false,
		[]want{{check.RuleLayerMissing, "config.json", "", `"config.json" has num_hidden_layers 10, but the tensors of "model.layers" have 8 layers: layers 8,`}}},
	{"one layer lacks a tensor", modelOf("", without(headed(plain), "model.layers.5.mlp.up_proj.weight", down5+".weight")), false,
		inModel(check.RuleLayerMissing, down5+".weight", `layer 5 of "model.layers" lacks 2 tensors that each of the other 7 layers has, the first "`+down5+`.weight"`)},
	{"one layer lacks an expert", func(t *testing.T, f folder) {
		all := []tensor{bf16("model.embed_tokens.weight", vocab, hidden)}
		for i := range 3 {
			for e := range 8 - i/2 {
				all = append(all, bf16(fmt.Sprintf("model.layers.%d.mlp.experts.%d.up_proj.weight", i, e), wide, hidden))
			}
		}
		modelOf(`{"model_type": "mixtral", "num_local_experts": 8, "num_hidden_layers": 3}`, all)(t, f)
	}, false, inModel(check.RuleLayerMissing, "model.layers.2.mlp.experts.0.up_proj.weight", `layer 2 of "model.layers" has 7 experts, but "config.json" has num_local_experts 8`)},
	{"weights that ZeRO-3 did not gather", modelOf(llamaConfig, reshaped(reshaped(headed(plain), "lm_head.weight", 0), "model.norm.weight", 0)), false,
		inModel(check.RuleTensorEmpty, "lm_head.weight", `2 tensors, the first "lm_head.weight", are weights of shape [0]: DeepSpeed ZeRO-3 saves this if`)},
	{"no output layer", modelOf(llamaConfig, llama(plain)), false,
		[]want{{check.RuleHeadMissing, "config.json", "", "tie_word_embeddings is false, but there is no output layer: a loader may leave it uninitialized"}}},
	{"an output layer that is tied", modelOf(changed(llamaConfig, `"tie_word_embeddings": false`, `"tie_word_embeddings": true`), headed(plain)), true,
		inModel(check.RuleTiedTwice, "lm_head.weight", `"config.json" ties tensor "lm_head.weight" to "model.embed_tokens.weight", but both are stored:`)},
	{"an output layer that is tied, and differs", modelOf(changed(llamaConfig, `"tie_word_embeddings": false`, `"tie_word_embeddings": true`), filled(headed(plain), "lm_head.weight", ones)), true, []want{
		{check.RuleTiedTwice, "model.safetensors", "lm_head.weight", ""},
		{check.RuleTiedDiffers, "model.safetensors", "lm_head.weight", `tensor "lm_head.weight" differs from "model.embed_tokens.weight", to which "config.json" ties it`},
		{check.RuleConstantWeight, "model.safetensors", "lm_head.weight", "the 16,384 elements"},
	}},
	{"a number of parameters that is that of another model", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		f["model.safetensors.index.json"] = []byte(changed(string(f["model.safetensors.index.json"]), `"metadata": {`, `"metadata": {"total_parameters": 494032768, `))
	}, false, []want{{check.RuleTotalParameters, "model.safetensors.index.json", "", "total_parameters is 494,032,768, but the tensors of the index have 377,920 elements"}}},
}

// packings are fixtures of packed weights.
var packings = []fixture{
	{"GPTQ without scales", modelOf("", without(headed(gptq), q5+".scales")), false,
		inModel(check.RuleQuantCompanion, q5+".qweight", `tensor "`+q5+`.qweight" is packed, but lacks its scales, which 55 similar tensors have`)},
	{"GPTQ without zero points", modelOf("", without(headed(gptq), q5+".qzeros", down5+".qzeros")), false,
		inModel(check.RuleQuantCompanion, down5+".qweight", `2 tensors, the first "`+down5+`.qweight", are packed, but lack their qzeros, which 54 similar`)},
	{"GPTQ without group indices", modelOf("", without(headed(gptq), q5+".g_idx")), false,
		inModel(check.RuleQuantCompanion, q5+".qweight", `tensor "model.layers.5.self_attn.q_proj.qweight" is packed, but lacks its g_idx, which 7 similar`)},
	{"GPTQ without the weight", modelOf("", without(headed(gptq), q5+".qweight")), false,
		inModel(check.RuleQuantCompanion, q5+".qzeros", `tensor "model.layers.5.self_attn.q_proj.qzeros" belongs to a packed weight that is missing`)},
	{"AWQ without scales", modelOf("", without(headed(awq), q5+".scales")), false, inModel(check.RuleQuantCompanion, q5+".qweight", "lacks its scales")},
	{"compressed-tensors without scales", modelOf("", without(headed(compressed), q5+".weight_scale")), false,
		inModel(check.RuleQuantCompanion, q5+".weight_packed", "lacks its weight_scale")},
	{"compressed-tensors without any scales", modelOf(`{"quantization_config": {"quant_method": "compressed-tensors"}}`, compressed("x", hidden, kv)[0:1]), false,
		inModel(check.RuleQuantCompanion, "x.weight_packed", "lacks its weight_scale")},
	{"compressed-tensors without the shape", modelOf("", without(headed(compressed), q5+".weight_shape")), false,
		inModel(check.RuleQuantCompanion, q5+".weight_packed", "lacks its weight_shape")},
	{"NVFP4 without the global scale", modelOf("", without(headed(nvfp4), q5+".weight_global_scale")), false,
		inModel(check.RuleQuantCompanion, q5+".weight_packed", "lacks its weight_global_scale")},
	{"ModelOpt without the second scale", modelOf("", without(headed(modelopt), q5+".weight_scale_2")), false,
		inModel(check.RuleQuantCompanion, q5+".weight", "lacks its weight_scale_2")},
	{"bitsandbytes without its state", modelOf("", without(headed(bitsandbytes), q5+".weight.quant_state.bitsandbytes__nf4")), false,
		inModel(check.RuleQuantCompanion, q5+".weight", "lacks its quant_state")},
	{"bitsandbytes without scales", modelOf("", without(headed(bitsandbytes), q5+".weight.absmax")), false,
		inModel(check.RuleQuantCompanion, q5+".weight", "lacks its absmax")},
	{"8-bit floats without scales", modelOf("", without(headed(fp8), q5+".weight_scale_inv")), false,
		inModel(check.RuleQuantCompanion, q5+".weight", "lacks its weight_scale_inv")},
	{"MLX without biases", modelOf("", without(headed(mlx), q5+".biases")), false,
		inModel(check.RuleQuantCompanion, q5+".weight", "lacks its biases")},
	{"GPTQ with scales of another weight", modelOf(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), reshaped(headed(gptq), q5+".scales", 2, kv)), false,
		inModel(check.RuleQuantShape, q5+".qweight", `tensor "model.layers.5.self_attn.q_proj.qweight" is packed: the shape [8, 64] and the scales [2,`)},
	{"GPTQ with zero points of other groups", modelOf("", reshaped(headed(gptq), q5+".qzeros", 1, 8)), false,
		inModel(check.RuleQuantShape, q5+".qweight", `tensor "model.layers.5.self_attn.q_proj.qweight" is packed: the zero points [1, 8] and the scales`)},
	{"GPTQ with indices of other inputs", modelOf("", reshaped(headed(gptq), q5+".g_idx", 128)), false,
		inModel(check.RuleQuantShape, q5+".qweight", `tensor "model.layers.5.self_attn.q_proj.qweight" is packed: the 8 rows hold 64 inputs of 4 bits,`)},
	{"AWQ with other zero points", modelOf(quantised(`{"quant_method": "awq", "bits": 4, "group_size": 32}`), reshaped(headed(awq), q5+".qweight", 64, 16)), false,
		inModel(check.RuleQuantShape, q5+".qweight", `tensor "model.layers.5.self_attn.q_proj.qweight" is packed: the shape [64, 16] and the zero points`)},
	{"compressed-tensors with scales of another weight", modelOf("", reshaped(headed(compressed), q5+".weight_scale", 32, 2)), false,
		inModel(check.RuleQuantShape, q5+".weight_packed", `tensor "model.layers.5.self_attn.q_proj.weight_packed" is packed: the shape [64, 8] and the scales`)},
	{"NVFP4 in groups of 64", modelOf("", reshaped(headed(nvfp4), q5+".weight_scale", 64, 6)), false,
		inModel(check.RuleQuantShape, q5+".weight_packed", `tensor "model.layers.5.self_attn.q_proj.weight_packed" is packed: the 64 inputs make no groups of`)},
	{"MXFP4 with scales of other blocks", modelOf("", []tensor{
		{"experts.up_blocks", safetensors.U8, []int64{4, 64, 2, 16}, nil}, {"experts.up_scales", safetensors.U8, []int64{4, 64, 3}, nil},
	}), false, inModel(check.RuleQuantShape, "experts.up_blocks", `tensor "experts.up_blocks" is packed: the blocks [4, 64, 2, 16] need one scale each, but the scales`)},
	{"bitsandbytes with too few scales", modelOf("", reshaped(headed(bitsandbytes), q5+".weight.absmax", 63)), false,
		inModel(check.RuleQuantShape, q5+".weight", `tensor "model.layers.5.self_attn.q_proj.weight" is packed: the 4096 numbers make no blocks of 32 to`)},
	{"tiles of no size", modelOf("", []tensor{{"x.weight", safetensors.F8_E4M3, []int64{10, 10}, nil}, f32("x.weight_scale_inv", 6, 1)}), false,
		inModel(check.RuleQuantShape, "x.weight", `tensor "x.weight" is packed: the shape [10, 10] cannot be divided into equal tiles for the scales`)},
	{"MLX with biases of another shape", modelOf("", reshaped(headed(mlx), q5+".biases", 64, 1)), false,
		inModel(check.RuleQuantShape, q5+".weight", `tensor "model.layers.5.self_attn.q_proj.weight" is packed: the biases [64, 1] and the scales [64,`)},
	{"GPTQ of another group size", modelOf(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 64}`), headed(gptq)), false,
		inModel(check.RuleQuantConfig, "model.layers.0.mlp.down_proj.qweight", `56 tensors, the first "model.layers.0.mlp.down_proj.qweight", are packed: in the first, the 160`)},
	{"AWQ of other bits", modelOf(quantised(`{"quant_method": "awq", "bits": 8, "group_size": 32}`), headed(awq)), false,
		inModel(check.RuleQuantConfig, "model.layers.0.mlp.down_proj.qweight", `56 tensors, the first "model.layers.0.mlp.down_proj.qweight", are packed: in the first, the configuration says 8 bits, but`)},
	{"tiles of another size", modelOf(quantised(`{"quant_method": "fp8", "weight_block_size": [64, 64]}`), headed(fp8)), false,
		[]want{{check.RuleQuantConfig, "model.safetensors", "model.layers.0.mlp.down_proj.weight", "1 by 3 tiles of the configured 64 by 64"}}},
	{"MLX of other bits", modelOf(llamaConfig[:len(llamaConfig)-1]+`, "quantization": {"group_size": 32, "bits": 8}}`, headed(mlx)), false,
		inModel(check.RuleQuantConfig, "model.layers.0.mlp.down_proj.weight", `56 tensors, the first "model.layers.0.mlp.down_proj.weight", are packed: in the first, the 20 words`)},
}

// adapters are fixtures of adapters.
var adapters = []fixture{
	{"without tensors", adapterOf(peftConfig), false,
		[]want{{check.RuleAdapterEmpty, "adapter_model.safetensors", "", `the adapter "adapter_model.safetensors" has no tensors`}}},
	{"without elements", adapterOf(peftConfig, reshaped(reshaped(lora(4), loraA5, 0), loraB5, 0)...), false,
		[]want{{check.RuleAdapterEmpty, "adapter_model.safetensors", loraA5, `2 tensors, the first "` + loraA5 + `", are empty tensors of an adapter: DeepSpeed ZeRO-3`}}},
	{"that changes nothing", func(t *testing.T, f folder) {
		all := lora(4)
		for i := range all {
			if strings.Contains(all[i].name, "lora_B") {
				all[i].fill = zeros
			}
		}
		adapterOf(peftConfig, all...)(t, f)
	}, true, []want{{check.RuleAdapterEmpty, "adapter_model.safetensors", strings.Replace(loraB5, "5.self_attn.q", "0.self_attn.o", 1), "the adapter changes nothing: the second matrix of each module is zero (16 modules, the first"}}},
	{"without a second matrix", adapterOf(peftConfig, without(lora(4), loraB5)...), false,
		[]want{{check.RuleAdapterPair, "adapter_model.safetensors", loraA5, `tensor "base_model.model.model.layers.5.self_attn.q_proj.lora_A.weight" belongs to an adapter, but`}}},
	{"of two ranks", adapterOf(peftConfig, reshaped(lora(4), loraB5, hidden, 8)...), false,
		[]want{{check.RuleAdapterPair, "adapter_model.safetensors", loraA5, `tensor "base_model.model.model.layers.5.self_attn.q_proj.lora_A.weight" has a different rank than`}}},
	{"of another rank", adapterOf(changed(peftConfig, `"r": 4`, `"r": 16`), lora(4)...), false,
		[]want{{check.RuleAdapterRank, "adapter_config.json", "", `"adapter_config.json" has r 16, but 16 tensors, the first`}}},
	{"of kohya's scripts, without a second matrix", func(t *testing.T, f folder) {
		f.weights(t, "style.safetensors", without(kohya(), "lora_unet_down_blocks_2_attn_to_q.lora_up.weight")...)
	}, false, []want{{check.RuleAdapterPair, "style.safetensors", "lora_unet_down_blocks_2_attn_to_q.lora_down.weight", "the other matrix"}}},
}

// numbers are fixtures of faults in the data.
var numbers = []fixture{
	{"a NaN", modelOf("", filled(headed(plain), q5+".weight", func(b []byte) { copy(b[100:], "\xc0\x7f") })), true,
		inModel(check.RuleNotFinite, q5+".weight", `tensor "model.layers.5.self_attn.q_proj.weight" has 1 NaN among 4,096 elements`)},
	// HQQ has packed weights of this name with scales; attention in other models has it without.
	{"a NaN in a query matrix", modelOf("", []tensor{
		{"layers.0.attn.W_q", safetensors.BF16, []int64{64, 64}, func(b []byte) { copy(b[100:], "\xc0\x7f") }},
	}), true, inModel(check.RuleNotFinite, "layers.0.attn.W_q", "has 1 NaN")},
	{"infinities", modelOf("", filled(headed(plain), q5+".weight", func(b []byte) { copy(b[100:], "\x80\x7f\x80\xff") })), true,
		inModel(check.RuleNotFinite, q5+".weight", `tensor "model.layers.5.self_attn.q_proj.weight" has 2 infinite values among 4,096 elements`)},
	{"a scale that is NaN", modelOf("", filled(headed(fp8), q5+".weight_scale_inv", pattern(0, 0, 0xc0, 0x7f))), true,
		inModel(check.RuleScaleValue, q5+".weight_scale_inv", `tensor "model.layers.5.self_attn.q_proj.weight_scale_inv" has 1 scale that are NaN`)},
	{"scales that are zero", modelOf("", filled(headed(gptq), q5+".scales", zeros)), true,
		inModel(check.RuleScaleValue, q5+".scales", `tensor "model.layers.5.self_attn.q_proj.scales" has only zero scales, which make all values zero`)},
	{"an exponent that is NaN", modelOf("", []tensor{
		{"experts.up_blocks", safetensors.U8, []int64{4, 64, 2, 16}, nil}, {"experts.up_scales", safetensors.U8, []int64{4, 64, 2}, func(b []byte) { b[7] = 255 }},
	}), true, inModel(check.RuleScaleValue, "experts.up_scales", `tensor "experts.up_scales" has scales of 255, which is NaN`)},
	{"a model of another step beside the shards of an index", twoShards(plain, func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", filled(headed(plain), q5+".weight", ones)...)
	}), true,
		[]want{
			{checkpoint.RuleTwoCopies, indexName, "", `"model.safetensors" is a copy of`},
			{check.RuleCopiesDiffer, "model.safetensors", q5 + ".weight", `"model.safetensors" has other values than "model.safetensors.index.json" in 1 tensor, the first "` + q5 + `.weight": transformers loads model.safetensors`},
			{check.RuleConstantWeight, "model.safetensors", q5 + ".weight", ""},
		}},
	{"zeros up to the end", func(t *testing.T, f folder) {
		modelOf("", headed(plain))(t, f)
		b := f["model.safetensors"]
		clear(b[len(b)-100_000:])
	}, true, []want{{check.RuleZeroRun, "model.safetensors", "model.layers.6.self_attn.q_proj.weight", `12 tensors in a row, from "model.layers.6.self_attn.q_proj.weight" to "model.norm.weight", are all`}}},
	{"a matrix of zeros", modelOf("", filled(headed(plain), q5+".weight", zeros)), true,
		inModel(check.RuleConstantWeight, q5+".weight", `the 4,096 elements of tensor "`+q5+`.weight", [64, 64], are all zero`)},
}

func TestRules(t *testing.T) {
	covered := make(map[safetensors.Rule]bool)
	for _, group := range [][]fixture{besides, models, packings, adapters, modules, numbers} {
		for _, test := range group {
			for _, w := range test.wants {
				covered[w.rule] = true
				if check.NeedsData(w.rule) && !test.data {
					t.Errorf("%s: rule %s is found without the data", test.name, string(w.rule))
				}
			}
		}
		for _, test := range few(group) {
			t.Run(test.name, func(t *testing.T) { test.check(t) })
		}
	}
	// Digests and alignment have tests of their own: in cache_test.go, and among the
	// public reports.
	covered[check.RuleBlobDigest], covered[check.RuleDownloadDigest], covered[check.RuleAlignmentCost] = true, true, true
	for _, rule := range []safetensors.Rule{check.RuleSidecar, check.RuleConfigNumber, check.RuleEmbeddingMissing, check.RuleTokenizerRange} {
		covered[rule] = true // TestBesideWeights
	}
	covered[check.RuleSeveralModels] = true
	for _, test := range certain {
		covered[test.rule] = true
	}
	for _, info := range check.Rules() {
		if !covered[info.Rule] && !check.NeedsLoader(info.Rule) { // TestLoaders
			t.Errorf("rule %s has no fixture", string(info.Rule))
		}
	}
}

// No command of this machine recovers a folder that is on another.
func TestAdviceForRemoteLeftovers(t *testing.T) {
	f := make(folder)
	modelOf(llamaConfig, headed(plain))(t, f)
	f.text(".weigh-journal", "{")
	f.text("vae/.x.tmp-abcdefghij", "")
	found := judge(t, f.store(), "", nil)
	if len(found) != 2 || strings.Contains(found[0].Fix+found[1].Fix, "--recover") {
		t.Errorf("%+v", found)
	}
}

func (test *fixture) check(t *testing.T) {
	t.Helper()
	f := make(folder)
	test.make(t, f)
	find(t, judge(t, f.store(), "", &check.Options{Data: test.data}), test.wants...)
}
