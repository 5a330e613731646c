// What a model needs, beyond the rules of the format.

package gguf

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// Architecture returns general.architecture, such as "llama", or "" if it is missing.
func (h *Header) Architecture() string {
	v, _ := h.Find("general.architecture")
	name, _ := v.Short()
	return name
}

// part reports whether the file is a part of a model in several files, and whether it is the first.
func (h *Header) part() (part, first bool) {
	count, _ := h.Find("split.count")
	if n, ok := count.Uint(); !ok || n < 2 {
		return false, true
	}
	no, _ := h.Find("split.no")
	n, ok := no.Uint()
	return true, ok && n == 0
}

// judgeModel judges the metadata against itself and against the tensors.
func (p *parser) judgeModel(f *File) error {
	p.judgeSplitKinds()
	part, first := p.part()
	if !first {
		return nil
	}
	p.judgeArchitecture()
	p.judgeFileType(part)
	if err := p.judgeTokenizer(f, part); err != nil {
		return err
	}
	kind, _ := p.Find("general.type")
	if name, ok := kind.Short(); ok && name != "model" || p.embedding() == nil {
		return nil // adapters, projectors, vocabularies and importance matrices have keys of their own
	}
	p.judgeKeys()
	if !part {
		p.judgeTensors()
	}
	return nil
}

// embedding returns the embedding of the tokens, which every model of text has, or nil.
func (h *Header) embedding() *TensorInfo {
	for i := range h.Tensors {
		if h.Tensors[i].Name == "token_embd.weight" {
			return &h.Tensors[i]
		}
	}
	return nil
}

// span returns the bytes of a key, if it exists.
func (p *parser) span(key string) safetensors.Span {
	if i, ok := p.keys[key]; ok {
		return p.Keys[i].Span
	}
	return safetensors.Span{}
}

func (p *parser) judgeArchitecture() {
	const key = "general.architecture"
	v, ok := p.Find(key)
	name, _ := v.Short()
	switch {
	case !ok:
		p.found.Add(RuleArchitecture, "", safetensors.Span{}, "the key %s is missing", key)
	case v.Kind != String:
		p.found.Add(RuleArchKind, "", p.span(key), "%s is a %v instead of a string", key,
			v.Kind)
	case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
		p.found.Add(RuleArchitecture, "", p.span(key), "%s is %s", key, wording.Quote(name))
	}
}

// judgeFileType compares the stated type with those of the matrices, and finds what quantized files lack.
func (p *parser) judgeFileType(part bool) {
	const key, version = "general.file_type", "general.quantization_version"
	matrices, of, quantized := 0, make(map[Type]int), false
	for i := range p.Tensors {
		t := &p.Tensors[i]
		if elements, _ := t.Type.Block(); elements > 1 {
			quantized = true
		}
		if len(t.Dims) > 1 {
			matrices++
			of[t.Type]++
		}
	}
	if _, ok := p.Find(version); quantized && !ok && p.embedding() != nil {
		p.found.Add(RuleQuantVersion, "", safetensors.Span{},
			"the model has quantized tensors, and the key %s is missing", version)
	}
	v, ok := p.Find(key)
	if !ok {
		return
	}
	stated, isInt := p.FileType()
	is := fileTypes[stated]
	switch {
	case !isInt || v.Kind != Uint32:
		p.found.Add(RuleFileType, "", p.span(key), "%s is a %v instead of a u32", key, v.Kind)
	case is.name == "":
		p.found.Add(RuleFileType, "", p.span(key), "%s is %d, which is not defined", key, uint32(stated))
	case !part && matrices > 0 && of[is.main] == 0:
		p.found.Add(RuleFileType, "", p.span(key), "%s is %d (%s), and none of the %d matrices is of %v", key,
			uint32(stated), is.name,
			matrices, is.main)
	}
}

// judgeKeys finds missing keys, and keys of types that llama.cpp does not take. Models of other kinds than text have
// other keys.
func (p *parser) judgeKeys() {
	arch := p.Architecture()
	if _, text := p.Find("tokenizer.ggml.model"); !text || arch == "" {
		return
	}
	required := []string{"context_length", "embedding_length", "block_count"}
	if usual[arch] {
		required = append(required, "feed_forward_length", "attention.head_count")
	}
	for _, key := range required {
		key = arch + "." + key
		v, ok := p.Find(key)
		switch {
		case !ok:
			p.found.Add(RuleModelKey, "", safetensors.Span{}, "the key %s is missing", wording.Quote(key))
		case v.Kind != Uint32 && v.Kind != Array:
			p.found.Add(RuleModelKeyKind, "", p.span(key), "%s is a %v, and llama.cpp wants a u32", wording.Quote(key),
				v.Kind)
		}
	}
}

// usual are the architectures whose tensors follow from their keys in the same way.
var usual = map[string]bool{"llama": true, "qwen2": true, "qwen3": true}

// judgeTensors compares the tensors of the usual architectures with the keys.
func (p *parser) judgeTensors() {
	arch := p.Architecture()
	number := func(key string) int64 {
		v, _ := p.Find(arch + "." + key)
		n, _ := v.Int()
		return n
	}
	width, layers, ff, heads := number("embedding_length"), number("block_count"), number("feed_forward_length"),
		number("attention.head_count")
	if !usual[arch] || width <= 0 || layers <= 0 || heads <= 0 || layers > int64(len(p.Tensors)) {
		return // or there are no tensors for so many blocks, which the first one that is missing would say
	}
	kv, head := number("attention.head_count_kv"), number("attention.key_length")
	if kv <= 0 {
		kv = heads
	}
	if head <= 0 {
		head = width / heads
	}
	byName := make(map[string]*TensorInfo, len(p.Tensors))
	for i := range p.Tensors {
		byName[p.Tensors[i].Name] = &p.Tensors[i]
	}
	want := func(name string, dims ...int64) {
		t := byName[name]
		switch {
		case t == nil:
			p.found.Add(RuleModelTensor, name, safetensors.Span{}, "tensor %s is missing", wording.Quote(name))
		case !sameDims(t.Dims, dims):
			p.found.Add(RuleModelTensor, name, t.entry,
				"tensor %s has the dimensions %v, and the keys of the model say %v",
				wording.Quote(name), t.Dims, dims)
		}
	}
	want("output_norm.weight", width)
	for i := range layers {
		b := fmt.Sprintf("blk.%d.", i)
		want(b+"attn_norm.weight", width)
		if byName[b+"attn_qkv.weight"] == nil {
			want(b+"attn_q.weight", width, heads*head)
			want(b+"attn_k.weight", width, kv*head)
			want(b+"attn_v.weight", width, kv*head)
		}
		want(b+"attn_output.weight", heads*head, width)
		want(b+"ffn_norm.weight", width)
		if number("expert_count") == 0 && ff > 0 {
			want(b+"ffn_gate.weight", width, ff)
			want(b+"ffn_up.weight", width, ff)
			want(b+"ffn_down.weight", ff, width)
		}
	}
}

// sameDims compares dimensions. Some writers drop ones at the end.
func sameDims(a, b []int64) bool {
	for i := range max(len(a), len(b)) {
		x, y := int64(1), int64(1)
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return false
		}
	}
	return true
}
