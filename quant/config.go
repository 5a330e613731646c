// Configurations: what config.json and hf_quant_config.json say of packing.

package quant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// MaxConfig is the size in bytes up to which a configuration is read. It is that of
// hf.js; those that list every module of a large model take some megabytes.
const MaxConfig = 10_000_000

// A config is what the configuration says. What it does not say is zero.
type config struct {
	method string // quant_method in lower case; "modelopt" if only hf_quant_config.json is there
	algo   string // ModelOpt: quant_algo in upper case
	format string // compressed-tensors: the format; GPTQ: checkpoint_format
	bits   []int64
	group  int64

	load4bit   bool
	expertBits int64 // how wide routed experts are, if they differ

	mlx     mlxWidth            // of all modules
	modules map[string]mlxWidth // of modules that have one of their own

	tied            bool // the output layer is the embedding
	experts, active int64
	layers, mtp     int64
	vocab           int64
	sizes           []int64 // of rows and columns of matrices

	comfy map[string]string // ComfyUI: formats of modules, out of the metadata

	notes *notes
}

// notes are remarks on a model, none of them twice.
type notes struct{ list []string }

// mostNotes bounds the remarks: a configuration can be wrong a million times.
const mostNotes = 20

func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(n.list) < mostNotes && !slices.Contains(n.list, text) {
		n.list = append(n.list, text)
	}
}

// parseConfigs reads the configurations of a model, either of which may be nil.
func parseConfigs(text, modelopt []byte, n *notes) *config {
	c := &config{notes: n}
	root := c.parse("config.json", text)
	inner := root.Get("text_config")
	for _, name := range []string{"llm_config", "language_config", "thinker_config"} {
		if inner.Kind() != jsonscan.Object {
			inner = root.Get(name)
		}
	}
	c.model(root, inner)
	q := root.Get("quantization_config")
	if q.Kind() != jsonscan.Object {
		q = inner.Get("quantization_config")
	}
	c.quantization(q)
	c.expert(root, inner, q)
	for _, m := range []jsonscan.Value{root.Get("quantization"), inner.Get("quantization"), q} {
		if c.mlx.bits == 0 && len(c.modules) == 0 && c.isMLX(m) {
			c.readMLX(m)
		}
	}
	if c.method == "" {
		m := c.parse("hf_quant_config.json", modelopt).Get("quantization")
		if c.algo = strings.ToUpper(c.text(m, "quant_algo")); c.algo != "" {
			c.method = "modelopt"
			c.group = c.number(m, "group_size")
		}
	}
	return c
}

// parse returns the object that a text is. What is wrong with it is noted.
func (c *config) parse(name string, text []byte) jsonscan.Value {
	if len(text) == 0 {
		return jsonscan.Value{}
	}
	if len(text) > MaxConfig {
		c.notes.add("%s is not read: it has %v bytes, more than %v", name, wording.Grouped(len(text)), wording.Grouped(MaxConfig))
		return jsonscan.Value{}
	}
	v, err := jsonscan.Parse(jsonscan.WithoutNaN(text))
	if err == nil && v.Kind() != jsonscan.Object {
		err = fmt.Errorf("expected an object, found %v", v.Kind())
	}
	if err != nil {
		c.notes.add("%s is not read: %v", name, err)
		return jsonscan.Value{}
	}
	return v
}

// model reads what the configuration says of the model itself. Of one that sees or
// hears, that is in a part of it.
func (c *config) model(root, inner jsonscan.Value) {
	first := func(names ...string) int64 {
		for _, v := range []jsonscan.Value{inner, root} {
			for _, name := range names {
				if n := c.number(v, name); n > 0 {
					return n
				}
			}
		}
		return 0
	}
	c.experts = first("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
	c.active = first("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_k", "top_k_experts")
	c.layers = first("num_hidden_layers", "n_layer", "num_layers")
	c.mtp = first("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
	c.vocab = first("vocab_size")
	heads := first("head_dim")
	for _, n := range []int64{
		first("hidden_size", "n_embd", "d_model"), first("intermediate_size"), first("moe_intermediate_size"),
		first("shared_expert_intermediate_size"), times(first("num_attention_heads"), heads), times(first("num_key_value_heads"), heads),
	} {
		if n > 0 {
			c.sizes = append(c.sizes, n)
		}
	}
	c.tied = c.flag(root, "tie_word_embeddings") || c.flag(inner, "tie_word_embeddings")
}

// quantization reads quantization_config, of whatever method.
func (c *config) quantization(q jsonscan.Value) {
	c.method = strings.ToLower(c.text(q, "quant_method"))
	c.algo = strings.ToUpper(c.text(q, "quant_algo"))
	c.format = strings.ToLower(c.text(q, "format"))
	if c.format == "" {
		c.format = strings.ToLower(c.text(q, "checkpoint_format"))
	}
	c.load4bit = c.flag(q, "load_in_4bit") || c.flag(q, "_load_in_4bit")
	c.group = c.number(q, "group_size")
	c.addBits(c.number(q, "bits"))
	// HQQ: {"quant_config": {"weight_quant_params": {"nbits": 4}}}; quanto: {"weights": "int4"}.
	c.addBits(c.number(q.Get("quant_config").Get("weight_quant_params"), "nbits"))
	if c.method == "quanto" {
		c.addBits(widthIn(c.text(q, "weights")))
	}
	for _, group := range q.Get("config_groups").Members() {
		c.addBits(c.number(group.Get("weights"), "num_bits"))
		if g := c.number(group.Get("weights"), "group_size"); c.group == 0 {
			c.group = g
		}
	}
}

// addBits takes note of a width that weights are said to have.
func (c *config) addBits(n int64) {
	if n > 0 && n <= 64 && !slices.Contains(c.bits, n) {
		c.bits = append(c.bits, n)
	}
}

// width returns the width that all packed weights are said to have, or 0.
func (c *config) width() int64 {
	if len(c.bits) == 1 {
		return c.bits[0]
	}
	return 0
}

// expert reads how wide routed experts are, where fp8 models have narrower ones.
// DeepSeek calls it expert_dtype, and MiMo store_dtype; the places and their order
// are those of huggingface.js 2.17.5, parse-safetensors-metadata.ts.
func (c *config) expert(root, inner, q jsonscan.Value) {
	for _, in := range []struct {
		v    jsonscan.Value
		name string
	}{{q, "expert_dtype"}, {root, "expert_dtype"}, {inner, "expert_dtype"}, {q, "store_dtype"}} {
		if word := c.text(in.v, in.name); word != "" {
			c.expertBits = widthIn(word)
			return
		}
	}
}

// widthIn returns the width in bits that the name of a format has in it, or 0.
func widthIn(name string) int64 {
	name = strings.ToLower(name)
	for _, w := range [...]struct {
		word string
		bits int64
	}{{"fp4", 4}, {"nf4", 4}, {"int4", 4}, {"int2", 2}, {"fp8", 8}, {"float8", 8}, {"int8", 8}} {
		if strings.Contains(name, w.word) {
			return w.bits
		}
	}
	return 0
}

// text returns a member that is a string. One of another type is noted.
func (c *config) text(v jsonscan.Value, name string) string {
	m := v.Get(name)
	s, ok := m.Str()
	c.expect(ok, m, name, "a string")
	return s
}

// number returns a member that is a number, 0 if there is none.
func (c *config) number(v jsonscan.Value, name string) int64 {
	m := v.Get(name)
	n, ok := m.Int()
	// -1 is a group size: that of a whole row.
	c.expect(ok || m.Kind() == jsonscan.Number, m, name, "a number")
	return n
}

// flag returns a member that is true or false.
func (c *config) flag(v jsonscan.Value, name string) bool {
	m := v.Get(name)
	b, ok := m.Bool()
	c.expect(ok, m, name, "true or false")
	return b
}

// expect notes a member that is not what it should be. null is as good as nothing.
func (c *config) expect(ok bool, m jsonscan.Value, name, due string) {
	if k := m.Kind(); !ok && k != 0 && k != jsonscan.Null {
		c.notes.add("config: %s is %v, where %s is due", name, k, due)
	}
}
