// What a GGUF file says about its model, as a configuration.

package config

import (
	"encoding/json"
	"strconv"
	"strings"
)

// GGUFName is the name of what OfGGUF returns.
const GGUFName = "the metadata"

// ggufSizes are the keys of sizes, after the name of the architecture, and the first names of the same sizes in
// config.json.
//
// Source: docs/gguf.md of ggml d99724f.
var ggufSizes = []struct{ key, name string }{
	{"block_count", Layers[0]},
	{"nextn_predict_layers", MTPLayers[0]},
	{"embedding_length", Hidden[0]},
	{"feed_forward_length", Intermediate[0]},
	{"expert_feed_forward_length", ExpertIntermediate[0]},
	{"vocab_size", Vocab[0]},
	{"attention.head_count", Heads[0]},
	{"attention.head_count_kv", KVHeads[0]},
	{"attention.key_length", HeadDim[0]},
	{"context_length", Context[0]},
	{"attention.sliding_window", Window[0]},
	{"expert_count", Experts[0]},
	{"expert_used_count", ActiveExperts[0]},
}

// OfGGUF returns the configuration that the metadata of a GGUF file amounts to: a zero File if it is not that of a
// GGUF file. Arrays are "[LENGTH TYPE]" in the metadata, so sizes that differ by layer are left out.
func OfGGUF(metadata map[string]string) File {
	arch := metadata["general.architecture"]
	if arch == "" {
		return File{}
	}
	members := map[string]any{"model_type": arch}
	for _, size := range ggufSizes {
		if n, err := strconv.ParseInt(metadata[arch+"."+size.key], 10, 64); err == nil && n > 0 {
			members[size.name] = n
		}
	}
	if factor, err := strconv.ParseFloat(metadata[arch+".rope.scaling.factor"], 64); err == nil && factor > 1 {
		members["rope_scaling"] = map[string]any{"factor": factor}
	}
	all, _ := members[Layers[0]].(int64)
	if mtp, _ := members[MTPLayers[0]].(int64); mtp > 0 && mtp < all {
		members[Layers[0]] = all - mtp // which config.json does not count
	}
	text, err := json.Marshal(members)
	if err != nil {
		return File{} // not reached: names and finite numbers
	}
	return Parse(GGUFName, text)
}

// A Vocabulary is what a GGUF file says about its tokenizer.
type Vocabulary struct {
	Model    string // such as "gpt2"
	Tokens   int64  // how many there are; 0 if unknown
	Template bool   // the file has a chat template
}

// VocabularyOf returns what the metadata of a GGUF file says about its tokenizer.
func VocabularyOf(metadata map[string]string) (v Vocabulary) {
	v.Model = metadata["tokenizer.ggml.model"]
	if length, _, ok := strings.Cut(strings.TrimPrefix(metadata["tokenizer.ggml.tokens"], "["), " "); ok {
		v.Tokens, _ = strconv.ParseInt(length, 10, 64)
	}
	_, v.Template = metadata["tokenizer.chat_template"]
	return v
}
