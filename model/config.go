// Configurations: what config.json and hf_quant_config.json say of packing.

package model

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
	method string  // quant_method in lower case; "modelopt" if only hf_quant_config.json is there
	format string  // compressed-tensors: the format, in lower case
	bits   []int64 // widths that weights are said to have

	expertBits int64 // how wide routed experts are, if they differ

	mlx     mlxWidth            // of all modules
	modules map[string]mlxWidth // of modules that have one of their own

	tied            bool // the output layer is the embedding
	experts, active int64
	layers, mtp     int64
	vocab           int64
	sizes           []int64 // of rows and columns of matrices

	comfy map[string]string // ComfyUI: formats of modules, out of the metadata

	dense        map[string]dense // VPTQ: what modules were before they were packed
	beta1, beta2 int64            // SpQR: rows and columns of tiles

	notes *notes
}

// notes are remarks on a model, none of them twice.
type notes struct {
	list  []string
	kinds map[string]*kindOfNote
}

// A kindOfNote is a remark that goes for many modules, of which the first is told.
type kindOfNote struct{ index, more int }

// mostNotes bounds the remarks: a configuration can be wrong a million times.
const mostNotes = 20

func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(n.list) < mostNotes && !slices.Contains(n.list, text) {
		n.list = append(n.list, text)
	}
}

// addOf adds a remark on a module, and only counts it if one of its kind is there.
// Its kind is the format.
func (n *notes) addOf(format string, args ...any) {
	if k := n.kinds[format]; k != nil {
		k.more++
		return
	}
	if n.kinds == nil {
		n.kinds = make(map[string]*kindOfNote)
	}
	n.kinds[format] = &kindOfNote{index: len(n.list)}
	n.add(format, args...)
}

// texts returns the remarks.
func (n *notes) texts() []string {
	list := slices.Clone(n.list)
	for _, k := range n.kinds {
		if k.more > 0 && k.index < len(list) {
			list[k.index] += fmt.Sprintf(" (and %v more modules alike)", wording.Grouped(k.more))
		}
	}
	return list
}

// parseConfigs reads the configurations of a model, either of which may be nil.
func parseConfigs(text, modelopt []byte, n *notes) *config {
	c := &config{notes: n}
	root := c.parse("config.json", text)
	inner := firstObject(root.Pick("text_config", "llm_config", "language_config", "thinker_config"))
	c.model(root, inner)
	outer, within := root.Pick("quantization_config", "quantization"), inner.Pick("quantization_config", "quantization")
	q := firstObject([]jsonscan.Value{outer[0], within[0]})
	c.quantization(q)
	c.expert(root, inner, q)
	for _, m := range []jsonscan.Value{outer[1], within[1], q} {
		if c.mlx.bits == 0 && len(c.modules) == 0 && c.isMLX(m) {
			c.readMLX(m)
		}
	}
	if c.method == "" {
		algo := c.parse("hf_quant_config.json", modelopt).Get("quantization").Get("quant_algo")
		if c.text(algo, "quant_algo") != "" {
			c.method = "modelopt"
		}
	}
	return c
}

// firstObject returns the first of some values that is an object.
func firstObject(list []jsonscan.Value) jsonscan.Value {
	for _, v := range list {
		if v.Kind() == jsonscan.Object {
			return v
		}
	}
	return jsonscan.Value{}
}

// parse returns the object that a text is. What is wrong with it is noted.
func (c *config) parse(name string, text []byte) jsonscan.Value {
	if len(text) == 0 {
		return jsonscan.Value{}
	}
	if len(text) > MaxConfig {
		c.notes.add("%s is not read: it has more than %v bytes", name, wording.Grouped(MaxConfig))
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

// sizesOf are what configurations call the numbers that are wanted of them; where
// there are several names, libraries differ.
var sizesOf = []string{
	"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts",
	"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_k", "top_k_experts",
	"num_hidden_layers", "n_layer", "num_layers",
	"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers",
	"vocab_size", "hidden_size", "n_embd", "d_model", "intermediate_size", "moe_intermediate_size", "shared_expert_intermediate_size",
	"num_attention_heads", "num_key_value_heads", "head_dim",
}

// model reads what the configuration says of the model itself. Of one that sees or
// hears, that is in a part of it.
func (c *config) model(root, inner jsonscan.Value) {
	said := make(map[string]int64)
	for _, v := range []jsonscan.Value{root, inner} { // the inner one wins
		for i, m := range v.Pick(sizesOf...) {
			if n := c.number(m, sizesOf[i]); n > 0 {
				said[sizesOf[i]] = n
			}
		}
	}
	first := func(names ...string) int64 {
		for _, name := range names {
			if n := said[name]; n > 0 {
				return n
			}
		}
		return 0
	}
	c.experts = first("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
	c.active = first("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_k", "top_k_experts")
	c.layers = first("num_hidden_layers", "n_layer", "num_layers")
	c.mtp = first("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
	c.vocab = said["vocab_size"]
	for _, n := range []int64{
		first("hidden_size", "n_embd", "d_model"), said["intermediate_size"], said["moe_intermediate_size"], said["shared_expert_intermediate_size"],
		times(said["num_attention_heads"], said["head_dim"]), times(said["num_key_value_heads"], said["head_dim"]),
	} {
		if n > 0 {
			c.sizes = append(c.sizes, n)
		}
	}
	const name = "tie_word_embeddings"
	c.tied = c.flag(root.Get(name), name) || c.flag(inner.Get(name), name)
}

// quantization reads quantization_config, of whatever method.
func (c *config) quantization(q jsonscan.Value) {
	names := []string{"quant_method", "format", "bits", "weights", "quant_config", "config_groups", "config_for_layers", "beta1", "beta2"}
	m := q.Pick(names...)
	c.method = strings.ToLower(c.text(m[0], names[0]))
	c.format = strings.ToLower(c.text(m[1], names[1]))
	c.addBits(c.number(m[2], names[2]))
	// HQQ: {"quant_config": {"weight_quant_params": {"nbits": 4}}}; quanto: {"weights": "int4"}.
	c.addBits(c.number(m[4].Get("weight_quant_params").Get("nbits"), "nbits"))
	if c.method == "quanto" {
		c.addBits(widthIn(c.text(m[3], names[3])))
	}
	for _, group := range m[5].Members() {
		c.addBits(c.number(group.Get("weights").Get("num_bits"), "num_bits"))
	}
	if c.method == "vptq" {
		c.readDense(m[6])
	}
	c.beta1, c.beta2 = max(c.number(m[7], names[7]), 0), max(c.number(m[8], names[8]), 0)
}

// A dense is a module as it was: how many outputs and inputs it has, and of how many
// outputs a vector is. (transformers: VptqLayerConfig.)
type dense struct{ out, in, vector int64 }

// readDense reads what VPTQ says of each module. Of the two lengths of vectors the
// first is that of outliers.
func (c *config) readDense(v jsonscan.Value) {
	c.dense = make(map[string]dense)
	for name, m := range v.Members() {
		d := dense{out: c.number(m.Get("out_features"), "out_features"), in: c.number(m.Get("in_features"), "in_features")}
		for length := range m.Get("vector_lens").Elements() {
			d.vector = c.number(length, "vector_lens")
		}
		if d.out > 0 && d.in > 0 && d.vector > 0 {
			c.dense[name] = d
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
	const expert, store = "expert_dtype", "store_dtype"
	of := q.Pick(expert, store)
	for _, m := range []jsonscan.Value{of[0], root.Get(expert), inner.Get(expert), of[1]} {
		if word := c.text(m, expert); word != "" {
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
func (c *config) text(m jsonscan.Value, name string) string {
	s, ok := m.Str()
	c.expect(ok, m, name, "a string")
	return s
}

// number returns a member that is a number, 0 if there is none.
func (c *config) number(m jsonscan.Value, name string) int64 {
	n, ok := m.Int()
	// -1 is a group size: that of a whole row.
	c.expect(ok || m.Kind() == jsonscan.Number, m, name, "a number")
	return n
}

// flag returns a member that is true or false.
func (c *config) flag(m jsonscan.Value, name string) bool {
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
