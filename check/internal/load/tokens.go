// Tokens: the vocabulary, the tokenizer and the chat template.

package load

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// embedded are the architectures, by model_type, whose embedding has exactly vocab_size rows in transformers, vLLM and
// SGLang.
var embedded = []string{
	"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "granite",
	"olmo", "olmo2", "starcoder2", "cohere", "smollm3", "phi", "phi3", "stablelm", "deepseek_v2", "deepseek_v3",
}

// judgeVocabulary reports an embedding with more rows than the configuration says. Fewer rows are known already.
func judgeVocabulary(_ context.Context, m *Model) {
	vocab, v, ok := m.Int(config.Vocab)
	if !ok || m.Adapter || !m.Described || !isOf(embedded, m.Text) {
		return
	}
	for file, ti := range m.Tensors() {
		is := ti.Name == "model.embed_tokens.weight" || ti.Name == "lm_head.weight" ||
			ti.Name == "language_model.model.embed_tokens.weight" || ti.Name == "model.language_model.embed_tokens.weight"
		if is && len(ti.Shape) == 2 && parts.KindOf(ti.Dtype) == parts.Float && ti.Shape[0] > vocab {
			m.Add(Fault{Rule: rule.VocabularyRows, File: file, Tensor: ti.Name, Span: ti.Entry}, m.For(python...),
				"%s has %v rows, and %s has %s", wording.Quote(ti.Name), wording.Grouped(ti.Shape[0]), m.quoted(), v.Sentence())
		}
	}
}

// tokenizers are the files of which a tokenizer has at least one.
var tokenizers = []string{
	"tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model", "tekken.json", "tiktoken.model",
	"sentencepiece.bpe.model", "tokenizer.model.v3", "tokenizer.tok.json",
}

// judgeText reports, as notes, a language model without a tokenizer, and one for conversations without a template.
func judgeText(ctx context.Context, m *Model) {
	class, _ := m.Architecture()
	if m.Sizes == nil || m.Adapter || !m.Described || !strings.HasSuffix(class, "ForCausalLM") {
		return
	}
	here := m.here(m.Folder())
	is := func(name string) bool { return here[name] }
	at := Fault{Rule: rule.TokenizerAbsent, File: m.ConfigPath}
	anyTokenizer := slices.ContainsFunc(tokenizers, is) || is("tokenizer_config.json")
	for name := range here {
		anyTokenizer = anyTokenizer || strings.HasSuffix(name, ".tiktoken") || strings.HasPrefix(name, "tokeniz")
	}
	if !anyTokenizer {
		m.Add(at, m.For(python...), "there is no tokenizer beside %s, such as tokenizer.json", m.quoted())
		return
	}
	if is("chat_template.jinja") || is("chat_template.json") || !is("tokenizer_config.json") ||
		m.HasBelow(path.Join(m.Folder(), "additional_chat_templates")) {
		return
	}
	text := m.JSON(ctx, m.Folder(), "tokenizer_config.json")
	if text.Root == nil || text.Root.First("chat_template").Kind() != 0 {
		return
	}
	for _, v := range text.Root.First("added_tokens_decoder").Object() {
		word, _ := v.Get("content").Str()
		if word == "<|im_start|>" || word == "<|start_header_id|>" || word == "<start_of_turn>" || word == "[INST]" {
			m.Add(Fault{Rule: rule.ChatTemplate, File: text.Path}, m.For(python...),
				"%s has the chat token %s, but no chat_template", wording.Quote(text.Path), wording.Quote(word))
			return
		}
	}
}

// judgeTokens reports tokens of the configuration that the vocabulary does not have.
func judgeTokens(ctx context.Context, m *Model) {
	vocab, v, ok := m.Int(config.Vocab)
	if !ok || vocab == 0 || m.Adapter || !m.Described || !isOf(embedded, m.Text) {
		return
	}
	if pad := m.Text.First("pad_token_id"); beyond(pad.Value, vocab) {
		m.Add(Fault{Rule: rule.PadToken, File: m.ConfigPath, Span: rule.SpanOf(pad)}, m.For(python...),
			"%s has pad_token_id %s and %s", m.quoted(), pad.Text(), v.Sentence())
	}
	places := []JSON{{File: m.Main, Path: m.ConfigPath}}
	if m.Has(path.Join(m.Folder(), "generation_config.json")) {
		places = append(places, m.JSON(ctx, m.Folder(), "generation_config.json"))
	}
	for _, one := range places {
		end := one.Root.First("eos_token_id")
		all := beyond(end.Value, vocab)
		for e := range end.Elements() { // of a list, one token is enough
			if all = beyond(e, vocab); !all {
				break
			}
		}
		if all {
			m.Add(Fault{Rule: rule.EndToken, File: one.Path, Span: rule.SpanOf(end)}, m.For(python...),
				"%s has eos_token_id %s, and %s has %s", wording.Quote(one.Path), wording.Quote(string(end.Text())), m.quoted(),
				v.Sentence())
		}
	}
}

// beyond reports whether a value is the number of a token that the vocabulary does not have.
func beyond(v jsonscan.Value, vocab int64) bool {
	id, ok := v.Int()
	return ok && id >= vocab
}
