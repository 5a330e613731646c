// Quantization: what a configuration says about packed weights.

package config

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A Quantization is what the configuration says about packed weights. Zero values mean that it does
// not say.
type Quantization struct {
	Quant Object // the members of quantization_config or its equivalent; nil if there is none

	Method string // quant_method in lower case; "mlx", and "modelopt" if only hf_quant_config.json exists
	Format string // the format of compressed-tensors, in lower case

	Algorithm string // the algorithm of ModelOpt, such as "NVFP4"

	Bits []int64 // widths of values, each once

	// Group is the number of inputs that share a scale; -1 if a whole row does. Tile is the number of
	// rows and columns that share a scale in block-wise FP8. Both are zero if modules differ.
	Group int64
	Tile  []int64

	PerModule bool // some modules have settings of their own, which patterns select

	ExpertBits int64 // width of routed experts, if it differs from the rest

	MLX     Width            // MLX: of modules that have no entry in Modules
	Modules map[string]Width // MLX: modules with a width of their own

	Dense        map[string]Dense // VPTQ: the shapes of modules before they were packed
	Ascend       map[string]int64 // msmodelslim: the widths of weights by name; 0 if not packed
	Beta1, Beta2 int64            // SpQR: rows and columns of tiles
}

// A Dense is the shape of a module before VPTQ packed it, and how it was divided. (transformers: VptqLayerConfig.)
type Dense struct {
	Out, In, Vector   int64 // Vector is the number of outputs in a vector
	Groups, GroupSize int64 // of inputs; 0 if unknown
	IndexBits         int64 // of an index and its residual index; 0 if unknown
}

// readQuantization finds the description of the quantization, and reads it. It is a member of
// config.json, at the top or in the language model's part, or a separate file.
func (c *Config) readQuantization() {
	var mlx []Object
	for _, o := range []Object{c.Main.Root, c.Text} {
		for _, name := range []string{"quantization_config", "compression_config", "quantization"} {
			q := o[name].Object()
			if q == nil {
				continue
			}
			if c.Quant == nil {
				c.Quant = q
			}
			if isMLX(q) {
				mlx = append(mlx, q)
			}
		}
	}
	if c.Quant == nil {
		c.Quant = c.Quantize.Root
	}
	modelOpt := c.ModelOpt.Root["quantization"].Object()
	if c.Quant == nil {
		c.Quant = modelOpt
	}
	c.readMethod(c.Quant)
	c.readExperts(c.Quant)
	c.readAscend()
	if len(mlx) > 0 {
		c.readMLX(mlx[0])
	}
	if c.Method == "" && c.text(modelOpt.First("quant_algo")) != "" {
		c.Method = "modelopt"
	}
}

// readMethod reads the members that any method may have.
func (c *Config) readMethod(q Object) {
	c.Method = strings.ToLower(c.text(q.First("quant_method", "quant_type")))
	c.Format = strings.ToLower(c.text(q.First("format")))
	c.Algorithm = c.text(q.First("quant_algo"))
	c.addBits(c.number(q.First("bits", "w_bit")))
	// HQQ: {"quant_config": {"weight_quant_params": {"nbits": 4}}}; quanto: {"weights": "int4"}.
	hqq := q.First("quant_config").Get("weight_quant_params")
	c.addBits(c.number(Value{"nbits", hqq.Get("nbits")}))
	c.Group, _ = hqq.Get("group_size").Int()
	switch c.Method {
	case "quanto":
		c.addBits(WidthIn(c.text(q.First("weights"))))
	case "quark":
		c.readQuark(q)
	case "vptq":
		c.readDense(q.First("config_for_layers"))
	case "fp8":
		c.Tile = tile(q.First("weight_block_size").Ints(2))
	}
	c.readGroup(q)
	c.Beta1, c.Beta2 = c.number(q.First("beta1")), c.number(q.First("beta2"))
}

// readGroup reads the group size. The patterns that select modules with other settings are not matched, so a
// configuration that has any has no group size.
func (c *Config) readGroup(q Object) {
	groups := q.First("config_groups").Object()
	for _, v := range groups {
		w := v.Get("weights")
		c.addBits(c.number(Value{"num_bits", w.Get("num_bits")}))
		strategy, _ := w.Get("strategy").Str()
		switch n, ok := w.Get("group_size").Int(); {
		case len(groups) > 1: // patterns select them
		case ok:
			c.Group = n
		case strategy == "channel", strategy == "tensor":
			c.Group = -1
		}
	}
	for _, name := range []string{"dynamic", "extra_config"} { // GPTQModel, AutoRound
		for _, v := range q.First(name).Members() {
			c.PerModule = true
			c.addBits(c.number(Value{"bits", v.Get("bits")}))
		}
	}
	slices.Sort(c.Bits)
	if c.PerModule {
		return
	}
	v := q.First("group_size", "q_group_size")
	switch n, ok := v.Int(); {
	case ok:
		c.Group = n
	case string(v.Text()) == "-1":
		c.Group = -1
	}
}

// tile returns the sides of a tile if they are in range, and nil otherwise.
func tile(sides []int64) []int64 {
	const limit = 1 << 31
	if len(sides) != 2 || sides[0] < 1 || sides[1] < 1 || sides[0] >= limit || sides[1] >= limit {
		return nil
	}
	return sides
}

// readDense reads what VPTQ says about each module. The last vector length applies to the values,
// the first one to outliers.
func (c *Config) readDense(v Value) {
	c.Dense = make(map[string]Dense)
	for name, m := range v.Members() {
		o := objectOf(m)
		d := Dense{Out: c.number(o["out_features"]), In: c.number(o["in_features"])}
		for length := range m.Get("vector_lens").Elements() {
			d.Vector = c.number(Value{"vector_lens", length})
		}
		d.Groups, d.GroupSize = c.number(o["group_num"]), c.number(o["group_size"])
		d.IndexBits = indexBits(o["num_centroids"]) + indexBits(o["num_res_centroids"])
		if d.Out > 0 && d.In > 0 && d.Vector > 0 {
			c.Dense[name] = d
		}
	}
}

// indexBits returns the number of bits of an index into the last of VPTQ's codebooks, the one that is not for
// outliers.
func indexBits(v Value) (n int64) {
	for e := range v.Elements() {
		size, _ := e.Int()
		n = int64(bits.Len64(uint64(max(size-1, 0))))
	}
	return n
}

// readQuark reads the dtypes of AMD Quark, for all modules and for groups of modules, which patterns select.
func (c *Config) readQuark(q Object) {
	global := q.First("global_quant_config").Get("weight")
	for e := range global.Elements() { // the values, and then their scales
		global = e
		break
	}
	c.addBits(WidthIn(c.text(Value{"dtype", global.Get("dtype")})))
	for _, name := range []string{"layer_quant_config", "layer_type_quant_config"} {
		for _, v := range q.First(name).Members() {
			c.PerModule = true
			c.addBits(WidthIn(c.text(Value{"dtype", v.Get("weight").Get("dtype")})))
		}
	}
	if n, ok := global.Get("group_size").Int(); ok && !c.PerModule {
		c.Group = n
	}
}

// readAscend reads the description that msmodelslim writes beside the weights: for each tensor, how it is packed, as
// in "W4A8_DYNAMIC". The weights of a quantized model have another dtype than the configuration says, and
// config.json does not mention the quantization.
func (c *Config) readAscend() {
	for name, v := range c.Description.Root {
		kind, ok := v.Str()
		if !ok || !strings.HasSuffix(name, "weight") {
			continue
		}
		if c.Ascend == nil {
			c.Ascend = make(map[string]int64)
		}
		width, _, _ := strings.Cut(strings.TrimPrefix(kind, "W"), "A")
		n, _ := strconv.ParseInt(width, 10, 8)
		c.Ascend[name] = max(n, 0)
	}
	if c.Ascend != nil && c.Method == "" {
		c.Method = "ascend"
	}
}

// readExperts reads the width of routed experts, which some FP8 models store in fewer bits. DeepSeek
// calls it expert_dtype and MiMo store_dtype. The places and their order follow huggingface.js
// 2.17.5, parse-safetensors-metadata.ts.
func (c *Config) readExperts(q Object) {
	const expert, store = "expert_dtype", "store_dtype"
	for _, v := range []Value{q[expert], c.Main.Root[expert], c.Text[expert], q[store]} {
		if word := c.text(v); word != "" {
			c.ExpertBits = WidthIn(word)
			return
		}
	}
}

// addBits adds a width.
func (q *Quantization) addBits(n int64) {
	if n > 0 && n <= 64 && !slices.Contains(q.Bits, n) {
		q.Bits = append(q.Bits, n)
	}
}

// Width returns the width of all packed weights in bits, or 0 if it is unknown or differs.
func (q *Quantization) Width() int64 {
	if len(q.Bits) == 1 {
		return q.Bits[0]
	}
	return 0
}

// LeastBits and MostBits return the smallest and the largest width, or the given default if the
// configuration has none.
//
// Two widths in one configuration are common: groups of modules have their own. Which modules belong
// to a group is a regular expression, and regular expressions from untrusted files are not run.
func (q *Quantization) LeastBits(otherwise int64) int64 {
	if len(q.Bits) == 0 {
		return otherwise
	}
	return max(slices.Min(q.Bits), 1)
}

// MostBits is described with LeastBits.
func (q *Quantization) MostBits(otherwise int64) int64 {
	if len(q.Bits) == 0 {
		return otherwise
	}
	return min(slices.Max(q.Bits), 8)
}

// WidthIn returns the width in bits that the name of a format contains, or 0.
func WidthIn(name string) int64 {
	name = strings.ToLower(name)
	for _, w := range [...]struct {
		word string
		bits int64
	}{{"fp4", 4}, {"nf4", 4}, {"int4", 4}, {"int3", 3}, {"int2", 2}, {"fp6", 6}, {"fp8", 8}, {"float8", 8}, {"int8", 8}} {
		if strings.Contains(name, w.word) {
			return w.bits
		}
	}
	return 0
}
