// Tokenizers: the files that programs make a vocabulary of, and what ollama makes of tokenizer.json.

package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// vocabularies are the files with the tokens of a tokenizer.
var vocabularies = []string{
	"tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model", "sentencepiece.bpe.model", "tekken.json",
	"tiktoken.model", "qwen.tiktoken", "rwkv_vocab_v20230424.txt", "tokenization.py",
}

// aboutTokens are files about a tokenizer that do not have its tokens.
var aboutTokens = []string{"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt"}

// judgeTokenizers reports tokenizers that are missing, and those that ollama reads differently.
func judgeTokenizers(ctx context.Context, r *Repository) {
	if r.Sizes == nil {
		return
	}
	for _, m := range r.mains() {
		names := m.In(m.Folder())
		lacks := make(map[lack][]loader.Name)
		for _, of := range m.For(loader.LlamaCPP, loader.MLX, loader.Ollama) {
			if one, ok := m.vocabularyLack(of, names); ok {
				lacks[one] = append(lacks[one], of)
			}
		}
		for one, programs := range lacks {
			m.Add(Fault{Rule: one.rule, File: one.file}, programs, "%s", one.says)
		}
		if len(m.For(loader.Ollama)) > 0 {
			m.judgeOllamaTokens(ctx, names)
		}
	}
}

// A lack is what is wrong with the files of a tokenizer.
type lack struct {
	rule       safetensors.Rule
	file, says string
}

// vocabularyLack returns why a program finds no tokens. A folder with nothing about a tokenizer has only the weights.
func (m *Model) vocabularyLack(of loader.Name, names []string) (one lack, ok bool) {
	known := vocabularies
	if of == loader.Ollama {
		known = known[:2]
	}
	first := func(list []string) string {
		i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(list, name) })
		if i < 0 {
			return ""
		}
		return names[i]
	}
	if first(known) != "" || of == loader.LlamaCPP && hasOwnTokens(llamaCPPClass(m.Main.Root)) {
		return lack{}, false
	}
	if other := first(vocabularies); other != "" {
		return lack{rule.TokenizerMissing, path.Join(m.Folder(), other),
			"there is " + wording.Quote(other) + ", and neither tokenizer.json nor tokenizer.model"}, true
	}
	if about := first(aboutTokens); about != "" {
		return lack{rule.TokenizerMissing, path.Join(m.Folder(), about),
			"there is " + wording.Quote(about) + ", and no file with the tokens, such as tokenizer.json"}, true
	}
	return lack{rule.TokenizerAbsent, m.ConfigPath, "the folder has no tokenizer"}, true
}

// hasOwnTokens reports whether the converter of llama.cpp has a vocabulary for a class, or writes none.
func hasOwnTokens(class string) bool {
	return strings.HasPrefix(class, "Mamba") || strings.HasPrefix(class, "WavTokenizer") || class == "OpenELMForCausalLM"
}

// judgeOllamaTokens reports what ollama makes of the tokens.
func (m *Model) judgeOllamaTokens(ctx context.Context, names []string) {
	class, _ := firstText(m.Main.Root.First("architectures"))
	known, ok := facts.Ollama()[class]
	if !ok {
		return
	}
	pieces := slices.Contains(names, "tokenizer.model")
	if pieces && slices.Contains(names, specialName) {
		m.judgeSpecial(m.JSON(ctx, m.Folder(), specialName))
	}
	file := path.Join(m.Folder(), "tokenizer.json")
	if !m.Has(file) || m.Sizes[file] > config.MaxSize || m.Dir == "" {
		return // megabytes, which are not worth a download
	}
	tokens := m.JSON(ctx, m.Folder(), "tokenizer.json")
	if !known.Has("pre") {
		m.judgePre(tokens)
	}
	if !pieces {
		m.judgeGap(tokens)
	}
}

const specialName = "special_tokens_map.json"

// judgeSpecial reports special tokens that are strings, where ollama expects objects.
func (m *Model) judgeSpecial(special JSON) {
	v := special.Root.First("additional_special_tokens")
	for e := range v.Elements() {
		if token, ok := e.Str(); ok {
			m.Add(Fault{Rule: rule.SpecialTokens, File: special.Path, Span: rule.SpanOf(v)}, m.For(loader.Ollama),
				"additional_special_tokens has %s, a string and not an object, and there is a tokenizer.model",
				wording.Quote(token))
			return
		}
	}
}

// ollamaPres are the SHA-256 digests of the patterns of the pre-tokenizers that ollama knows. (convert/tokenizer.go,
// parseTokenizer.)
var ollamaPres = []string{
	"d98f9631be1e9607a9848c26c1f9eac1aa9fc21ac6ba82a2fc0741af9780a48f", // llama-bpe
	"03df5c5863ad70781dcfdef491ead25140f895fe8010964be0daefe27be32b02", // deepseek-llm
	"21cde974d587f0d54dc8d56b183cc1e6239600172035c68fbd6d4b9f8da0576e", // deepseek-coder
	"1ff7f41064896984db5d1bb6ff64fa4bc29007d08c1b439e505b7392777a319e", // qwen2
	"00431aed57e696b747435f734d1e3b9b1bfd931a121fb5cac7129e97c181e9ba", // qwen35
	"b92c0824a58e1d8dc3221cf3e12c433c3a86f57e46d57229993489f0798e7702", // laguna
}

// judgePre reports a pre-tokenizer that ollama does not know.
func (m *Model) judgePre(tokens JSON) {
	v := tokens.Root.First("pre_tokenizer")
	sum, n := sha256.New(), 0
	for one := range v.Get("pretokenizers").Elements() {
		kind, _ := one.Get("type").Str()
		if pattern, _ := one.Get("pattern").Get("Regex").Str(); kind == "Split" && pattern != "" {
			sum.Write([]byte(pattern))
			n++
		}
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if n == 0 || slices.Contains(ollamaPres, digest) {
		return
	}
	m.Add(Fault{Rule: rule.PreTokenizer, File: tokens.Path, Span: rule.SpanOf(v)}, m.For(loader.Ollama),
		"the patterns of the pre-tokenizer have the SHA-256 %s…, which is not among the %d that it knows", digest[:12],
		len(ollamaPres))
}

// judgeGap reports ids of tokens without a token, if greater ids have one.
func (m *Model) judgeGap(tokens JSON) {
	ids := make(map[int64]bool)
	largest := int64(-1)
	add := func(v jsonscan.Value) {
		if id, ok := v.Int(); ok {
			ids[id] = true
			largest = max(largest, id)
		}
	}
	for _, v := range tokens.Root.First("model").Get("vocab").Members() {
		add(v)
	}
	for v := range tokens.Root.First("added_tokens").Elements() {
		add(v.Get("id"))
	}
	if largest < 0 || int64(len(ids)) == largest+1 {
		return
	}
	gap := int64(0)
	for ids[gap] {
		gap++
	}
	m.Add(Fault{Rule: rule.TokenGap, File: tokens.Path, Span: safetensors.Span{}}, m.For(loader.Ollama),
		"no token has the id %v, and the greatest id is %v", wording.Grouped(gap), wording.Grouped(largest))
}
