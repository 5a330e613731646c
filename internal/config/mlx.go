// MLX: the width of each module.

package config

import "github.com/weightools/safetensors/internal/jsonscan"

// A Width is how MLX packs a module: the width of a value in bits, and the number of values that
// share a scale. It is zero for a module that is not packed.
type Width struct {
	Bits, Group int64
	Mode        string // "affine" or one of the modes without offsets
}

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
		w = Width{mode.Bits[0], mode.Groups[0], name}
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
