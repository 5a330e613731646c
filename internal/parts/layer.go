// Layers: the numbers in names.

package parts

import (
	"slices"
	"strings"
)

// Layer splits the name of a tensor at its first element that is a number: "model.layers.3.mlp.weight"
// into "model.layers", 3 and "mlp.weight". A number at the beginning counts only if it is the only one. The
// number is -1 if there is none of up to nine digits.
func Layer(name string) (stack string, number int, rest string) {
	number = -1
	for begin := 0; begin < len(name); {
		end := begin
		for end < len(name) && name[end] != '.' {
			end++
		}
		if n, ok := digits(name[begin:end]); ok {
			stack, number, rest = name[:max(begin-1, 0)], n, name[min(end+1, len(name)):]
			if begin > 0 {
				break
			}
		}
		begin = end + 1
	}
	return stack, number, rest
}

// Expert returns the number after "experts." in a name without its stack and layer: 37 in
// "mlp.experts.37.down_proj.weight".
func Expert(rest string) (n int, ok bool) {
	const mark = "experts."
	at := strings.Index(rest, mark)
	if at < 0 || at > 0 && rest[at-1] != '.' {
		return 0, false
	}
	number, _, ok := strings.Cut(rest[at+len(mark):], ".")
	if !ok {
		return 0, false
	}
	return digits(number)
}

// digits returns the number that an element of a name is. It has at most nine digits.
func digits(s string) (int, bool) {
	if s == "" || len(s) > 9 || s[0]-'0' > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

var (
	embeddings = []string{"embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in", "token_embd"}
	heads      = []string{"lm_head", "embed_out"}
)

// IsEmbedding reports whether a module embeds tokens, by the last word of its name.
func IsEmbedding(module string) bool { return slices.Contains(embeddings, Last(module)) }

// IsHead reports whether a module is the output layer of a language model, by the last word of its
// name.
func IsHead(module string) bool { return slices.Contains(heads, Last(module)) }

// readers are modules whose inputs are the hidden channels, by the last words of their names.
var readers = []string{
	"q_proj", "k_proj", "v_proj", "qkv_proj", "gate_proj", "up_proj", "gate_up_proj", "query_key_value", "wq", "wk", "wv",
	"w1", "w3", "c_attn", "c_fc", "Wqkv", "in_proj", "q_a_proj", "kv_a_proj_with_mqa", "fc1",
}

// ReadsHidden reports whether the inputs of a module are the hidden channels, by the last word of its name.
func ReadsHidden(module string) bool {
	return IsEmbedding(module) || IsHead(module) || slices.Contains(readers, Last(module))
}

// writers are modules whose outputs are the hidden channels, by the last words of their names.
var writers = []string{"o_proj", "out_proj", "down_proj", "wo", "w2", "c_proj", "fc2", "dense", "dense_4h_to_h"}

// WritesHidden reports whether the outputs of a module are the hidden channels, by the last word of its name.
func WritesHidden(module string) bool { return slices.Contains(writers, Last(module)) }

// norms are the norms of hidden channels, by the last words of their names.
var norms = []string{
	"norm", "input_layernorm", "post_attention_layernorm", "ln_f", "ln_1", "ln_2", "final_layernorm", "attention_norm",
	"ffn_norm", "norm_f", "final_layer_norm", "pre_feedforward_layernorm",
}

// IsNorm reports whether a module is a norm of the hidden channels, by the last word of its name.
func IsNorm(module string) bool { return slices.Contains(norms, Last(module)) }
