// Parameters of steps: numbers of a model's configuration.

package remap

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Params are the parameters of a model. The zero Params has none.
type Params struct {
	own     map[string]int64             // of the map
	objects []map[string]json.RawMessage // the first that has a member counts
	from    string                       // where they are from, for errors
}

// aliases are the members of configurations that a parameter may be.
var aliases = map[string][]string{
	"heads":    {"num_attention_heads", "n_head", "n_heads", "num_heads"},
	"kv_heads": {"num_key_value_heads", "n_kv_heads", "num_kv_heads", "num_query_groups", "multi_query_group_num"},
	"experts":  {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"},
	"layers":   {"num_hidden_layers", "n_layer", "n_layers", "num_layers"},
	"hidden":   {"hidden_size", "n_embd", "dim", "d_model"},
}

// inner are the members of a configuration that have those of a language model in them.
var inner = []string{"text_config", "llm_config", "language_config", "moe"}

// ParamsOf returns the parameters in the text of a config.json or params.json, which is at from.
func ParamsOf(from string, config []byte) Params {
	p := Params{from: from}
	var top map[string]json.RawMessage
	if json.Unmarshal(config, &top) != nil {
		return p
	}
	for _, name := range inner {
		var object map[string]json.RawMessage
		if json.Unmarshal(top[name], &object) == nil && object != nil {
			p.objects = append(p.objects, object)
		}
	}
	p.objects = append(p.objects, top)
	return p
}

// member returns a member that is a whole number.
func (p Params) member(name string) (int64, bool) {
	if n, ok := p.own[name]; ok {
		return n, true
	}
	for _, o := range p.objects {
		if n, err := strconv.ParseInt(string(o[name]), 10, 40); err == nil {
			return n, true
		}
	}
	return 0, false
}

// Value returns a parameter: a member of the configuration, or heads, kv_heads, head_dim, experts, layers or hidden.
func (p Params) Value(name string) (int64, bool) {
	if n, ok := p.member(name); ok {
		return n, true
	}
	for _, alias := range aliases[name] {
		if n, ok := p.member(alias); ok {
			return n, true
		}
	}
	switch name {
	case "q":
		return p.Value("heads")
	case "k", "v":
		return p.Value("kv_heads")
	case "kv_heads":
		return p.Value("heads") // each head has keys and values of its own
	case "head_dim":
		hidden, ok := p.Value("hidden")
		if heads, also := p.Value("heads"); ok && also && heads > 0 && hidden%heads == 0 {
			return hidden / heads, true
		}
	}
	return 0, false
}

// value returns the value of an argument: a number, or a parameter of the map or the model.
func (m *Map) value(arg string, p Params) (int64, error) {
	if n, err := strconv.ParseInt(arg, 10, 40); err == nil {
		return n, nil
	}
	p.own = m.params
	if n, ok := p.Value(arg); ok {
		return n, nil
	}
	if p.from == "" {
		return 0, fmt.Errorf("the value of %s is not known: there is no config.json beside the weights", arg)
	}
	return 0, fmt.Errorf("the value of %s is not known: %s does not have it", arg, p.from)
}
