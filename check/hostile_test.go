// Repositories that somebody made to do harm, or by accident.

package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
)

// keys are all members of configurations that are looked at.
var keys = []string{
	"architectures", "model_type", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "num_hidden_layers",
	"vocab_size", "tie_word_embeddings", "text_config", "quantization_config", "quantization", "is_encoder_decoder", "num_experts", "embedding_size",
	"quant_method", "bits", "group_size", "weight_block_size", "config_groups", "dynamic", "r", "peft_type", "rank_pattern", "target_parameters",
}

// values are JSON of every kind, of which few are what is due.
var values = []string{
	"null", "true", "false", "0", "1", "-1", "-0", "1.5", "1e99", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551616",
	`""`, `"gptq"`, `"\ud83d\ude00"`, `"llama"`, `"LORA"`, "[]", "[1]", "[0,0]", "[1,[2]]", "[1,,2]"[:3] + "]", "{}", `{"":0}`, `{"bits":[]}`, `{"weights":{"strategy":"group","num_bits":0,"group_size":0}}`,
	"[" + strings.Repeat("1,", 500) + "1]", strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat(`{"text_config":`, 50) + "{}" + strings.Repeat("}", 50),
}

// TestConfigsOfWrongTypes puts every value in the place of every member, beside
// weights of every form.
func TestConfigsOfWrongTypes(t *testing.T) {
	f := make(folder)
	for i, form := range []linear{plain, gptq, awq, compressed, fp8, mlx} {
		f.weights(t, fmt.Sprintf("%d/model.safetensors", i), headed(form)...)
	}
	f.weights(t, "adapter_model.safetensors", lora(4)...)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		object := func() string {
			var members []string
			for _, key := range keys {
				members = append(members, fmt.Sprintf("%q: %s", key, values[random.IntN(len(values))]))
			}
			return "{" + strings.Join(members, ",") + "}"
		}
		text := object()
		text = strings.Replace(text, `"text_config": `, `"text_config": `+object()+`, "x": `, random.IntN(2))
		text = strings.Replace(text, `"quantization_config": `, `"quantization_config": `+object()+`, "y": `, random.IntN(2))
		for i := range 6 {
			f.text(fmt.Sprintf("%d/config.json", i), text)
		}
		f.text("adapter_config.json", text)
		judgeRepository(t, f)
	}
}

// judgeRepository judges a folder by the rules of this package alone, and checks that
// each message is one line, and short.
func judgeRepository(t testing.TB, f folder) {
	t.Helper()
	from := f.store()
	sets, err := checkpoint.Discover(t.Context(), from, "", nil)
	if err != nil {
		return // there is nothing to judge
	}
	for _, l := range judgeOnly(t, from, "", sets, nil) {
		if strings.ContainsAny(l.Detail, "\n\r\x1b") || len(l.Detail) > 2000 {
			t.Errorf("%s says %q", string(l.Rule), l.Detail)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{llamaConfig, peftConfig, quantised(`{"quant_method":"gptq","bits":4,"group_size":32}`), `{"a":Infinity}`, "", "{", `{"\u0061":"`, "[[["} {
		f.Add([]byte(seed))
	}
	small := append(gptq(q5, hidden, hidden), bf16("model.embed_tokens.weight", vocab, hidden), bf16("model.layers.0.mlp.experts.0.w.weight", 4, 4))
	gptqFile, adapterFile := file(f, true, inOrder(small)...), file(f, true, lora(4)[:4]...)
	f.Fuzz(func(t *testing.T, text []byte) {
		judgeRepository(t, folder{"model.safetensors": gptqFile, "config.json": text, "quantize_config.json": text, "modules.json": text})
		judgeRepository(t, folder{"adapter_model.safetensors": adapterFile, "adapter_config.json": text})
	})
}

// parts are what names of tensors are made of here.
var nameParts = []string{
	"model", "layers", "0", "1", "7", "65535", "65536", "99999999999", "-1", "", "experts", "weight", "qweight", "scales", "qzeros", "g_idx", "weight_packed",
	"weight_scale", "weight_shape", "absmax", "quant_state", "bitsandbytes__nf4", "x_blocks", "x_scales", "_scale", "_blocks", "lora_A", "lora_B", "lora.up", "lm_head", "embed_tokens", "\u202e",
}

// TestNamesAndShapesAtRandom makes tensors of any name, dtype and shape.
func TestNamesAndShapesAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	dtypes := []safetensors.Dtype{safetensors.U8, safetensors.I8, safetensors.I32, safetensors.U32, safetensors.BF16, safetensors.F8_E4M3, safetensors.F32, safetensors.I64, safetensors.BOOL}
	dims := []int64{0, 1, 2, 3, 8, 16, 64}
	for range 200 {
		seen := make(map[string]bool)
		var all []tensor
		for range 1 + random.IntN(40) {
			var name []string
			for range 1 + random.IntN(6) {
				name = append(name, nameParts[random.IntN(len(nameParts))])
			}
			one := tensor{name: strings.Join(name, "."), dtype: dtypes[random.IntN(len(dtypes))]}
			for range random.IntN(4) {
				one.shape = append(one.shape, dims[random.IntN(len(dims))])
			}
			if !seen[one.name] {
				seen[one.name] = true
				all = append(all, one)
			}
		}
		f := make(folder)
		f.weights(t, "model.safetensors", all...)
		f.text("config.json", quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`))
		judgeRepository(t, f)
	}
}

func TestConfigTooLarge(t *testing.T) {
	f := make(folder)
	f.weights(t, "model.safetensors", headed(plain)...)
	f.text("config.json", `{"a":"`+strings.Repeat("x", 33<<20)+`"}`)
	find(t, judge(t, f.store(), "", nil), want{check.RuleConfigJSON, "config.json", "", `"config.json" is larger than the limit for configurations: 34,603,016 bytes of at most 33,554,432`})
}

// TestManySets has a folder of a thousand models: the time is not that of pairs, and
// of each rule there are a thousand findings for a file at most.
func TestManySets(t *testing.T) {
	f := make(folder)
	one := file(t, true, bf16("model.embed_tokens.weight", 4, 4), tensor{"x.weight_packed", safetensors.I32, []int64{4, 4}, nil})
	for i := range 1000 {
		f[fmt.Sprintf("%d/model.safetensors", i)] = one
		f.text(fmt.Sprintf("%d/config.json", i), quantised(`{"quant_method": "compressed-tensors"}`))
	}
	from := f.store()
	sets, err := checkpoint.Discover(t.Context(), from, "", &checkpoint.Options{HeadersOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[safetensors.Rule]int)
	for _, l := range judgeOnly(t, from, "", sets, nil) {
		counts[l.Rule]++
	}
	if counts[check.RuleQuantCompanion] != 1000 || counts[check.RuleConfigShape] != 2000 {
		t.Errorf("found %v", counts)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	var all []tensor
	for i := range 1500 {
		all = append(all, tensor{fmt.Sprintf("a%d.oft_R.weight", i), safetensors.F32, []int64{1}, pattern(0, 0, 0xc0, 0x7f)})
	}
	f := make(folder)
	f.weights(t, "adapter_model.safetensors", all...)
	from := f.store()
	sets, err := checkpoint.Discover(t.Context(), from, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range check.Validate(t.Context(), from, "", sets, &check.Options{Data: true}) {
		if err != nil || len(r.Violations) != 1000 || len(r.Omitted) != 1 || r.Omitted[r.Violations[0].Rule] != 500 {
			t.Errorf("%d found, %v omitted, %v", len(r.Violations), r.Omitted, err)
		}
	}
}

// TestCancel ends the judging at every stage, with the cause.
func TestCancel(t *testing.T) {
	f := make(folder)
	f.sharded(t, 3, 1, headed(plain)...)
	f.text("config.json", llamaConfig)
	from := f.store()
	sets, err := checkpoint.Discover(t.Context(), from, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{0, 1, 2, 30, 60} {
		ctx, cancel := context.WithCancel(t.Context())
		var done atomic.Int64
		opts := &check.Options{Data: true, Progress: func(read, total int64) {
			if read > total {
				t.Errorf("%d of %d bytes", read, total)
			}
			if done.Add(1) >= int64(after) {
				cancel()
			}
		}}
		if after == 0 {
			cancel()
		}
		var last error
		for _, err := range check.Validate(ctx, from, "", sets, opts) {
			last = err
		}
		cancel()
		if last != context.Canceled {
			t.Fatalf("after %d tensors: %v", after, last)
		}
	}
}
