// What was once called a fault of healthy models, each with a fault of the same kind that is one.

package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
)

// Damage fails a check by default: these rules were never wrong about a published model.
func TestDamageIsAnError(t *testing.T) {
	damage := []safetensors.Rule{check.RuleLayerMissing, check.RuleTensorEmpty, check.RuleAdapterEmpty, check.RuleConfigJSON,
		check.RuleNotFinite, check.RuleZeroRun, check.RuleDownloadDigest, check.RuleScaleValue,
		check.RuleAdapterBase, check.RuleAdapterShape}
	for _, info := range check.Rules() {
		is := info.Severity == safetensors.Error && !check.NeedsLoader(info.Rule)
		for i, rule := range damage {
			if rule == info.Rule {
				damage = append(damage[:i], damage[i+1:]...)
				is = !is
				break
			}
		}
		if is {
			t.Errorf("%s is %v", string(info.Rule), info.Severity)
		}
	}
	if len(damage) > 0 {
		t.Errorf("no rules: %v", damage)
	}
}

// rank returns what one of two ranks of vLLM loads.
func rank() (all []tensor) {
	for i := range layersOf {
		at := fmt.Sprintf("model.layers.%d.", i)
		all = append(all, bf16(at+"self_attn.o_proj.weight", hidden, hidden/2), bf16(at+"mlp.down_proj.weight", hidden, wide/2))
	}
	return append(all, bf16("model.embed_tokens.weight", vocab/2, hidden))
}

// storage packs weights as bitsandbytes does with a quant_storage of BF16.
func storage(module string, in, out int64) []tensor {
	return append(bitsandbytes(module, in, out)[1:], bf16(module+".weight", in*out/4, 1))
}

// biased returns an adapter of PEFT with lora_bias.
func biased() []tensor {
	all := lora(4)
	for _, one := range lora(4) {
		if module, ok := strings.CutSuffix(one.name, ".lora_B.weight"); ok {
			all = append(all, f32(module+".lora_B.bias", one.shape[0]))
		}
	}
	return all
}

// declaring returns what makes a folder of two shards whose index has a total_parameters.
func declaring(config string, total int64, tensors []tensor) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		const index = "model.safetensors.index.json"
		f.sharded(t, 2, 1, tensors...)
		f.text("config.json", config)
		f.text(index, changed(string(f[index]), `"metadata": {`, fmt.Sprintf(`"metadata": {"total_parameters": %d, `, total)))
	}
}

const tiedConfig = `{"model_type": "llama", "hidden_size": 64, "vocab_size": 256, "tie_word_embeddings": true}`

var alarms = []struct {
	name string
	make func(t *testing.T, f folder)
	rule safetensors.Rule // that is broken, or ""
}{
	{"4 bits stored as BF16", modelOf(quantised(`{"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_storage": "bfloat16"}`), headed(storage)), ""},
	{"4 bits stored as BF16, whose bits make NaN", modelOf(quantised(`{"quant_method": "bitsandbytes", "load_in_4bit": true}`), filled(headed(storage), down5+".weight", pattern(0xc0, 0x7f))), ""},
	{"NaN in a weight", modelOf(llamaConfig, filled(headed(plain), down5+".weight", pattern(0xc0, 0x7f))), check.RuleNotFinite},
	{"another shape", modelOf(quantised(`{"quant_method": "bitsandbytes", "load_in_4bit": true}`), reshaped(headed(plain), down5+".weight", hidden, 2)), check.RuleConfigShape},
	{"two ranks", func(t *testing.T, f folder) {
		f.weights(t, "model-rank-0-part-0.safetensors", rank()...)
		f.weights(t, "model-rank-1-part-0.safetensors", filled(rank(), "model.embed_tokens.weight", ones)...)
		f.text("config.json", llamaConfig)
	}, ""},
	{"half of a model without ranks", modelOf(llamaConfig, rank()), check.RuleConfigShape},
	{"a bias of lora_B", adapterOf(peftConfig, biased()...), ""},
	{"a bias of lora_B, and a matrix without the other", adapterOf(peftConfig, without(biased(), loraA5)...), check.RuleAdapterPair},
	{"a tied embedding that counts twice", declaring(tiedConfig, 2*256*64+64, []tensor{bf16("model.embed_tokens.weight", 256, 64), bf16("model.norm.weight", 64)}), ""},
	{"an embedding that an encoder and a decoder share", declaring(tiedConfig, 4*256*64+64, []tensor{bf16("shared.weight", 256, 64), bf16("model.norm.weight", 64)}), ""},
	{"a number of another model", declaring(tiedConfig, 2*256*64+63, []tensor{bf16("model.embed_tokens.weight", 256, 64), bf16("model.norm.weight", 64)}), check.RuleTotalParameters},
	{"an example that is all zero", modelOf("", zeroed(headed(gptq))), ""},
	{"a file whose second half is zero", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", filled(zeroed(headed(plain)), "model.embed_tokens.weight", ones)...)
	}, check.RuleZeroRun},
	{"a large file that is all zero", modelOf("", []tensor{{"a.weight", safetensors.F32, []int64{512, 512}, zeros},
		{"b.weight", safetensors.F32, []int64{512, 512}, zeros}, {"c.weight", safetensors.F32, []int64{2, 2}, zeros}}), check.RuleZeroRun},
}

// zeroed returns tensors that are all zero.
func zeroed(tensors []tensor) (all []tensor) {
	for _, one := range tensors {
		one.fill = zeros
		all = append(all, one)
	}
	return all
}

func TestFalseAlarms(t *testing.T) {
	for _, test := range alarms {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			found := judge(t, f.store(), "", &check.Options{Data: true})
			is := false
			for _, l := range found {
				is = is || l.Rule == test.rule
				if test.rule == "" && (l.Severity > safetensors.Note || l.Rule == check.RuleTotalParameters) {
					t.Errorf("%s: %s %s", l.file, string(l.Rule), l.Detail)
				}
			}
			if test.rule != "" && !is {
				t.Errorf("found %v, and no %s", found, string(test.rule))
			}
		})
	}
}

// What lies beside weights, each with a near miss.
func TestBesideWeights(t *testing.T) {
	tokens := func(most int) string {
		return fmt.Sprintf(`{"added_tokens":[{"id":%d,"content":"<x>"}],"model":{"vocab":{"a":0,"b":1}}}`, most)
	}
	tied := strings.Replace(llamaConfig, `"tie_word_embeddings": false`, `"tie_word_embeddings": true`, 1)
	headOnly := without(headed(plain), "model.embed_tokens.weight")
	for _, test := range []struct {
		name   string
		config string
		all    []tensor
		beside map[string]string
		rule   safetensors.Rule
	}{
		{"a sidecar of weights", llamaConfig, headed(plain), map[string]string{"._model.safetensors": sidecar}, check.RuleSidecar},
		{"a sidecar of a configuration", llamaConfig, headed(plain), map[string]string{"._config.json": sidecar}, ""},
		{"weights that are called like a sidecar", llamaConfig, headed(plain), map[string]string{"._model.safetensors": "x"}, ""},
		{"infinity", changed(llamaConfig, `"hidden_size"`, `"limit": [0.0, Infinity], "hidden_size"`), headed(plain), nil, check.RuleConfigNumber},
		{"NaN", changed(llamaConfig, `"hidden_size"`, `"limit": NaN, "hidden_size"`), headed(plain), nil, check.RuleConfigNumber},
		{"infinity in a string", changed(llamaConfig, `"hidden_size"`, `"limit": {"__float__": "Infinity"}, "hidden_size"`), headed(plain), nil, ""},
		{"a head, and no embedding", tied, headOnly, nil, check.RuleEmbeddingMissing},
		{"a head that is tied, and an embedding of another name", tied, append(headOnly, bf16("model.tok_embeddings.weight", vocab, hidden)), nil, ""},
		{"an embedding, and a head that is tied to it", tied, llama(plain), nil, ""},
		{"a token beyond the embedding", llamaConfig, headed(plain), map[string]string{"tokenizer.json": tokens(vocab)}, check.RuleTokenizerRange},
		{"added tokens beyond the embedding", llamaConfig, headed(plain), map[string]string{"added_tokens.json": fmt.Sprintf(`{"<x>": %d}`, vocab)}, check.RuleTokenizerRange},
		{"a placeholder for images in a model of text", llamaConfig, headed(plain), map[string]string{"added_tokens.json": fmt.Sprintf(`{"<image_soft_token>": %d}`, vocab)}, ""},
		{"the last token of the embedding", llamaConfig, headed(plain), map[string]string{"tokenizer.json": tokens(vocab - 1)}, ""},
		{"a second embedding for more tokens", llamaConfig, append(headed(plain), bf16("model.embed_tokens.additional_embedding.weight", 2, hidden)), map[string]string{"tokenizer.json": tokens(vocab)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			f.weights(t, "model.safetensors", test.all...)
			f.text("config.json", test.config)
			for name, text := range test.beside {
				f.text(name, text)
			}
			is := false
			for _, l := range judge(t, f.store(), "", &check.Options{Dir: t.TempDir()}) {
				is = is || l.Rule == test.rule
				if test.rule == "" && l.Severity > safetensors.Note {
					t.Errorf("%s: %s %s", l.file, string(l.Rule), l.Detail)
				}
			}
			if test.rule != "" && !is {
				t.Errorf("no %s", string(test.rule))
			}
		})
	}
}
