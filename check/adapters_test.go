// Adapters and their modules: faults, and next to each what is healthy and must not be reported.

package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
)

// respelled returns tensors with one part of their names in place of another.
func respelled(tensors []tensor, old, new string) []tensor {
	all := slices.Clone(tensors)
	for i := range all {
		all[i].name = strings.Replace(all[i].name, old, new, 1)
	}
	return all
}

// besideBase returns what makes a folder of an adapter beside its base.
func besideBase(config string, base, adapter []tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		f.weights(t, "base/model.safetensors", base...)
		f.text("base/config.json", config)
		f.weights(t, "adapter/adapter_model.safetensors", adapter...)
		f.text("adapter/adapter_config.json", strings.Replace(peftConfig, `"a/b"`, `"../base"`, 1))
	}
}

const (
	visual  = `{"model_type": "gemma3", "text_config": {"hidden_size": 64}}`
	adapted = "adapter/adapter_model.safetensors"
)

// wan returns an adapter with the names of the modules of Wan, with further text before "weight".
func wan(prefix, label string) (all []tensor) {
	for i := range 2 {
		for _, module := range []string{"self_attn.q", "cross_attn.v", "ffn.0"} {
			at := fmt.Sprintf("%sblocks.%d.%s.", prefix, i, module)
			all = append(all, bf16(at+"lora_A."+label+"weight", 4, hidden), bf16(at+"lora_B."+label+"weight", hidden, 4))
		}
	}
	return all
}

func inFile(name string, tensors []tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) { f.weights(t, name, tensors...) }
}

// modules are fixtures of adapters whose modules have other names or shapes than loaders expect.
var modules = []fixture{
	{"whose base has the modules under another prefix", besideBase(visual, respelled(headed(plain), "", "language_model."), lora(4)), false,
		[]want{{check.RuleAdapterBase, adapted, "", `none of the modules of the adapter (16) is in the base "../base": the base has them under "language_model.model", and the adapter under "model"`}}},
	{"whose base is the only other model", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", respelled(headed(plain), "", "language_model.")...)
		f.text("config.json", visual)
		f.weights(t, adapted, lora(4)...)
		f.text("adapter/adapter_config.json", peftConfig)
	}, false, []want{{check.RuleAdapterBase, adapted, "", `is in the base "model.safetensors": the base has them under "language_model.model"`}}},
	{"of a part of a model, whose base is that part", besideBase(llamaConfig, headed(plain), respelled(lora(4), "model.model.model", "model.model.language_model.model")), false,
		[]want{{check.RuleAdapterBase, adapted, "", `under "model", and the adapter under "language_model.model"`}}},
	{"of modules that have other names", besideBase(llamaConfig, respelled(respelled(headed(plain), "q_proj", "qkv"), "o_proj", "dense"), lora(4)), false,
		[]want{{check.RuleAdapterBase, adapted, "base_model.model.model.layers.0.self_attn.o_proj.lora_A.weight", `none of the modules of the adapter (16) is in the base "../base", and no module there has such a name`}}},
	{"of more layers than the base has", besideBase(llamaConfig, headed(plain), append(lora(4), respelled(lora(4)[:4], "layers.0", "layers.8")...)), false,
		[]want{{check.RuleAdapterModule, adapted, "base_model.model.model.layers.8.self_attn.o_proj.lora_A.weight", `2 tensors, the first "base_model.model.model.layers.8.self_attn.o_proj.lora_A.weight", modify modules that are not in the base`}}},
	{"of another size than the base", besideBase(llamaConfig, headed(plain), reshaped(lora(4), loraA5, 4, 128)), false,
		[]want{{check.RuleAdapterShape, adapted, loraA5, `modifies a module that does not fit the base "../base": the first is for 128 inputs and 64 outputs, and "` + q5 + `.weight" has the shape [64, 64]`}}},
	{"with its name in the names", adapterOf(peftConfig, respelled(lora(4), ".weight", ".default.weight")...), false,
		[]want{{check.RuleAdapterLabel, "adapter_model.safetensors", "base_model.model.model.layers.0.self_attn.o_proj.lora_A.default.weight", `32 tensors, the first`}}},
	{"of a diffusion model, with its name and without a prefix", inFile("epoch-4.safetensors", wan("", "default.")), false,
		[]want{
			{check.RuleAdapterLabel, "epoch-4.safetensors", "blocks.0.cross_attn.v.lora_A.default.weight", `12 tensors, the first`},
			{check.RuleAdapterPrefix, "epoch-4.safetensors", "blocks.0.cross_attn.v.lora_A.default.weight", `named as in a diffusion model`},
		}},
	{"that is scaled by 0", adapterOf(changed(peftConfig, `"lora_alpha": 8`, `"lora_alpha": 0`), lora(4)...), false,
		[]want{{check.RuleAdapterAlpha, "adapter_config.json", "", "has lora_alpha 0"}}},
	{"whose modules are scaled by 0", inFile("style.safetensors", []tensor{{"lora_unet_blocks_0_q.alpha", safetensors.F32, []int64{}, zeros},
		f32("lora_unet_blocks_0_q.lora_down.weight", 4, hidden), f32("lora_unet_blocks_0_q.lora_up.weight", hidden, 4)}), true,
		[]want{{check.RuleAdapterAlpha, "style.safetensors", "lora_unet_blocks_0_q.alpha", "is 0, which scales the module by 0"}}},
	{"of modules that its configuration does not name", adapterOf(changed(peftConfig, `"q_proj", `, ``), lora(4)...), false,
		[]want{{check.RuleAdapterTarget, "adapter_config.json", "", `8 tensors, the first "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", are of modules that target_modules in "adapter_config.json" does not name`}}},
	{"of another rank than its pattern", adapterOf(changed(peftConfig, `"rank_pattern": {}`, `"rank_pattern": {"layers.5.self_attn.q_proj": 8}`), lora(4)...), false,
		[]want{{check.RuleAdapterRank, "adapter_config.json", "", `has rank 8 in rank_pattern, but tensor "` + loraA5 + `" has rank 4`}}},
	{"without any second matrix", adapterOf(peftConfig, halves(lora(4))...), false,
		[]want{{check.RuleAdapterPair, "adapter_model.safetensors", "base_model.model.model.layers.0.self_attn.o_proj.lora_A.weight", "16 tensors"}}},
}

// halves returns the first matrix of each module.
func halves(tensors []tensor) []tensor {
	return slices.DeleteFunc(slices.Clone(tensors), func(one tensor) bool { return strings.Contains(one.name, "lora_B") })
}

// vision returns the layers of a model with those of a vision tower, which have the same ends of names.
func vision(prefix string) []tensor {
	all := respelled(headed(plain), "model.", prefix)
	return append(all, respelled(llama(plain), "model.", "vision_tower.encoder.")...)
}

// healthyAdapters are not reported.
var healthyAdapters = []struct {
	name string
	make func(*testing.T, folder)
}{
	{"a base that has the modules", besideBase(llamaConfig, headed(plain), lora(4))},
	{"a base with packed weights", besideBase(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), headed(gptq), lora(4))},
	{"a base with packed weights of bitsandbytes", besideBase(quantised(`{"quant_method": "bitsandbytes", "load_in_4bit": true}`), headed(bitsandbytes), lora(4))},
	{"a base without a head", besideBase(changed(llamaConfig, "LlamaForCausalLM", "LlamaModel"), respelled(llama(plain), "model.", ""), lora(4))},
	{"names in memory, and a base with those of files", besideBase(visual, vision("language_model.model."), respelled(lora(4), "model.model.model", "model.model.model.language_model"))},
	{"names of an older version, and a base like it", besideBase(visual, vision("model."), lora(4))},
	{"names in memory, and a base of an older version", besideBase(visual, vision("model."), respelled(lora(4), "model.model.model", "model.model.model.language_model"))},
	{"names of files", besideBase(visual, vision("language_model.model."), respelled(lora(4), "model.model.model", "model.model.language_model.model"))},
	{"a vision tower", besideBase(visual, vision("language_model.model."), respelled(lora(4), "model.model.model", "model.model.vision_tower.encoder"))},
	{"another model beside it", func(t *testing.T, f folder) {
		f.weights(t, "other/model.safetensors", respelled(headed(plain), "q_proj", "query")...)
		f.text("other/config.json", llamaConfig)
		f.weights(t, adapted, lora(4)...)
		f.text("adapter/adapter_config.json", peftConfig)
	}},
	{"the only other model, of another size", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", bf16("language_model.model.layers.0.self_attn.q_proj.weight", 32, 32), bf16("language_model.model.embed_tokens.weight", 256, 32))
		f.weights(t, adapted, lora(4)[2:4]...)
	}},
	{"two adapters in one file", adapterOf(peftConfig, append(respelled(lora(4), ".weight", ".a.weight"), respelled(lora(4), ".weight", ".b.weight")...)...)},
	{"several matrices of one module", inFile("flux.safetensors", []tensor{
		bf16("lora_unet_double_blocks_0_img_attn_qkv.lora_down.0.weight", 4, hidden), bf16("lora_unet_double_blocks_0_img_attn_qkv.lora_up.0.weight", hidden, 4),
		bf16("lora_unet_double_blocks_0_img_attn_qkv.lora_down.1.weight", 4, hidden), bf16("lora_unet_double_blocks_0_img_attn_qkv.lora_up.1.weight", hidden, 4),
	})},
	{"names of ComfyUI", inFile("wan.safetensors", wan("diffusion_model.", ""))},
	{"a vision model", inFile("vit.safetensors", []tensor{bf16("blocks.0.attn.qkv.lora_A.weight", 4, hidden), bf16("blocks.0.attn.qkv.lora_B.weight", hidden, 4)})},
	{"all linear layers", adapterOf(changed(peftConfig, `["q_proj", "o_proj"]`, `"all-linear"`), lora(4)...)},
	{"target modules with their path", adapterOf(changed(peftConfig, `["q_proj", "o_proj"]`, `["self_attn.q_proj", "self_attn.o_proj"]`), lora(4)...)},
	{"an alpha for each module", adapterOf(changed(peftConfig, `"lora_alpha": 8`, `"lora_alpha": 0, "alpha_pattern": {"q_proj": 8, "o_proj": 8}`), lora(4)...)},
	{"a pattern of ranks", adapterOf(changed(changed(peftConfig, `"r": 4`, `"r": 8`), `"rank_pattern": {}`, `"rank_pattern": {".*_proj": 4}`), lora(4)...)},
	{"LoKr", inFile("style.safetensors", []tensor{bf16("lora_unet_blocks_0_q.alpha"), bf16("lora_unet_blocks_0_q.lokr_w1", 4, 4),
		bf16("lora_unet_blocks_0_q.lokr_w2_a", 16, 2), bf16("lora_unet_blocks_0_q.lokr_w2_b", 2, 16)})},
}

func TestHealthyAdapters(t *testing.T) {
	for _, test := range healthyAdapters {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			for _, l := range judge(t, f.store(), "", nil) {
				if l.Severity > safetensors.Note || strings.HasPrefix(string(l.Rule), "adapter") {
					t.Errorf("%s: %s: %s", l.file, string(l.Rule), l.Detail)
				}
			}
		})
	}
}
