// Quantization: what a configuration says about packed weights.

package config

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// A Quantization is what the configuration says about packed weights. Zero values mean that it does
// not say.
type Quantization struct {
	Quant Object // the members of quantization_config or its equivalent; nil if there is none

	Method string  // quant_method in lower case; "mlx", and "modelopt" if only hf_quant_config.json exists
	Format string  // the format of compressed-tensors, in lower case
	Bits   []int64 // widths of values, each once

	// Group is the number of inputs that share a scale; -1 if a whole row does. Tile is the number of
	// rows and columns that share a scale in block-wise FP8. Both are zero if modules differ.
	Group int64
	Tile  []int64

	PerModule bool // some modules have settings of their own, which patterns select

	ExpertBits int64 // width of routed experts, if it differs from the rest

	MLX     Width            // MLX: of modules that have no entry in Modules
	Modules map[string]Width // MLX: modules with a width of their own

	Dense        map[string]Dense // VPTQ: the shapes of modules before they were packed
	Beta1, Beta2 int64            // SpQR: rows and columns of tiles
}

// A Dense is the shape of a module before VPTQ packed it, and the number of outputs in a vector.
// (transformers: VptqLayerConfig.)
type Dense struct{ Out, In, Vector int64 }

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
	c.addBits(c.number(q.First("bits", "w_bit")))
	// HQQ: {"quant_config": {"weight_quant_params": {"nbits": 4}}}; quanto: {"weights": "int4"}.
	c.addBits(c.number(Value{"nbits", q.First("quant_config").Get("weight_quant_params").Get("nbits")}))
	switch c.Method {
	case "quanto":
		c.addBits(WidthIn(c.text(q.First("weights"))))
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
		if strategy, _ := w.Get("strategy").Str(); strategy == "group" && len(groups) == 1 {
			c.Group = c.number(Value{"group_size", w.Get("group_size")})
		}
	}
	slices.Sort(c.Bits)
	if c.PerModule = len(q.First("dynamic").Object()) > 0 || len(q.First("extra_config").Object()) > 0; c.PerModule {
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
		if d.Out > 0 && d.In > 0 && d.Vector > 0 {
			c.Dense[name] = d
		}
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
	}{{"fp4", 4}, {"nf4", 4}, {"int4", 4}, {"int2", 2}, {"fp8", 8}, {"float8", 8}, {"int8", 8}} {
		if strings.Contains(name, w.word) {
			return w.bits
		}
	}
	return 0
}

// A Width is how MLX packs a module: the width of a value in bits, and the number of values that
// share a scale. It is zero for a module that is not packed.
type Width struct{ Bits, Group int64 }

// An MLXMode lists the widths and group sizes of one of MLX's modes, the defaults first.
type MLXMode struct{ Bits, Groups []int64 }

// MLXModes are MLX's modes by name. (mlx.core.quantize, "Quantization modes".)
var MLXModes = map[string]MLXMode{
	"affine": {[]int64{4, 2, 3, 5, 6, 8}, []int64{64, 32, 128}},
	"mxfp4":  {[]int64{4}, []int64{32}},
	"nvfp4":  {[]int64{4}, []int64{16}},
	"mxfp8":  {[]int64{8}, []int64{32}},
}

// isMLX reports whether o describes MLX's quantization, which has no quant_method.
func isMLX(o Object) bool {
	method, ok := o["quant_method"].Str()
	return (!ok || method == "mlx") && o["group_size"].Kind() == jsonscan.Number
}

// readMLX reads a description of MLX's quantization. The member for a module is an object with the
// module's own width, or false if the module is not packed.
func (c *Config) readMLX(o Object) {
	c.Method, c.MLX = "mlx", mlxWidth(o)
	c.Modules = make(map[string]Width)
	for name, m := range o {
		switch m.Kind() {
		case jsonscan.Object:
			c.Modules[name] = mlxWidth(m.Object())
		case jsonscan.False:
			c.Modules[name] = Width{}
		}
	}
}

// mlxWidth returns the width that o has, with the defaults of its mode.
func mlxWidth(o Object) (w Width) {
	name, ok := o["mode"].Str()
	if !ok {
		name = "affine"
	}
	if mode, ok := MLXModes[name]; ok {
		w = Width{mode.Bits[0], mode.Groups[0]}
	}
	if n, ok := o["bits"].Int(); ok {
		w.Bits = n
	}
	if n, ok := o["group_size"].Int(); ok {
		w.Group = n
	}
	return w
}

// MLXWidth returns the width of a module, and whether the configuration says it.
func (q *Quantization) MLXWidth(module string) (w Width, ok bool) {
	if w, ok := q.Modules[module]; ok {
		return w, true
	}
	return q.MLX, q.MLX.Bits > 0
}
