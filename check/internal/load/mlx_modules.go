// MLX: whether each module is packed in the mode that the configuration gives it.

package load

import (
	"context"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// An mlxModule is what a module has that MLX may have packed.
type mlxModule struct {
	weight, scales, biases *safetensors.TensorInfo
	file                   string
}

// judgeMLXModules reports modules that the configuration describes otherwise than their tensors are.
func judgeMLXModules(_ context.Context, r *Repository) {
	for _, m := range r.mains() {
		if len(m.For(loader.MLX)) == 0 || m.Method != "mlx" || !m.Complete {
			continue
		}
		modules := make(map[string]*mlxModule)
		for file, ti := range m.Tensors() {
			name, leaf, ok := cutLast(ti.Name)
			if !ok || leaf != "weight" && leaf != "scales" && leaf != "biases" {
				continue
			}
			one := modules[name]
			if one == nil {
				one = &mlxModule{file: file}
				modules[name] = one
			}
			switch leaf {
			case "weight":
				one.weight = ti
			case "scales":
				one.scales = ti
			case "biases":
				one.biases = ti
			}
		}
		for file, ti := range m.Tensors() { // in the order of the files
			if name, leaf, _ := cutLast(ti.Name); leaf == "weight" {
				if what := modules[name].contradicts(m.Config, name); what != "" {
					m.Add(Fault{Rule: rule.QuantMode, File: file, Tensor: ti.Name, Span: ti.Entry}, m.For(loader.MLX),
						"the module %s %s", wording.Quote(name), what)
				}
			}
		}
	}
}

// cutLast splits a name at its last dot.
func cutLast(name string) (module, leaf string, ok bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "", name, false
	}
	return name[:dot], name[dot+1:], true
}

// contradicts returns how a module differs from its description, or "".
func (one *mlxModule) contradicts(c *config.Config, name string) string {
	width, own := c.Modules[name]
	switch {
	case own && width.Bits > 0 && one.scales == nil:
		return "has settings of its own in the configuration, and is not packed"
	case own && width.Bits == 0 && one.scales != nil:
		return "is packed, and the configuration says that it is not"
	case one.scales == nil:
		return ""
	}
	if !own {
		width.Mode = "affine" // mlx-lm tells the mode by the scales
		if one.scales.Dtype == safetensors.U8 {
			width.Mode = "another than affine"
		}
	}
	switch affine := width.Mode == "affine"; {
	case !affine && one.biases != nil:
		return "has biases, which the mode " + width.Mode + " does not have"
	case own && affine && one.scales.Dtype == safetensors.U8:
		return "has scales of U8, and the configuration says affine"
	case own && !affine && one.scales.Dtype != safetensors.U8:
		return "has scales of " + string(one.scales.Dtype) + ", and the configuration says " + width.Mode
	}
	return ""
}
