package gguf_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf"
)

func validate(t *testing.T, b []byte) *gguf.Report {
	t.Helper()
	r, err := gguf.Validate(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plain returns a file with one tensor of 8 floats.
func plain() *build {
	return newBuild().text("general.architecture", "llama").tensor("a", 0, make([]byte, 32), 8)
}

// Each file breaks one rule.
func TestRules(t *testing.T) {
	zeros := func(n int) []byte { return make([]byte, n) }
	covered := make(map[safetensors.Rule]bool)
	for _, test := range []struct {
		rule safetensors.Rule
		file func() []byte
	}{
		{gguf.RuleMagic, func() []byte { return []byte("GGML") }},
		{gguf.RuleMagic, func() []byte { return nil }},
		{gguf.RuleVersion, func() []byte { b := plain(); b.version = 4; return b.bytes() }},
		{gguf.RuleCounts, func() []byte { b := plain(); b.tensorCount = 1 << 40; return b.bytes() }},
		{gguf.RuleCounts, func() []byte { b := plain(); b.keyCount = 1 << 63; return b.bytes() }},
		{gguf.RuleCounts, func() []byte { // names of 17 MB
			b := plain()
			for i := range 260 {
				b.number(strings.Repeat("k", 65_000)+string(rune('a'+i%26))+strconv.Itoa(i), 1)
			}
			return b.bytes()
		}},
		{gguf.RuleTruncated, func() []byte { f := plain().bytes(); return f[:len(f)-1] }},
		{gguf.RuleTruncated, func() []byte { return plain().bytes()[:30] }},
		{gguf.RuleStringLength, func() []byte { b := plain(); return b.key("k", 8, b.u64(1<<63)).bytes() }},
		{gguf.RuleKeyText, func() []byte { return plain().number("a\xff", 1).bytes() }},
		{gguf.RuleCounts, func() []byte { b := plain(); b.keyCount = 1 << 16; return b.bytes() }},
		{gguf.RuleKeyName, func() []byte { return plain().number("A.b", 1).bytes() }},
		{gguf.RuleKeyName, func() []byte { return plain().number("", 1).bytes() }},
		{gguf.RuleDuplicateKey, func() []byte { return plain().text("general.architecture", "gpt2").bytes() }},
		{gguf.RuleValueType, func() []byte { return plain().key("k", 13, zeros(8)).bytes() }},
		{gguf.RuleValueType, func() []byte { return plain().list("k", 77, 1, zeros(8)).bytes() }},
		{gguf.RuleNestedArray, func() []byte {
			b := plain()
			return b.list("k", 9, 1, b.u32(0), b.u64(2),
				zeros(2)).bytes()
		}},
		{gguf.RuleNesting, func() []byte {
			b := plain()
			return b.list("k", 9, 1, bytes.Repeat(join(b.u32(9), b.u64(1)), 100)).bytes()
		}},
		{gguf.RuleNesting, func() []byte {
			b := plain()
			return b.list("k", 9, 100_000, bytes.Repeat(join(b.u32(0), b.u64(0)), 100_000)).bytes()
		}},
		{gguf.RuleArrayLength, func() []byte { return plain().list("k", 10, 1<<61).bytes() }},
		{gguf.RuleBool, func() []byte { return plain().key("k", 7, []byte{2}).bytes() }},
		{gguf.RuleBool, func() []byte { return plain().list("k", 7, 3, []byte{0, 1, 255}).bytes() }},
		{gguf.RuleUTF8, func() []byte { return plain().text("general.name", "caf\xe9").bytes() }},
		{gguf.RuleUTF8, func() []byte { return plain().text("k", strings.Repeat("é", 2500)+"\xe9").bytes() }},
		{gguf.RuleAlignment, func() []byte { return plain().number("general.alignment", 0).bytes() }},
		{gguf.RuleAlignment, func() []byte { return plain().number("general.alignment", 48).bytes() }},
		{gguf.RuleAlignment, func() []byte { return plain().text("general.alignment", "32").bytes() }},
		{gguf.RuleOddAlignment, func() []byte {
			b := plain()
			b.alignment = 4
			return b.number("general.alignment",
				4).bytes()
		}},
		{gguf.RuleTensorName, func() []byte { return plain().tensor(strings.Repeat("n", 65), 0, zeros(4), 1).bytes() }},
		{gguf.RuleTensorName, func() []byte { return plain().tensor("a\x00b", 0, zeros(4), 1).bytes() }},
		{gguf.RuleOddName, func() []byte { return plain().tensor(strings.Repeat("n", 64), 0, zeros(4), 1).bytes() }},
		{gguf.RuleOddName, func() []byte { return plain().tensor("../../a", 0, zeros(4), 1).bytes() }},
		{gguf.RuleDuplicate, func() []byte { return plain().tensor("a", 0, zeros(4), 1).bytes() }},
		{gguf.RuleRank, func() []byte { return plain().tensor("b", 0, zeros(4), 1, 1, 1, 1, 1).bytes() }},
		{gguf.RuleShape, func() []byte { return plain().info("b", 0, 32, 1<<63).bytes() }},
		{gguf.RuleShape, func() []byte { return plain().info("b", 0, 32, 1<<32, 1<<32).bytes() }},
		{gguf.RuleShape, func() []byte { return plain().info("b", 0, 32, 1<<62).bytes() }},
		{gguf.RuleTensorType, func() []byte { return plain().tensor("b", 138, zeros(110), 256).bytes() }},
		{gguf.RuleBlock, func() []byte { return plain().tensor("b", 2, zeros(18), 16, 2).bytes() }},
		{gguf.RuleOffset, func() []byte {
			b := plain()
			b.data = append(b.data, zeros(8)...)
			return b.info("b", 0, 36, 1).bytes()
		}},
		{gguf.RuleOverlap, func() []byte { return plain().info("b", 0, 0, 4).bytes() }},
		{gguf.RuleOrder, func() []byte {
			b := plain().tensor("b", 0, zeros(32),
				8)
			slices.Reverse(b.infos)
			return b.bytes()
		}},
		{gguf.RuleHole, func() []byte {
			b := plain()
			b.data = append(b.data, zeros(64)...)
			return b.tensor("b", 0, zeros(4), 1).bytes()
		}},
		{gguf.RulePadding, func() []byte { b := plain(); b.padding = 1; return b.bytes() }},
		{gguf.RuleTrailing, func() []byte { return append(plain().bytes(), make([]byte, 100)...) }},
		{gguf.RuleUnpadded, func() []byte {
			f := newBuild().text("general.architecture", "llama").tensor("a", 0, nil, 0).bytes()
			return bytes.TrimRight(f, "\x00")[:len(f)-16]
		}},
		{gguf.RuleArchitecture, func() []byte { return newBuild().tensor("a", 0, zeros(4), 1).bytes() }},
		{gguf.RuleArchKind, func() []byte { return newBuild().number("general.architecture", 1).bytes() }},
		{gguf.RuleFileType, func() []byte { return model().number("general.file_type", 15).bytes() }},
		{gguf.RuleFileType, func() []byte { return model().number("general.file_type", 5).bytes() }},
		{gguf.RuleQuantVersion, func() []byte { return model().tensor("b", 2, zeros(18), 32).bytes() }},
		{gguf.RuleModelKey, func() []byte {
			b := model()
			b.keys = b.keys[1:]
			return b.text("general.architecture", "qwen2").bytes()
		}},
		{gguf.RuleModelKeyKind, func() []byte {
			b := model()
			b.keys[1] = join(b.str("llama.context_length"), b.u32(10), b.u64(16))
			return b.bytes()
		}},
		{gguf.RuleModelTensor, func() []byte {
			b := model()
			b.infos = b.infos[:len(b.infos)-1]
			b.data = b.data[:len(b.data)-32]
			return b.bytes()
		}},
		{gguf.RuleTokenizer, func() []byte {
			b := newBuild().text("general.architecture", "llama")
			return b.list("tokenizer.ggml.tokens", 8, 2, b.str("a"), b.str("a")).bytes()
		}},
		{gguf.RuleTokenizer, func() []byte {
			b := newBuild().text("general.architecture", "llama")
			return b.list("tokenizer.ggml.tokens", 4, 1, b.u32(1)).bytes()
		}},
		{gguf.RuleOddTokenizer, func() []byte { return model().text("tokenizer.huggingface.json", `{"a": `).bytes() }},
		{gguf.RuleOddTokenizer, func() []byte { return model().number("tokenizer.ggml.eos_token_id", 4).bytes() }},
	} {
		covered[test.rule] = true
		r := validate(t, test.file())
		for _, v := range r.Violations {
			if v.Rule != test.rule && !(v.Rule == gguf.RuleNestedArray && test.rule == gguf.RuleNesting) {
				t.Errorf("%v: also found: %v", test.rule, v)
			}
		}
		if len(r.Violations) == 0 {
			t.Errorf("%v is not found", test.rule)
		}
	}
	// TestParts and TestTemplates have them
	covered[gguf.RuleSplit], covered[gguf.RuleOddSplit], covered[gguf.RuleTemplate] = true, true, true
	for _, info := range gguf.Rules() {
		if !covered[info.Rule] {
			t.Errorf("%v has no test", info.Rule)
		}
	}
}

func TestNothingWrong(t *testing.T) {
	for name, b := range map[string]*build{
		"plain": plain(), "model": model(), "no tensors": newBuild().text("general.architecture", "llama"),
		"other alignment": func() *build {
			b := newBuild()
			b.alignment = 64
			return b.number("general.alignment", 64).text("general.architecture", "x").tensor("a", 0, make([]byte, 4),
				1)
		}(),
		"unknown special": model().number("tokenizer.ggml.eos_token_id", 1<<32-1),
	} {
		if r := validate(t, b.bytes()); len(r.Violations) > 0 {
			t.Errorf("%s: %v", name, r.Violations)
		}
	}
}
