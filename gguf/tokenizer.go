// The lists of the tokenizer.

package gguf

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// tokenizers are the values of tokenizer.ggml.model that llama-vocab.cpp knows.
var tokenizers = []string{"llama", "gpt2", "bert", "t5", "rwkv", "plamo2", "gemma4", "whitespace", "hybriddna",
	"none", "no_vocab"}

// judgeTokenizer judges the lists of the tokenizer against each other and against the embedding.
func (p *parser) judgeTokenizer(f *File, part bool) error {
	const prefix = "tokenizer.ggml."
	model, _ := p.Find(prefix + "model")
	if name, ok := model.Short(); ok && !slices.Contains(tokenizers, name) {
		p.found.Add(RuleOddTokenizer, "", p.span(prefix+"model"), "%smodel is %s, which llama.cpp does not know",
			prefix, wording.Quote(name))
	} else if _, merges := p.Find(prefix + "merges"); name == "gpt2" && !merges {
		p.found.Add(RuleOddTokenizer, "", p.span(prefix+"model"),
			"%smodel is \"gpt2\", and the key %smerges is missing", prefix, prefix)
	}
	tokens, ok := p.Find(prefix + "tokens")
	if !ok {
		return nil
	}
	if tokens.Kind != Array || tokens.Elem != String {
		p.found.Add(RuleTokenizer, "", p.span(prefix+"tokens"), "%stokens is not an array of strings", prefix)
		return nil
	}
	for _, list := range []string{"scores", "token_type"} {
		v, ok := p.Find(prefix + list)
		switch {
		case !ok || v.Kind != Array:
		case v.Len < tokens.Len:
			p.found.Add(RuleTokenizer, "", p.span(prefix+list), "%s%s has %d elements for %d tokens", prefix, list,
				v.Len, tokens.Len)
		case v.Len > tokens.Len:
			p.found.Add(RuleOddTokenizer, "", p.span(prefix+list), "%s%s has %d elements for %d tokens", prefix, list,
				v.Len, tokens.Len)
		}
	}
	p.judgeSpecial(prefix, tokens.Len)
	if !part {
		p.judgeEmbedding(tokens.Len)
	}
	if err := p.judgeTokens(f, prefix, tokens); err != nil {
		return err
	}
	return p.judgeTypes(f, prefix)
}

// judgeSpecial finds special tokens that are not in the list.
func (p *parser) judgeSpecial(prefix string, tokens int64) {
	for i := range p.Keys {
		k := &p.Keys[i]
		if !strings.HasPrefix(k.Name, prefix) || !strings.HasSuffix(k.Name, "_token_id") {
			continue
		}
		if id, ok := k.Value.Uint(); ok && id >= uint64(tokens) && id != 1<<32-1 {
			p.found.Add(RuleOddTokenizer, "", k.Span, "%s is %d, and there are %d tokens", wording.Quote(k.Name), id,
				tokens)
		}
	}
}

// judgeEmbedding compares the number of tokens with the rows of the embedding.
func (p *parser) judgeEmbedding(tokens int64) {
	if t := p.embedding(); t != nil && len(t.Dims) == 2 && t.Dims[1] != tokens {
		p.found.Add(RuleTokenizer, t.Name, t.entry, "tensor %s has %d rows for %d tokens", wording.Quote(t.Name),
			t.Dims[1], tokens)
	}
}

// judgeTokens finds a token that occurs twice. It keeps a hash of each.
func (p *parser) judgeTokens(f *File, prefix string, tokens Value) error {
	const most = 8 << 20 // tokens; the largest vocabularies have 256 thousand
	if tokens.Len > most {
		return nil
	}
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	seen := make(map[[2]uint64]struct{})
	i := 0
	for v, err := range f.Elements(tokens) {
		if err != nil {
			return err
		}
		sum := [2]uint64{uint64(i), 1 << 63} // of a token that is too long to be compared
		if token, ok := v.Short(); ok {
			sum = [2]uint64{maphash.String(seeds[0], token), maphash.String(seeds[1], token)}
		}
		if _, twice := seen[sum]; twice {
			p.found.Add(RuleTokenizer, "", p.span(prefix+"tokens"), "token %d occurs before in %stokens", i, prefix)
			return nil
		}
		seen[sum] = struct{}{}
		i++
	}
	return nil
}

// judgeTypes finds an undefined type of a token.
func (p *parser) judgeTypes(f *File, prefix string) error {
	const first, last = 1, 6
	types, ok := p.Find(prefix + "token_type")
	if !ok || types.Kind != Array || types.Elem != Int32 && types.Elem != Uint32 {
		return nil
	}
	i := 0
	for v, err := range f.Elements(types) {
		if err != nil {
			return err
		}
		if n, _ := v.Int(); n < first || n > last {
			p.found.Add(RuleOddTokenizer, "", p.span(prefix+"token_type"), "token %d has the type %d", i, n)
			return nil
		}
		i++
	}
	return nil
}
