// The lists of the tokenizer.

package gguf

import (
	"encoding/binary"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// tokenizers are the values of tokenizer.ggml.model that llama-vocab.cpp knows.
var tokenizers = []string{"llama", "gpt2", "bert", "t5", "rwkv", "plamo2", "gemma4", "whitespace", "hybriddna",
	"none", "no_vocab"}

// judgeTokenizer judges the lists of the tokenizer against each other and against the embedding.
func (p *parser) judgeTokenizer(r io.ReaderAt, part bool) error {
	const prefix = "tokenizer.ggml."
	model, _ := p.Find(prefix + "model")
	if name, ok := model.Short(); ok && !slices.Contains(tokenizers, name) {
		p.found.add(RuleOddTokenizer, "", p.span(prefix+"model"), "%smodel is %s, which llama.cpp does not know",
			prefix, wording.Quote(name))
	} else if _, merges := p.Find(prefix + "merges"); name == "gpt2" && !merges {
		p.found.add(RuleOddTokenizer, "", p.span(prefix+"model"),
			"%smodel is \"gpt2\", and the key %smerges is missing", prefix, prefix)
	}
	tokens, ok := p.Find(prefix + "tokens")
	if !ok {
		return nil
	}
	if tokens.Kind != Array || tokens.Elem != String {
		p.found.add(RuleTokenizer, "", p.span(prefix+"tokens"), "%stokens is not an array of strings", prefix)
		return nil
	}
	for _, list := range []string{"scores", "token_type"} {
		v, ok := p.Find(prefix + list)
		switch {
		case !ok || v.Kind != Array:
		case v.Len < tokens.Len:
			p.found.add(RuleTokenizer, "", p.span(prefix+list), "%s%s has %d elements for %d tokens", prefix, list,
				v.Len, tokens.Len)
		case v.Len > tokens.Len:
			p.found.add(RuleOddTokenizer, "", p.span(prefix+list), "%s%s has %d elements for %d tokens", prefix, list,
				v.Len, tokens.Len)
		}
	}
	p.judgeSpecial(prefix, tokens.Len)
	if !part {
		p.judgeEmbedding(tokens.Len)
	}
	if err := p.judgeTokens(r, prefix, tokens); err != nil {
		return err
	}
	return p.judgeTypes(r, prefix)
}

// judgeSpecial finds special tokens that are not in the list.
func (p *parser) judgeSpecial(prefix string, tokens int64) {
	for i := range p.Keys {
		k := &p.Keys[i]
		if !strings.HasPrefix(k.Name, prefix) || !strings.HasSuffix(k.Name, "_token_id") {
			continue
		}
		if id, ok := k.Value.Uint(); ok && id >= uint64(tokens) && id != 1<<32-1 {
			p.found.add(RuleOddTokenizer, "", k.Span, "%s is %d, and there are %d tokens", wording.Quote(k.Name), id,
				tokens)
		}
	}
}

// judgeEmbedding compares the number of tokens with the rows of the embedding.
func (p *parser) judgeEmbedding(tokens int64) {
	if t := p.embedding(); t != nil && len(t.Dims) == 2 && t.Dims[1] != tokens {
		p.found.add(RuleTokenizer, t.Name, t.entry, "tensor %s has %d rows for %d tokens", wording.Quote(t.Name),
			t.Dims[1], tokens)
	}
}

// judgeTokens finds a token that occurs twice. It keeps a hash of each.
func (p *parser) judgeTokens(r io.ReaderAt, prefix string, tokens Value) error {
	const most = 8 << 20 // tokens; the largest vocabularies have 256 thousand
	if tokens.Len > most {
		return nil
	}
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	seen := make(map[[2]uint64]struct{})
	c := p.again(r, tokens)
	for i := range tokens.Len {
		n, err := c.uint(8)
		if err != nil {
			return err
		}
		var sum [2]uint64
		if n <= mostShort {
			b, err := c.next(int(n))
			if err != nil {
				return err
			}
			sum = [2]uint64{maphash.Bytes(seeds[0], b), maphash.Bytes(seeds[1], b)}
		} else {
			c.at += int64(n)
			sum = [2]uint64{uint64(i), 1 << 63} // too long to be compared
		}
		if _, twice := seen[sum]; twice {
			p.found.add(RuleTokenizer, "", p.span(prefix+"tokens"), "token %d occurs before in %stokens", i, prefix)
			return nil
		}
		seen[sum] = struct{}{}
	}
	return nil
}

// judgeTypes finds an undefined type of a token.
func (p *parser) judgeTypes(r io.ReaderAt, prefix string) error {
	const first, last = 1, 6
	types, ok := p.Find(prefix + "token_type")
	if !ok || types.Kind != Array || types.Elem != Int32 && types.Elem != Uint32 {
		return nil
	}
	c := p.again(r, types)
	for i := range types.Len {
		n, err := c.uint(4)
		if err != nil {
			return err
		}
		if n < first || n > last {
			p.found.add(RuleOddTokenizer, "", p.span(prefix+"token_type"), "token %d has the type %d", i, int32(n))
			return nil
		}
	}
	return nil
}

// again returns a cursor at the elements of an array.
func (p *parser) again(r io.ReaderAt, v Value) *cursor {
	c := newCursor(r, min(p.size, v.Span.End))
	c.at = v.Span.Begin
	if p.BigEndian {
		c.order = binary.BigEndian
	}
	return c
}
