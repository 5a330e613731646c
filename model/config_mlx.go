// MLX: widths of modules, which its configurations list one by one.

package model

import (
	"github.com/weightools/safetensors/internal/jsonscan"
)

// An mlxWidth is how MLX packs a module: the width of a value in bits, and how many
// values share a scale. It is zero for a module that is not packed.
type mlxWidth struct{ bits, group int64 }

// mlxModes are the defaults of MLX's ways to pack, and the widths and groups that
// each has. (mlx.core.quantize, ml-explore.github.io/mlx, "Quantization modes".)
var mlxModes = map[string]struct {
	byDefault    mlxWidth
	bits, groups []int64
}{
	"affine": {mlxWidth{4, 64}, []int64{2, 3, 4, 5, 6, 8}, []int64{32, 64, 128}},
	"mxfp4":  {mlxWidth{4, 32}, []int64{4}, []int64{32}},
	"nvfp4":  {mlxWidth{4, 16}, []int64{4}, []int64{16}},
	"mxfp8":  {mlxWidth{8, 32}, []int64{8}, []int64{32}},
}

// isMLX says whether an object is a configuration of MLX, which has no
// quant_method as those of transformers have.
func (c *config) isMLX(v jsonscan.Value) bool {
	if v.Kind() != jsonscan.Object {
		return false
	}
	m := v.Pick("quant_method", "group_size")
	method, ok := m[0].Str()
	return (!ok || method == "mlx") && m[1].Kind() == jsonscan.Number
}

// readMLX reads a configuration of MLX. A member for a module is an object with the
// module's own width, or false if the module is not packed.
func (c *config) readMLX(v jsonscan.Value) {
	c.method = "mlx"
	c.mlx = mlxWidthOf(v)
	c.modules = make(map[string]mlxWidth)
	for name, m := range v.Members() {
		switch m.Kind() {
		case jsonscan.Object:
			c.modules[name] = mlxWidthOf(m)
		case jsonscan.False:
			c.modules[name] = mlxWidth{}
		}
	}
}

// mlxWidthOf returns the width that an object has, with the defaults of its mode.
func mlxWidthOf(v jsonscan.Value) mlxWidth {
	m := v.Pick("mode", "bits", "group_size")
	name, ok := m[0].Str()
	if !ok {
		name = "affine"
	}
	w := mlxModes[name].byDefault
	if n, ok := m[1].Int(); ok {
		w.bits = n
	}
	if n, ok := m[2].Int(); ok {
		w.group = n
	}
	return w
}

// mlxOf returns the width that a module is said to have.
func (c *config) mlxOf(module string) (w mlxWidth, said bool) {
	if w, ok := c.modules[module]; ok {
		return w, true
	}
	return c.mlx, c.mlx.bits > 0
}
