// What loaders need of files and configurations.

package check_test

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
)

var (
	vllmOnly   = []loader.Name{loader.VLLM}
	sglangOnly = []loader.Name{loader.SGLang}
	allThree   = []loader.Name{loader.Transformers, loader.VLLM, loader.SGLang}
)

// fault returns the one finding of a fixture, an error.
func fault(rule safetensors.Rule, file, tensor, says, programs string) []loaderWant {
	return []loaderWant{{want{rule, file, tensor, says}, safetensors.Error, programs}}
}

// configured returns what makes the small model with a changed configuration.
func configured(old, new string) func(*testing.T, folder) {
	return modelOf(changed(llamaConfig, old, new), headed(plain))
}

// and returns what makes a folder in several steps.
func and(steps ...func(*testing.T, folder)) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		for _, step := range steps {
			step(t, f)
		}
	}
}

func text(name, content string) func(*testing.T, folder) {
	return func(_ *testing.T, f folder) { f.text(name, content) }
}

func weightsIn(name string, tensors ...tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) { f.weights(t, name, tensors...) }
}

func sharded(t *testing.T, f folder) {
	f.sharded(t, 2, 1, headed(plain)...)
	f.text("config.json", llamaConfig)
}

var healthyModel = modelOf(llamaConfig, headed(plain))

var ofFiles = []loading{
	{"a healthy model", healthyModel, allThree, 2, nil},
	{"healthy shards", sharded, allThree, 2, nil},
	{"a variant alone", renamed(healthyModel, "model.safetensors", "model.fp16.safetensors"), transformersOnly, 0,
		fault(check.RuleWeightsNotFound, "model.fp16.safetensors", "", `there is "model.fp16.safetensors", but no`, "transformers")},
	{"a name that the configuration has", and(renamed(healthyModel, "model.safetensors", "my.safetensors"),
		text("config.json", changed(llamaConfig, `{`, `{"transformers_weights": "my.safetensors", `))), transformersOnly, 0, nil},

	{"a second model", and(healthyModel, weightsIn("step-2.safetensors", filled(headed(plain), q5+".weight", ones)...)), allThree, 0,
		fault(check.RuleWeightsExtra, "step-2.safetensors", "lm_head.weight", `75 tensors of "step-2.safetensors" are in "model.safetensors", too`, "vllm sglang")},
	{"an adapter beside the model", and(healthyModel, weightsIn("adapter_model.safetensors", lora(4)...), text("adapter_config.json", peftConfig)), vllmOnly, 0,
		fault(check.RuleWeightsExtra, "adapter_model.safetensors", "", `"adapter_model.safetensors" has 32 tensors of an adapter`, "vllm")},
	{"an adapter beside shards with an index", and(sharded, weightsIn("adapter_model.safetensors", lora(4)...), text("adapter_config.json", peftConfig)), vllmOnly, 0, nil},
	{"a copy", and(healthyModel, weightsIn("model.fp16.safetensors", headed(plain)...)), allThree, 0,
		[]loaderWant{{want{check.RuleWeightsTwice, "model.fp16.safetensors", "", `"model.fp16.safetensors" is a copy of "model.safetensors"`}, safetensors.Note, "vllm sglang"}}},
	{"a copy beside shards with an index", and(sharded, weightsIn("model.fp16.safetensors", headed(plain)...)), allThree, 0, nil},
	{"a copy in Mistral's form", and(healthyModel, weightsIn("consolidated.safetensors", headed(plain)...)), allThree, 0, nil},
	{"a further part of the model", and(healthyModel, weightsIn("extra.safetensors", bf16("mtp.norm.weight", 64))), []loader.Name{loader.VLLM, loader.SGLang}, 0, nil},

	{"an index without metadata", and(sharded, func(_ *testing.T, f folder) {
		index := string(f["model.safetensors.index.json"])
		f.text("model.safetensors.index.json", "{"+index[strings.Index(index, `"weight_map"`):])
	}), allThree, 0, fault(check.RuleIndexMetadata, "model.safetensors.index.json", "", `the index has no member "metadata"`, "transformers")},
	{"an index with empty metadata", and(sharded, func(_ *testing.T, f folder) {
		index := string(f["model.safetensors.index.json"])
		f.text("model.safetensors.index.json", `{"metadata": {}, `+index[strings.Index(index, `"weight_map"`):])
	}), allThree, 0, nil},
	{"an index of earlier shards, and a model of another name", and(sharded, func(t *testing.T, f folder) {
		delete(f, "model-00001-of-00002.safetensors")
		delete(f, "model-00002-of-00002.safetensors")
		f.weights(t, "output.safetensors", headed(plain)...)
	}), []loader.Name{loader.Transformers, loader.VLLM}, 0,
		fault(checkpoint.RuleIndexStale, "model.safetensors.index.json", "lm_head.weight", "transformers reads the index, and stops", "transformers vllm")},

	{"no configuration", weightsIn("model.safetensors", headed(plain)...), allThree, 0,
		fault(check.RuleConfigMissing, "model.safetensors", "", `there is no "config.json" beside "model.safetensors"`, "transformers vllm sglang")},
	{"no configuration, and a name that none looks for", weightsIn("flux.safetensors", headed(plain)...), allThree, 0, nil},

	{"the configuration of an adapter beside a merged model", and(healthyModel, text("adapter_config.json", peftConfig)), transformersOnly, 0,
		fault(check.RuleAdapterConfig, "adapter_config.json", "", "there is an adapter_config.json beside a model", "transformers")},
	{"DoRA", adapterOf(changed(peftConfig, `"r": 4`, `"use_dora": true, "r": 4`), lora(4)...), vllmOnly, 0,
		fault(check.RuleAdapterUnsupported, "adapter_config.json", "", "use_dora", "vllm")},
	{"modules to save", adapterOf(changed(peftConfig, `"r": 4`, `"modules_to_save": ["score", "lm_head"], "r": 4`), lora(4)...), vllmOnly, 0,
		fault(check.RuleAdapterUnsupported, "adapter_config.json", "", `modules_to_save in "adapter_config.json" is "lm_head"`, "vllm")},
	{"PiSSA", adapterOf(changed(peftConfig, `"r": 4`, `"init_lora_weights": "pissa_niter_4", "r": 4`), lora(4)...), vllmOnly, 0,
		fault(check.RuleAdapterUnsupported, "adapter_config.json", "", "init_lora_weights", "vllm")},
	{"features that are off", adapterOf(changed(peftConfig, `"r": 4`,
		`"use_dora": false, "lora_bias": false, "bias": "none", "modules_to_save": null, "layer_replication": null, "init_lora_weights": "gaussian", "use_bdlora": null, "r": 4`), lora(4)...), vllmOnly, 0, nil},
}

var ofConfigs = []loading{
	{"no model_type", configured(`"model_type": "llama", `, ""), allThree, 0,
		fault(check.RuleConfigField, "config.json", "", "has no model_type", "transformers vllm sglang")},
	{"no architectures", configured(`"architectures": ["LlamaForCausalLM"], `, ""), allThree, 0,
		fault(check.RuleConfigField, "config.json", "", "has no architectures", "vllm sglang")},
	{"a number as a string", configured(`"hidden_size": 64`, `"hidden_size": "64"`), transformersOnly, 0,
		fault(check.RuleConfigField, "config.json", "", `hidden_size in "config.json" is a string`, "transformers")},
	{"a number with a fraction", configured(`"num_hidden_layers": 8`, `"num_hidden_layers": 8.0`), transformersOnly, 0,
		fault(check.RuleConfigField, "config.json", "", `is "8.0", expected an integer`, "transformers")},
	{"numbers of an architecture that takes any", configured(`"model_type": "llama", "hidden_size": 64`, `"model_type": "swin", "hidden_size": 64.0`), transformersOnly, 0, nil},
	{"a dtype of another library", configured(`"bfloat16"`, `"bf16"`), allThree, 0,
		fault(check.RuleConfigField, "config.json", "", `torch_dtype in "config.json" is "bf16"`, "transformers vllm sglang")},
	{"a dtype that is null", configured(`"bfloat16"`, `null`), allThree, 0, nil},
	{"a flag as a string", configured(`"tie_word_embeddings": false`, `"tie_word_embeddings": "false"`), transformersOnly, 0,
		fault(check.RuleConfigField, "config.json", "", "tie_word_embeddings", "transformers")},

	{"scaling that lacks fields", configured(`"rms_norm_eps"`, `"rope_scaling": {"rope_type": "llama3", "factor": 8.0}, "rms_norm_eps"`), allThree, 0,
		fault(check.RuleConfigRope, "config.json", "", `has the type "llama3", and lacks low_freq_factor and high_freq_factor`, "transformers vllm sglang")},
	{"scaling of an unknown type", configured(`"rms_norm_eps"`, `"rope_scaling": {"type": "ntk", "factor": 8.0}, "rms_norm_eps"`), allThree, 0,
		fault(check.RuleConfigRope, "config.json", "", `has the type "ntk", which is unknown`, "transformers vllm sglang")},
	{"scaling of a type that another architecture knows", configured(`"model_type": "llama"`, `"rope_scaling": {"type": "ntk", "factor": 8.0}, "model_type": "other"`), []loader.Name{loader.VLLM}, 0, nil},
	{"complete scaling", configured(`"rms_norm_eps"`, `"rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, "rms_norm_eps"`), allThree, 0, nil},
	{"parameters for each type of layer", configured(`"rms_norm_eps"`, `"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0}, "sliding_attention": {"rope_type": "default"}}, "rms_norm_eps"`), allThree, 0, nil},

	{"more rows than the vocabulary has", configured(`"vocab_size": 256`, `"vocab_size": 250`), allThree, 0, []loaderWant{
		{want{check.RuleVocabularyRows, "model.safetensors", "model.embed_tokens.weight", `has 256 rows, and "config.json" has vocab_size 250`}, safetensors.Error, "transformers vllm sglang"},
		{want{check.RuleVocabularyRows, "model.safetensors", "lm_head.weight", `has 256 rows`}, safetensors.Error, "transformers vllm sglang"},
	}},
	{"more rows than the vocabulary, in an architecture that pads", configured(`"model_type": "llama", `, `"model_type": "qwen", `), allThree, 0, nil},
	{"a token to fill with beyond the vocabulary", configured(`"rms_norm_eps"`, `"pad_token_id": 256, "rms_norm_eps"`), allThree, 0,
		fault(check.RulePadToken, "config.json", "", `"config.json" has pad_token_id 256 and vocab_size 256`, "transformers")},
	{"the last token of the vocabulary, and none", configured(`"rms_norm_eps"`, `"pad_token_id": 255, "eos_token_id": -1, "rms_norm_eps"`), allThree, 0, nil},
	{"an end beyond the vocabulary", and(healthyModel, text("generation_config.json", `{"eos_token_id": [300, 301]}`)), allThree, 0, []loaderWant{
		{want{check.RuleEndToken, "generation_config.json", "", `has eos_token_id "[300, 301]", and "config.json" has vocab_size 256`}, safetensors.Note, "transformers vllm sglang"}}},
	{"one end of two beyond the vocabulary", and(healthyModel, text("generation_config.json", `{"eos_token_id": [2, 301]}`)), allThree, 0, nil},
	{"a tensor less in several layers", modelOf(llamaConfig, without(headed(plain), down5+".weight", "model.layers.6.mlp.down_proj.weight", "model.norm.weight")), allThree, 0,
		fault(check.RuleTensorRequired, "model.safetensors", "model.layers.5.mlp.down_proj.weight", `3 tensors that LlamaForCausalLM has, the first "model.layers.5.mlp.down_proj.weight", are not there`, "transformers vllm sglang")},
	{"a tensor less, in a class that weigh does not know", modelOf(changed(llamaConfig, "LlamaForCausalLM", "MyForCausalLM"), without(headed(plain), "model.norm.weight")), []loader.Name{loader.Transformers}, 0, nil},
	{"a tensor more than the class has", modelOf(llamaConfig, append(without(headed(plain), "model.norm.weight"), bf16("model.other.weight", 2, 2))), allThree, 0, nil},
	{"other shapes than the configuration", configured(`"intermediate_size": 160`, `"intermediate_size": 128`), allThree, 0, []loaderWant{
		{want{check.RuleConfigShape, "model.safetensors", "model.layers.0.mlp.down_proj.weight", "stops with RuntimeError"}, safetensors.Error, "transformers vllm sglang"},
		{want{check.RuleConfigShape, "model.safetensors", "model.layers.0.mlp.gate_proj.weight", ""}, safetensors.Error, "transformers vllm sglang"},
		{want{check.RuleConfigShape, "model.safetensors", "model.layers.0.mlp.up_proj.weight", ""}, safetensors.Error, "transformers vllm sglang"},
	}},
	{"a dtype that torch does not have", modelOf(llamaConfig, append(headed(plain), tensor{"model.extra", safetensors.F6_E2M3, []int64{4, 4}, nil})), vllmOnly, 0,
		fault(check.RuleDtypeUnsupported, "model.safetensors", "model.extra", `the first "model.extra", which is F6_E2M3`, "vllm")},
	{"dtypes that torch has", modelOf(llamaConfig, append(headed(plain), tensor{"model.a", safetensors.F4, []int64{4, 4}, nil},
		tensor{"model.b", safetensors.F8_E8M0, []int64{4}, nil}, tensor{"model.c", safetensors.U64, []int64{1}, nil})), allThree, 0, nil},
}

// TestLoaderNotes: what is only a note, because it may be intended or depends on the version.
func TestLoaderNotes(t *testing.T) {
	const tokens = `{"added_tokens_decoder": {"5": {"content": "<|im_start|>"}}}`
	for _, tt := range []struct {
		name     string
		make     func(*testing.T, folder)
		rule     safetensors.Rule
		programs string // "" if there is none
	}{
		{"no tokenizer", healthyModel, check.RuleTokenizerAbsent, "transformers vllm sglang"},
		{"a tokenizer", and(healthyModel, text("tokenizer.json", "{}")), check.RuleTokenizerAbsent, ""},
		{"no template", and(healthyModel, text("tokenizer_config.json", tokens)), check.RuleChatTemplate, "transformers vllm sglang"},
		{"a template", and(healthyModel, text("tokenizer_config.json", tokens), text("chat_template.jinja", "")), check.RuleChatTemplate, ""},
		{"no conversations", and(healthyModel, text("tokenizer_config.json", "{}")), check.RuleChatTemplate, ""},
		{"an unknown type", configured(`"llama"`, `"mymodel"`), check.RuleModelUnknown, "transformers"},
		{"an unknown class", configured(`LlamaForCausalLM`, `MyForCausalLM`), check.RuleModelUnknown, "vllm"},
		{"known ones", healthyModel, check.RuleModelUnknown, ""},
		{"code", configured(`"llama"`, `"mymodel", "auto_map": {"AutoConfig": "my.Config"}`), check.RuleRemoteCode, "transformers vllm sglang"},
		{"no code", healthyModel, check.RuleRemoteCode, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := make(folder)
			tt.make(t, f)
			programs := ""
			for _, l := range judge(t, f.store(), "", &check.Options{For: allThree}) {
				if l.Rule == tt.rule && programs == "" {
					programs = strings.Join(l.For, " ")
				}
				if l.Severity > safetensors.Note {
					t.Errorf("found besides: %s: %s", string(l.Rule), l.Detail)
				}
			}
			if programs != tt.programs {
				t.Errorf("found for %q, want %q", programs, tt.programs)
			}
		})
	}
}
