// Advice of rules: every command in the advice of a rule, run on a folder that breaks it.

package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/filetype"
)

// An adviceFolder is a folder that breaks a rule, by the names of its files. A file of weights is its header, a line feed,
// and its data.
type adviceFolder map[string]string

const (
	adviceA     = `"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	adviceB     = `"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}`
	adviceMeta  = `"__metadata__":{"format":"pt"},`
	adviceOne   = "model-00001-of-00002.safetensors"
	adviceTwo   = "model-00002-of-00002.safetensors"
	adviceIndex = "model.safetensors.index.json"
	llamaOf1    = `{"architectures":["LlamaForCausalLM"],"model_type":"llama","tie_word_embeddings":true}`
)

// llamaOfNames returns the header of a llama of one layer without data, with a prefix instead of "model.".
func llamaOfNames(prefix string, head bool) string {
	const none = `:{"dtype":"F32","shape":[0,1],"data_offsets":[0,0]}`
	header := "{" + adviceMeta[:len(adviceMeta)-1]
	if head {
		header += `,"lm_head.weight"` + none
	}
	for _, name := range strings.Fields("embed_tokens norm layers.0.input_layernorm layers.0.post_attention_layernorm " +
		"layers.0.mlp.down_proj layers.0.mlp.gate_proj layers.0.mlp.up_proj layers.0.self_attn.k_proj " +
		"layers.0.self_attn.o_proj layers.0.self_attn.q_proj layers.0.self_attn.v_proj") {
		header += `,"` + prefix + name + `.weight"` + none
	}
	return header + "}"
}

// shardsOf returns a set of two shards with an index.
func shardsOf(index string) adviceFolder {
	return adviceFolder{adviceOne: "{" + adviceMeta + adviceA + "}\nabcd", adviceIndex: index, "config.json": llamaOf1,
		adviceTwo: "{" + adviceMeta + strings.Replace(adviceB, "[4,8]", "[0,4]", 1) + "}\nefgh"}
}

// adapterFolder returns an adapter for one module.
func adapterFolder(module, a, b string) adviceFolder {
	return adviceFolder{"adapter_model.safetensors": `{` + adviceMeta + `"` + module + "." + a +
		`":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},"` + module + "." + b +
		`":{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]}}` + "\nabcdefgh"}
}

// oneOf returns one file of weights.
func oneOf(header, data string) adviceFolder {
	return adviceFolder{"model.safetensors": header + "\n" + data}
}

// ofRules has a folder for each rule whose advice has a command, and more for some.
var ofRules = map[safetensors.Rule][]adviceFolder{
	safetensors.RuleHeaderStart:   {oneOf(" {"+adviceMeta+adviceA+"}", "abcd")},
	safetensors.RuleHeaderPadding: {oneOf("{"+adviceMeta+adviceA+"}\t", "abcd")},
	safetensors.RuleDuplicateName: {oneOf("{"+adviceMeta+adviceA+","+strings.Replace(adviceB, `"b"`, `"a"`, 1)+"}",
		"abcdabcd")},
	safetensors.RuleMemberForm:    {oneOf("{"+adviceMeta+`"a":["F32",[1],[0,4]]}`, "abcd")},
	safetensors.RuleUnknownMember: {oneOf("{"+adviceMeta+`"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}`, "abcd")},
	safetensors.RuleHole:          {oneOf("{"+adviceMeta+adviceB+"}", "abcdefgh")},
	safetensors.RuleTrailing:      {oneOf("{"+adviceMeta+adviceA+"}", "abcdefgh")},
	safetensors.RuleMetadataFormat: {oneOf("{"+adviceA+"}", "abcd"),
		oneOf(`{"__metadata__":{"x":"y"},`+adviceA+"}", "abcd")},
	safetensors.RuleEntryOrder: {oneOf("{"+adviceMeta+adviceB+","+adviceA+"}", "abcdefgh")},
	"alignment-cost": {oneOf("{"+adviceMeta+`"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},`+
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, "abcde"), oneOf("{"+adviceMeta+adviceA+"}     ", "abcd")},
	"tensor-misplaced": {shardsOf(`{"metadata":{"total_size":12},"weight_map":{"a":"`+adviceOne+`","b":"`+adviceOne+`","c":"`+adviceTwo+`"}}`).
		with(adviceTwo, "{"+adviceMeta+adviceB+","+strings.Replace(adviceA, `"a"`, `"c"`, 1)+"}\nabcdefgh")},
	"tensor-unlisted": {shardsOf(`{"metadata":{"total_size":8},"weight_map":{"a":"`+adviceOne+`","b":"`+adviceTwo+`"}}`).
		with(adviceTwo, "{"+adviceMeta+adviceA+","+adviceB+"}\nabcdefgh", adviceOne, "{"+adviceMeta+strings.Replace(adviceA, `"a"`, `"c"`, 1)+"}\nabcd").
		with(adviceIndex, `{"metadata":{"total_size":8},"weight_map":{"c":"`+adviceOne+`","b":"`+adviceTwo+`"}}`)},
	"total-size": {shardsOf(`{"metadata":{"total_size":9},"weight_map":{"a":"` + adviceOne + `","b":"` + adviceTwo + `"}}`)},
	"total-parameters": {shardsOf(`{"metadata":{"total_size":8,"total_parameters":9},"weight_map":{"a":"` + adviceOne + `","b":"` +
		adviceTwo + `"}}`)},
	"shard-missing": { // an index of another sharding, one that is left after a merge, and one beside PyTorch files
		shardsOf(`{"metadata":{"total_size":8},"weight_map":{"a":"model-00001-of-00003.safetensors","b":"model-00003-of-00003.safetensors"}}`),
		oneOf("{"+adviceMeta+adviceA+"}", "abcd").with(adviceIndex, `{"weight_map":{"a":"`+adviceOne+`"}}`),
		{adviceIndex: `{"weight_map":{"x":"` + adviceOne + `"}}`, "pytorch_model.bin": "sample pytorch-zip.bin"},
	},
	"index-stale": {adviceFolder{"output.safetensors": "{" + adviceMeta + adviceA + "}\nabcd",
		adviceIndex: `{"weight_map":{"a":"` + adviceOne + `","b":"` + adviceTwo + `"}}`}},
	"index-missing":  {shardsOf("").with(adviceIndex, "")},
	"weights-format": {{"model.pt": "sample pytorch-zip.bin"}, {"pytorch_model-00001-of-00001.bin": "sample pytorch-zip.bin"}},
	"cache-link": {{"models--o--m/blobs/0123456789012345678901234567890123456789": "{}", "models--o--m/snapshots/r/config.json": "../blobs/0123456789012345678901234567890123456789",
		"model.safetensors": oneOf("{"+adviceMeta+adviceA+"}", "abcd")["model.safetensors"]}},
	"file-mode": {oneOf("{"+adviceMeta+adviceA+"}", "abcd").with("config.json", llamaOf1), shardsOf(`{"weight_map":{"a":"` + adviceOne + `","b":"` + adviceTwo + `"}}`)},
	"sidecar":   {oneOf("{"+adviceMeta+adviceA+"}", "abcd").with("._model.safetensors", "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ")},
	"embedding-missing": {oneOf(`{"__metadata__":{"format":"pt","model.embed_tokens.weight":"lm_head.weight"},`+
		`"lm_head.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`, "abcd").with("config.json", llamaOf1)},
	"names-wrapped": {oneOf("{"+adviceMeta+strings.Replace(adviceA, `"a"`, `"_orig_mod.a"`, 1)+"}", "abcd"),
		oneOf("{"+adviceMeta+strings.Replace(adviceA, `"a"`, `"x._orig_mod.y._fsdp_wrapped_module.a"`, 1)+"}", "abcd"),
		shardsOf(`{"metadata":{"total_size":8},"weight_map":{"module._orig_mod.a":"`+adviceOne+`","module._orig_mod.b":"`+adviceTwo+`"}}`).
			with(adviceOne, "{"+adviceMeta+strings.Replace(adviceA, `"a"`, `"module._orig_mod.a"`, 1)+"}\nabcd",
				adviceTwo, "{"+adviceMeta+strings.NewReplacer(`"b"`, `"module._orig_mod.b"`, "[4,8]", "[0,4]").Replace(adviceB)+"}\nabcd")},
	"tied-twice": {oneOf("{"+adviceMeta+strings.Replace(strings.Replace(adviceA, `"a"`, `"model.embed_tokens.weight"`, 1), "[1]", "[1,1]", 1)+","+
		strings.Replace(strings.Replace(adviceB, `"b"`, `"lm_head.weight"`, 1), "[1]", "[1,1]", 1)+"}", "abcdabcd").with("config.json", llamaOf1)},
	"names-prefix": {oneOf(llamaOfNames("", false), "").with("config.json", llamaOf1), oneOf(llamaOfNames("", true), "").with("config.json", llamaOf1),
		oneOf(llamaOfNames("model.model.", false), "").with("config.json", llamaOf1)},
	"adapter-label":  {adapterFolder("blocks.0.cross_attn.v", "lora_A.default.weight", "lora_B.default.weight")},
	"adapter-prefix": {adapterFolder("blocks.0.cross_attn.v", "lora_A.weight", "lora_B.weight")},
	"adapter-base": {adapterFolder("base_model.model.model.layers.0.q_proj", "lora_A.weight", "lora_B.weight").with(
		"base/model.safetensors", "{"+adviceMeta+strings.Replace(adviceA, `"a"`, `"language_model.model.layers.0.q_proj.weight"`, 1)+"}\nabcd",
		"base/config.json", `{"text_config":{}}`,
		"adapter_config.json", `{"peft_type":"LORA","r":1,"base_model_name_or_path":"./base"}`)},
	"dtype-unsupported": {oneOf("{"+adviceMeta+strings.ReplaceAll(strings.Replace(adviceA, "F32", "F64", 1), "[0,4]", "[0,8]")+"}", "abcdefgh").
		with("config.json", llamaOf1)},
	"json-text": {oneOf("{"+adviceMeta+adviceA+"}", "abcd").with("config.json", llamaOf1, "._config.json", "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ")},
	"one-file": {shardsOf(`{"metadata":{"total_size":8},"weight_map":{"a":"` + adviceOne + `","b":"` + adviceTwo + `"}}`),
		shardsOf("").with(adviceIndex, "")},
	"adapter-unread": {adapterFolder("base_model.model.double_blocks.0.img_attn.qkv", "lora_A.weight", "lora_B.weight")},
	"gguf-template":  {{"model.gguf": ggufOf("general.architecture", "llama", "tokenizer.chat_template", "{{ ''.__class__ }}")}},
	"leftover":       {oneOf("{"+adviceMeta+adviceA+"}", "abcd").with(".model.safetensors.tmp-0123456789", "x")},
}

// ggufOf returns a GGUF file of version 3 with texts as metadata, and without tensors.
func ggufOf(pairs ...string) string {
	b := binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(pairs)/2))
	text := func(s string) { b = append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...) }
	for i := 0; i < len(pairs); i += 2 {
		text(pairs[i])
		b = binary.LittleEndian.AppendUint32(b, 8) // a string
		text(pairs[i+1])
	}
	return string(b)
}

// with returns the folder with other contents of files; "" removes one.
func (b adviceFolder) with(pairs ...string) adviceFolder {
	for i := 0; i < len(pairs); i += 2 {
		if b[pairs[i]] = pairs[i+1]; pairs[i+1] == "" {
			delete(b, pairs[i])
		}
	}
	return b
}

// write writes the folder. If narrow is set, only their owner can read the weights.
func (b adviceFolder) write(t *testing.T, narrow bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's a model")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range b {
		header, data, isWeights := strings.Cut(text, "\n")
		content := []byte(text)
		switch sample, isSample := strings.CutPrefix(text, "sample "); {
		case isSample:
			var err error
			if content, err = os.ReadFile(filepath.Join(samplesDir, sample)); err != nil {
				t.Skip(err)
			}
		case isWeights && strings.HasSuffix(name, ".safetensors"):
			content = append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+data...)
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".safetensors") && narrow {
			mode = 0o600
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777),
			os.WriteFile(filepath.Join(dir, name), content, mode)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// breaks returns the advice for the findings of a rule in a folder.
func breaks(t *testing.T, dir string, rule safetensors.Rule) (advice []string) {
	t.Helper()
	args := []string{"check", "--json"}
	for _, n := range loader.Needs() {
		if check.NeedsLoader(rule) && n.Rule == rule {
			args = append(args, "--for", string(n.Loader))
		}
	}
	cmd := exec.Command("weigh", append(args, dir)...)
	cmd.Dir = filepath.Dir(dir)
	out, _ := cmd.Output()
	var doc struct {
		Findings []struct{ Rule, File, Fix string }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range doc.Findings {
		if f.Rule == string(rule) {
			advice = append(advice, filetype.For(f.Fix, f.File))
		}
	}
	return advice
}

// TestAdviceOfRules runs what is advised for every rule. Afterwards the folder does not break it any more, or what was
// written elsewhere does not.
func TestAdviceOfRules(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for _, info := range finding.Rules {
		made, ok := ofRules[info.Rule]
		if strings.Contains(info.Fix, "`") && !ok && !alike(info.Rule) {
			t.Errorf("the advice of %s is not tried: %s", string(info.Rule), info.Fix)
		}
		for _, one := range made {
			t.Run(string(info.Rule), func(t *testing.T) {
				advice := breaks(t, one.write(t, info.Rule == checkpoint.RuleFileMode), info.Rule)
				if len(advice) == 0 {
					t.Fatalf("the folder does not break the rule: %q", one)
				}
				for i := range advised.FindAllString(advice[0], -1) {
					dir := one.write(t, info.Rule == checkpoint.RuleFileMode)
					try(t, dir, advised.FindAllStringSubmatch(breaks(t, dir, info.Rule)[0], -1)[i][1], info.Rule)
				}
			})
		}
	}
}

// alike reports whether the advice of a rule is tried elsewhere: that of another rule, with which check replaces it,
// what TestAdvice runs, what only shows something, and that of a rule for --for, which package edit tries.
func alike(rule safetensors.Rule) bool {
	return slices.Contains([]safetensors.Rule{safetensors.RuleDataAlignment, safetensors.RuleElementAlignment,
		safetensors.RuleNotSafetensors, "index-metadata", "not-fetched", "format-dangerous", "exchange-unfinished"}, rule)
}

// try runs a command, and checks the folder again.
func try(t *testing.T, dir, command string, rule safetensors.Rule) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	verb := strings.Fields(command)[1]
	switch shows := slices.Contains([]string{"scan", "info", "check"}, verb); {
	case shows && code >= 0 && code != 2:
		return
	case err != nil:
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "NEW")); err == nil {
		dir = filepath.Join(dir, "NEW")
	} else if _, err := os.Stat(filepath.Join(dir, "NEW.safetensors")); err == nil {
		dir = filepath.Join(dir, "NEW.safetensors")
	}
	if left := breaks(t, dir, rule); len(left) > 0 {
		t.Errorf("%s leaves %q", command, left)
	}
}
