// What is certain for every loader, by names and declarations, each with near misses that are healthy.

package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/model/names"
)

// before returns tensors with something before their names.
func before(prefix string, tensors []tensor) (all []tensor) {
	for _, one := range tensors {
		one.name = prefix + one.name
		all = append(all, one)
	}
	return all
}

// bareNames returns tensors without the prefix of the body.
func bareNames(tensors []tensor) (all []tensor) {
	for _, one := range tensors {
		one.name = strings.TrimPrefix(one.name, "model.")
		all = append(all, one)
	}
	return all
}

// within returns tensors with one thing in place of another in their names.
func within(old, new string, tensors []tensor) (all []tensor) {
	for _, one := range tensors {
		one.name = strings.Replace(one.name, old, new, 1)
		all = append(all, one)
	}
	return all
}

// int8 is a layer of compressed-tensors, with a scale for each output.
func int8(module string, in, out int64) []tensor {
	return []tensor{{module + ".weight", safetensors.I8, []int64{out, in}, nil}, bf16(module+".weight_scale", out, 1)}
}

// as returns tensors in another dtype.
func as(dtype safetensors.Dtype, tensors []tensor) (all []tensor) {
	for _, one := range tensors {
		one.dtype = dtype
		all = append(all, one)
	}
	return all
}

// adam returns the state of an optimizer of a model.
func adam(tensors []tensor) (all []tensor) {
	for _, one := range tensors {
		all = append(all, f32(one.name+".exp_avg", one.shape...), f32(one.name+".exp_avg_sq", one.shape...), f32(one.name+".step"))
	}
	return all
}

const (
	w8a8 = `{"quant_method": "compressed-tensors", "format": "int-quantized", "quantization_status": "compressed",
		"config_groups": {"group_0": {"weights": {"num_bits": 8, "strategy": "channel"}, "targets": ["Linear"]}}}`
	onlyCache = `{"quant_method": "compressed-tensors", "format": "dense", "kv_cache_scheme": {"num_bits": 8}, "config_groups": {}}`
)

// certain are models that are told apart from healthy ones by their names and declarations. Those without a rule are
// near misses.
var certain = []struct {
	name   string
	config string
	all    []tensor
	beside map[string]string
	rule   safetensors.Rule
	says   string
	fix    string
}{
	{"wrapped by torch.compile", llamaConfig, before("_orig_mod.", headed(plain)), nil, check.RuleNamesWrapped,
		`75 tensors, the first "_orig_mod.lm_head.weight", have "_orig_mod." in the name, from torch.compile: `,
		"`weigh edit --in-place --rename '^_orig_mod\\.=>' FILE`"},
	{"one block wrapped by torch.compile", "", within("layers.5.", "layers.5._orig_mod.", headed(plain)), nil, check.RuleNamesWrapped,
		`9 tensors, the first "model.layers.5._orig_mod.`, "`weigh edit --in-place --rename '_orig_mod\\.=>' FILE`"},
	{"wrapped by FSDP, block for block", llamaConfig, before("_fsdp_wrapped_module.", within(".mlp", "._fsdp_wrapped_module.mlp", headed(plain))), nil,
		check.RuleNamesWrapped, "from FSDP: ", "--rename '_fsdp_wrapped_module\\.=>' FILE`"},
	{"wrapped for activation checkpoints", llamaConfig, within(".mlp", "._checkpoint_wrapped_module.mlp", headed(plain)), nil,
		check.RuleNamesWrapped, "", "--rename '_checkpoint_wrapped_module\\.=>' FILE`"},
	{"wrapped twice", llamaConfig, before("module._orig_mod.", headed(plain)), nil, check.RuleNamesWrapped,
		`have "_orig_mod." and "module." in the name`, "--rename '^(_orig_mod\\.|module\\.)+=>' FILE`"},
	{"wrapped by DDP", llamaConfig, before("module.", headed(plain)), nil, check.RuleNamesWrapped, "DistributedDataParallel", "'^module\\.=>'"},
	{"an average of weights", "", append(before("module.", headed(plain)), tensor{"n_averaged", safetensors.I64, []int64{}, nil}), nil, check.RuleNamesWrapped, "", ""},
	{"a module called module", llamaConfig, append(headed(plain), bf16("module.weight", 4)), nil, "", "", ""},
	{"a known model wrapped by DDP, without a configuration", "", before("module.", headed(plain)), nil, check.RuleNamesWrapped, "", "'^module\\.=>'"},
	{"modules called module, of no known model", "", before("module.", []tensor{bf16("a.weight", 4), bf16("b.weight", 4), bf16("c.weight", 4)}), nil, "", "", ""},
	{"saved with the names of PEFT, without an adapter", llamaConfig, before("base_model.model.", headed(plain)), nil, check.RuleNamesWrapped, "", "'^base_model\\.model\\.=>'"},
	{"a word that contains that of torch.compile", llamaConfig, append(headed(plain), bf16("x_orig_mode.weight", 4)), nil, "", "", ""},

	{"names of the model without its head", llamaConfig, bareNames(llama(plain)), nil, check.RuleNamesPrefix,
		`74 tensors, the first "embed_tokens.weight", lack the prefix "model." of LlamaForCausalLM, the class in "config.json"`,
		"`weigh edit --in-place --rename '^=>model.' FILE`"},
	{"names without the prefix, beside a head", llamaConfig, bareNames(headed(plain)), nil, check.RuleNamesPrefix,
		"74 tensors", "`weigh edit --in-place --rename '^(embed_tokens|layers|norm)\\.=>model.$1.' FILE`"},
	{"packed, without the prefix", quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), bareNames(headed(gptq)), nil, check.RuleNamesPrefix, "", ""},
	{"the prefix twice", llamaConfig, before("model.", headed(plain)), nil, check.RuleNamesPrefix,
		`75 tensors, the first "model.lm_head.weight", begin with "model.", which the names of LlamaForCausalLM`,
		"`weigh edit --in-place --rename '^model\\.=>' FILE`"},
	{"the name of a part of a model", llamaConfig, before("language_model.", headed(plain)), nil, check.RuleNamesPrefix, "", `'^language_model\.=>'`},
	{"names without the prefix, of the class without it", changed(llamaConfig, "LlamaForCausalLM", "LlamaModel"), bareNames(llama(plain)), nil, "", "", ""},
	{"names without the prefix, of a model that embeds texts", llamaConfig, bareNames(llama(plain)), map[string]string{"modules.json": "[]"}, "", "", ""},
	{"names without the prefix, of a class with code of its own", changed(llamaConfig, "LlamaForCausalLM", "MyForCausalLM"), bareNames(llama(plain)), nil, "", "", ""},
	{"a few names without the prefix", changed(llamaConfig, `"num_hidden_layers": 8`, `"num_hidden_layers": 1`), []tensor{bf16("embed_tokens.weight", vocab, hidden), bf16("norm.weight", hidden), bf16("layers.0.mlp.up_proj.weight", wide, hidden)}, nil, "", "", ""},

	{"packed, and not declared", llamaConfig, headed(int8), nil, check.RuleQuantUndeclared,
		`(the first as I8, with weight_scale), but "config.json" has no quantization_config`, ""},
	{"GPTQ, and not declared", llamaConfig, headed(gptq), nil, check.RuleQuantUndeclared, "", ""},
	{"8-bit floats, and declared as null", changed(llamaConfig, `"hidden_size"`, `"quantization_config": null, "hidden_size"`), headed(fp8), nil, check.RuleQuantUndeclared, "", ""},
	{"packed, and declared", quantised(w8a8), headed(int8), nil, "", "", ""},
	{"packed, as another member says", changed(llamaConfig, `"hidden_size"`, `"quantization_bit": 8, "hidden_size"`), headed(int8), nil, "", "", ""},
	{"packed, as a file says", llamaConfig, headed(int8), map[string]string{"quanto_qmap.json": "{}"}, "", "", ""},
	{"packed by ModelOpt, as its file says", llamaConfig, headed(fp8), map[string]string{"hf_quant_config.json": `{"quantization": {"quant_algo": "FP8"}}`}, "", "", ""},
	{"packed, without a configuration", "", headed(int8), nil, "", "", ""},
	{"8-bit floats without scales", llamaConfig, as(safetensors.F8_E4M3, headed(plain)), nil, "", "", ""},

	{"declared, and plain", quantised(w8a8), headed(plain), nil, check.RuleQuantUnused, `quantization_config has quant_method "compressed-tensors", but no weight of "model.safetensors" is packed`, ""},
	{"8-bit floats are declared, and 16 bits are there", quantised(`{"quant_method": "fp8", "weight_block_size": [128, 128]}`), headed(plain), nil, check.RuleQuantUnused, "", ""},
	{"GPTQ is declared, and the model was unpacked", quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), headed(plain), nil, check.RuleQuantUnused, "", ""},
	{"only a cache is quantized", quantised(onlyCache), headed(plain), nil, "", "", ""},
	{"only the cache of ModelOpt is quantized", quantised(`{"quant_method": "modelopt", "quant_algo": null, "kv_cache_quant_algo": "FP8"}`), headed(plain), nil, "", "", ""},
	{"quantized when it is loaded", quantised(`{"quant_method": "torchao", "quant_type": "int4_weight_only"}`), headed(plain), nil, "", "", ""},

	{"BF16 is declared, and all is F32", llamaConfig, as(safetensors.F32, headed(plain)), nil, check.RuleConfigDtype,
		`"config.json" has torch_dtype "bfloat16", but no weight is BF16: 377,920 elements are F32, the first in tensor "lm_head.weight"`, ""},
	{"BF16 is declared, and norms are F32", llamaConfig, append(without(headed(plain), "model.norm.weight"), f32("model.norm.weight", hidden)), nil, "", "", ""},

	{"only the state of an optimizer", llamaConfig, adam(headed(plain)), nil, check.RuleStateOnly, "are the state of an optimizer, and there are no weights", ""},
	{"weights, and the state of their optimizer", llamaConfig, append(headed(plain), adam(headed(plain))...), nil, "", "", ""},

	{"an output layer that is not tied, and no embedding", llamaConfig, without(headed(plain), "model.embed_tokens.weight"), nil, check.RuleEmbeddingMissing,
		`there is no embedding of tokens: the layers and "lm_head.weight" are there`, "Download or save the weights again."},
	{"a draft, which uses the embedding of its model", changed(llamaConfig, "LlamaForCausalLM", "LlamaForCausalLMEagle3"), without(headed(plain), "model.embed_tokens.weight"), nil, "", "", ""},
	{"a few of the layers, and no embedding", changed(llamaConfig, `"num_hidden_layers": 8`, `"num_hidden_layers": null`), without(headed(plain), "model.embed_tokens.weight"), nil, "", "", ""},
}

func TestCertain(t *testing.T) {
	for _, test := range certain {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			f.weights(t, "model.safetensors", test.all...)
			for name, text := range test.beside {
				f.text(name, text)
			}
			if test.config != "" {
				f.text("config.json", test.config)
			}
			is := false
			for _, l := range judge(t, f.store(), "", nil) {
				switch {
				case l.Rule == test.rule && strings.Contains(l.Detail, test.says) && strings.Contains(l.Fix, test.fix):
					is = true
				case l.Rule == test.rule, l.Severity > safetensors.Note:
					t.Errorf("%s: %s %s; %s", l.file, string(l.Rule), l.Detail, l.Fix)
				}
			}
			if test.rule != "" && !is {
				t.Errorf("no %s", string(test.rule))
			}
		})
	}
}

// Two models under one configuration, which are not copies of each other.
func TestSeveralModels(t *testing.T) {
	for _, test := range []struct {
		name, config string
		other        []tensor
		want         bool
	}{
		{"of other layers", llamaConfig, filled(without(headed(plain), down5+".weight"), "model.norm.weight", ones), true},
		{"with a few names of the other", llamaConfig, append(before("x.", headed(plain)), bf16("model.norm.weight", hidden)), false},
		{"of other names", llamaConfig, before("x.", headed(plain)), false},
		{"without a configuration", "", filled(headed(plain), "model.norm.weight", ones), false},
		{"beside files of a tokenizer", `{"tokenizer_class": "x"}`, filled(headed(plain), "model.norm.weight", ones), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			f.weights(t, "a.safetensors", headed(plain)...)
			f.weights(t, "b.safetensors", test.other...)
			if test.config != "" {
				f.text("config.json", test.config)
			}
			is := false
			for _, l := range judge(t, f.store(), "", nil) {
				is = is || l.Rule == check.RuleSeveralModels && strings.Contains(l.Detail, `the folder has "a.safetensors", too`)
			}
			if is != test.want {
				t.Errorf("several-models: %v", is)
			}
		})
	}
}

// Gaps in stacks of architectures that are known, which no configuration of a decoder describes.
func TestKnownStacks(t *testing.T) {
	const wav2vec2 = `{"architectures": ["Wav2Vec2Model"], "model_type": "wav2vec2", "hidden_size": 64, "num_hidden_layers": 4}`
	speech := func(gone ...string) (all []tensor) {
		for _, one := range wholeOf(t, "wav2vec2", "Wav2Vec2Model", 4) {
			kept := true
			for _, part := range gone {
				kept = kept && !strings.HasPrefix(one.name, part)
			}
			if kept {
				all = append(all, one)
			}
		}
		return all
	}
	for _, test := range []struct {
		name, config string
		all          []tensor
		says         string // "" if nothing is found
	}{
		{"all layers", wav2vec2, speech(), ""},
		{"a layer of speech", wav2vec2, speech("encoder.layers.2."), `the tensors of "encoder.layers" have 3 layers: layer 2 is missing`},
		{"layers that a search has left out", changed(wav2vec2, `"hidden_size"`, `"block_configs": [], "hidden_size"`), speech("encoder.layers.2."), ""},
		{"of another class", changed(changed(wav2vec2, `"wav2vec2"`, `"my_speech"`), "Wav2Vec2Model", "MyModel"), speech("encoder.layers.2."), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			f.weights(t, "model.safetensors", test.all...)
			f.text("config.json", test.config)
			found := ""
			for _, l := range judge(t, f.store(), "", nil) {
				if l.Rule == check.RuleLayerMissing {
					found = l.Detail
				} else if l.Severity > safetensors.Note {
					t.Errorf("%s: %s", string(l.Rule), l.Detail)
				}
			}
			if found != test.says {
				t.Errorf("found %q, want %q", found, test.says)
			}
		})
	}
}

// wholeOf returns the required tensors of a class, in so many layers.
func wholeOf(t *testing.T, kind, class string, layers int) (all []tensor) {
	t.Helper()
	of := names.Find(kind, class)
	if of == nil {
		t.Fatalf("no %s", kind)
	}
	for i := range of.Tensors {
		one := &of.Tensors[i]
		name, ok := strings.CutPrefix(one.Name, of.Prefix)
		if one.Need != names.Required || !ok {
			continue
		}
		if !strings.Contains(name, "{n}") {
			all = append(all, f32(name, 4, 4))
			continue
		}
		for n := range layers {
			all = append(all, f32(strings.Replace(name, "{n}", fmt.Sprint(n), 1), 4, 4))
		}
	}
	return all
}
