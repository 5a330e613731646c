// Configurations: params.json of Mistral and Meta, and config.json of transformers.

package respell

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

const (
	configName = "config.json"
	paramsName = "params.json"
)

// members are the members of params.json, and of config.json, with one meaning. Sources: mistral_inference 1.6.0,
// args.py; vllm 0.33.0, transformers_utils/configs/mistral.py.
var members = [][2]string{
	{"dim", "hidden_size"}, {"n_layers", "num_hidden_layers"}, {"n_heads", "num_attention_heads"},
	{"n_kv_heads", "num_key_value_heads"}, {"head_dim", "head_dim"}, {"hidden_dim", "intermediate_size"},
	{"vocab_size", "vocab_size"}, {"norm_eps", "rms_norm_eps"}, {"rope_theta", "rope_theta"},
}

// configure adds the configuration of the other form to an output, if it is certain and not there; otherwise a note.
func configure(l *layout, in *edit.Input, out *edit.Output, isOwn bool) {
	from, to := configName, paramsName
	if isOwn {
		from, to = to, from
	}
	if _, err := in.Beside(to); err == nil {
		return // it is copied
	}
	text, err := in.Beside(from)
	if err != nil {
		return // there is nothing to make it of
	}
	var was map[string]any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if d.Decode(&was) != nil {
		return
	}
	counterpart := l.params
	if isOwn {
		counterpart = l.config
	}
	now, reason := counterpart(was, out)
	if reason != "" {
		out.Notes = append(out.Notes, fmt.Sprintf("%s is not written: %s", to, reason))
		return
	}
	made, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return
	}
	out.Texts = map[string][]byte{to: append(made, '\n')}
}

// params returns the members of params.json for those of config.json, or the reason why they are not certain.
func (l *layout) params(config map[string]any, _ *edit.Output) (map[string]any, string) {
	config = maps.Clone(config)
	if rope, ok := config["rope_parameters"].(map[string]any); ok {
		if kind, ok := rope["rope_type"].(string); ok && kind != "default" {
			return nil, fmt.Sprintf("the rotary embeddings are scaled (%q)", kind)
		}
		config["rope_theta"] = rope["rope_theta"]
	}
	if config["rope_scaling"] != nil {
		return nil, "the rotary embeddings are scaled (rope_scaling)"
	}
	if config["num_key_value_heads"] == nil {
		config["num_key_value_heads"] = config["num_attention_heads"]
	}
	if config["head_dim"] == nil {
		config["head_dim"] = quotient(config["hidden_size"], config["num_attention_heads"])
	}
	now := make(map[string]any)
	for _, pair := range members {
		if config[pair[1]] == nil {
			return nil, fmt.Sprintf("config.json lacks %s", pair[1])
		}
		now[pair[0]] = config[pair[1]]
	}
	if config["sliding_window"] != nil {
		now["sliding_window"] = config["sliding_window"]
	}
	if config["tie_word_embeddings"] == true {
		now["tied_embeddings"] = true
	}
	if l.file == "mixtral" {
		if config["num_local_experts"] == nil || config["num_experts_per_tok"] == nil {
			return nil, "config.json lacks num_local_experts or num_experts_per_tok"
		}
		now["moe"] = map[string]any{"num_experts": config["num_local_experts"],
			"num_experts_per_tok": config["num_experts_per_tok"]}
	}
	return now, ""
}

// quotient returns a quotient of whole numbers, or nil.
func quotient(a, b any) any {
	x, okX := a.(json.Number)
	y, okY := b.(json.Number)
	if !okX || !okY {
		return nil
	}
	n, errN := x.Int64()
	d, errD := y.Int64()
	if errN != nil || errD != nil || d <= 0 || n%d != 0 {
		return nil
	}
	return n / d
}

// config returns the members of config.json for those of params.json, or the reason why they are not certain.
func (l *layout) config(params map[string]any, out *edit.Output) (map[string]any, string) {
	for _, scaled := range []string{"use_scaled_rope", "yarn", "rope_scaling", "vision_encoder"} {
		if value := params[scaled]; value != nil && value != false {
			return nil, fmt.Sprintf("params.json has %s, whose counterpart is not certain", scaled)
		}
	}
	now := map[string]any{"hidden_act": "silu", "tie_word_embeddings": params["tied_embeddings"] == true}
	for _, pair := range members {
		now[pair[1]] = params[pair[0]]
	}
	// Meta's params.json says how this size is computed, and has -1 for the vocabulary.
	if up := lookup(out, "model.layers.0.mlp.up_proj.weight"); up != nil {
		now["intermediate_size"] = up.Shape[0]
	}
	if embedding := lookup(out, "model.embed_tokens.weight"); embedding != nil {
		now["vocab_size"] = embedding.Shape[0]
	}
	if now["num_key_value_heads"] == nil {
		now["num_key_value_heads"] = now["num_attention_heads"]
	}
	if now["head_dim"] == nil {
		now["head_dim"] = quotient(now["hidden_size"], now["num_attention_heads"])
	}
	if now["rope_theta"] == nil {
		now["rope_theta"] = json.Number("10000.0") // the default of both programs
	}
	for _, pair := range members {
		if now[pair[1]] == nil {
			return nil, fmt.Sprintf("params.json lacks %s", pair[0])
		}
	}
	now["model_type"], now["architectures"] = "mistral", []string{"MistralForCausalLM"}
	switch moe, isMoE := params["moe"].(map[string]any); {
	case isMoE:
		now["model_type"], now["architectures"] = "mixtral", []string{"MixtralForCausalLM"}
		now["num_local_experts"], now["num_experts_per_tok"] = moe["num_experts"], moe["num_experts_per_tok"]
	case params["multiple_of"] != nil:
		now["model_type"], now["architectures"] = "llama", []string{"LlamaForCausalLM"}
	}
	if now["model_type"] != "llama" {
		now["sliding_window"] = params["sliding_window"]
	}
	return now, ""
}

// lookup returns a tensor of an output with two axes, or nil.
func lookup(out *edit.Output, name string) *safetensors.Tensor {
	for i := range out.Tensors {
		if t := out.Tensors[i].Tensor; t.Name == name && len(t.Shape) == 2 {
			return t
		}
	}
	return nil
}
