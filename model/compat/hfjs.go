// hf.js: the rules of @huggingface/hub, parse-safetensors-metadata.ts.

package compat

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model"
)

// hfjsVersion is the version of @huggingface/hub whose rules are used. A test compares the results with the numbers of
// that version.
const hfjsVersion = "2.17.5"

// A hfjs counts like the Hub's pages. All its numbers are doubles, so sums above 2^53 are rounded.
type hfjs struct {
	*model.Model
	config hfjsConfig
	mlx    map[string]bool // modules packed by MLX
}

func newHFJS(m *model.Model) counter {
	h := &hfjs{Model: m, config: readHFJSConfig(m.Config)}
	if h.config.method == "mlx" {
		h.findMLX()
	}
	return h
}

// mostComparisons bounds how often names are compared with patterns. hf.js has no such bound.
const mostComparisons = 100_000_000

// refuses returns the error of parseSingleFile and validateTensorEntry.
func (h *hfjs) refuses() string {
	if why := refusesHeaders(h.Files); why != "" {
		return why
	}
	patterns := len(h.config.ignore) + len(h.config.unconverted) + len(h.config.groups)
	for i := range h.config.groups {
		patterns += len(h.config.groups[i].targets)
	}
	const most = 1 << 32
	tensors := 0
	for ti := range h.tensors() {
		tensors++
		for _, d := range ti.Shape {
			if uint64(d) > most {
				return fmt.Sprintf("a tensor has a dimension of %d, more than 4294967296", uint64(d))
			}
		}
	}
	if float64(patterns)*float64(tensors) > mostComparisons {
		return fmt.Sprintf("the configuration names %d modules, which is too many to compare %d tensors with", patterns,
			tensors)
	}
	return ""
}

// tensors yields the tensors of all files.
func (h *hfjs) tensors() iter.Seq[*safetensors.TensorInfo] {
	return func(yield func(*safetensors.TensorInfo) bool) {
		for _, f := range h.Files {
			for i := range f.Header.Tensors {
				if !yield(&f.Header.Tensors[i]) {
					return
				}
			}
		}
	}
}

// params is computeNumOfParamsByDtypeForHeader for one tensor.
func (h *hfjs) params(ti *safetensors.TensorInfo, _ *model.TensorCount) float64 {
	if h.skips(ti) || len(ti.Shape) == 0 {
		return 0
	}
	n := 1.0
	for _, d := range ti.Shape {
		n *= float64(uint64(d))
	}
	if math.IsInf(n, 0) {
		return 0
	}
	return math.Floor(n*h.factor(ti) + 0.5) // Math.round
}

// moduleOf returns the part of a name before its last dot, or all of a name without dots.
func moduleOf(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i]
	}
	return name
}

// hfjsExtras are QUANTIZATION_AUXILIARY_SUFFIXES.
var hfjsExtras = []string{
	"weight_scale", "weight_scale_inv", "weight_scale_2", "weight_global_scale", "weight_zero_point", "input_scale",
	"input_global_scale", "input_zero_point", "zero_point", "weight_shape", "weight_g_idx",
}

// skips is shouldSkipTensor. Suffixes are whole words after the last dot: "experts.down_proj_scales" is only
// caught by the case of mxfp4, and "k_scale" by none. Without a configuration, only scale dtypes are skipped.
func (h *hfjs) skips(ti *safetensors.TensorInfo) bool {
	switch ti.Dtype {
	case "F8_E8M0", "E8M0", "UE8":
		return true
	}
	if !h.config.present {
		return false
	}
	name, leaf := ti.Name, parts.Last(ti.Name)
	if slices.Contains(hfjsExtras, leaf) {
		return true
	}
	switch h.config.method {
	case "mlx":
		if h.packed(name) {
			w, _ := h.config.mlxOf(name)
			return leaf == "scales" || leaf == "biases" && w.mode == "affine"
		}
	case "mxfp4":
		return ti.Dtype == "U8" && strings.HasSuffix(leaf, "_scales")
	case "bitsandbytes":
		return slices.Contains([]string{"absmax", "quant_map", "nested_absmax", "nested_quant_map"}, leaf) ||
			strings.HasPrefix(leaf, "bitsandbytes__")
	case "gptq", "awq":
		return h.packed(name) && slices.Contains([]string{"qzeros", "g_idx", "scales"}, leaf)
	}
	return false
}

// packed is isQuantizedTensor. It looks for modules_to_not_convert anywhere in the name of the tensor, but compares
// ignore with the name of the module.
func (h *hfjs) packed(name string) bool {
	if !h.config.present {
		return false
	}
	if h.config.method == "mlx" {
		_, ok := h.config.mlxOf(name)
		return ok && h.mlx[moduleOf(name)]
	}
	module := name
	if i := strings.LastIndex(name, ".weight"); i >= 0 {
		module = name[:i]
	}
	if slices.ContainsFunc(h.config.ignore, func(target string) bool { return matchesTarget(target, module) }) {
		return false
	}
	return !slices.ContainsFunc(h.config.unconverted, func(pattern string) bool {
		if strings.Contains(pattern, "*") {
			return globMatch(pattern, name)
		}
		return strings.Contains(name, pattern)
	})
}

// findMLX is getMlxQuantizedModules: modules with a U32 weight, scales, and biases if the mode has them.
func (h *hfjs) findMLX() {
	has := make(map[string]int) // 1 a weight, 2 scales, 4 biases
	for ti := range h.tensors() {
		switch leaf := parts.Last(ti.Name); {
		case leaf == "weight" && ti.Dtype == "U32":
			has[moduleOf(ti.Name)] |= 1
		case leaf == "scales":
			has[moduleOf(ti.Name)] |= 2
		case leaf == "biases":
			has[moduleOf(ti.Name)] |= 4
		}
	}
	h.mlx = make(map[string]bool)
	for module, members := range has {
		w, ok := h.config.mlxOf(module + ".weight")
		h.mlx[module] = ok && members&3 == 3 && (w.mode != "affine" || members&4 != 0)
	}
}

// hfjsContainers are INTEGER_CONTAINER_BITS.
var hfjsContainers = map[string]float64{"U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32}

// fill is packingFactor: a ratio, which is not rounded down as for GPTQ.
func fill(dtype string, bits float64) float64 {
	width := hfjsContainers[dtype]
	if width == 0 || !(bits > 0) || bits >= width {
		return 1
	}
	return width / bits
}

// factor is getQuantizationMultiplier. Methods without a case, such as auto-round, modelopt or hqq, are counted by
// its last lines: twice for U8 if bits is 4.
func (h *hfjs) factor(ti *safetensors.TensorInfo) float64 {
	name, dtype, c := ti.Name, string(ti.Dtype), &h.config
	if !h.packed(name) {
		return 1
	}
	switch c.method {
	case "mlx":
		if w, ok := c.mlxOf(name); ok && dtype == "U32" && parts.Last(name) == "weight" {
			return fill(dtype, w.bits)
		}
		return 1
	case "mxfp4":
		if dtype == "U8" && strings.Contains(name, "_blocks") {
			return 2
		}
		return 1
	case "gptq", "awq":
		switch {
		case parts.Last(name) == "qweight" && c.bits > 0:
			return max(1, math.Floor(32/c.bits))
		case parts.Last(name) == "qweight":
			return 8
		case dtype == "U8" && (c.bits == 4 || c.bits == 2):
			return 8 / c.bits
		}
		return 1
	case "compressed-tensors":
		return c.compressed(name, dtype)
	case "fp8":
		if strings.Contains(name, ".experts.") && !strings.Contains(name, "shared_experts") {
			return fill(dtype, c.expertBits)
		}
		return 1
	case "bitsandbytes":
		if c.load4bit && dtype == "U8" {
			return 2
		}
		return 1
	}
	if dtype == "U8" && (c.load4bit || c.bits == 4) {
		return 2
	}
	return 1
}

// compressed is the case of compressed-tensors in getQuantizationMultiplier. Groups that name classes, such as
// "Linear", do not match any name, and then the first width applies to all.
func (c *hfjsConfig) compressed(name, dtype string) float64 {
	if hfjsContainers[dtype] == 0 {
		return 1
	}
	module := name
	if i := strings.LastIndex(name, ".weight"); i >= 0 {
		module = name[:i]
	}
	format, bits := c.format, 0.0
	for i := range c.groups {
		g := &c.groups[i]
		if slices.ContainsFunc(g.targets, func(target string) bool { return matchesTarget(target, module) }) {
			if g.format != "" {
				format = g.format
			}
			bits = g.bits
			break
		}
	}
	if format = strings.ToLower(format); !strings.HasSuffix(format, "pack-quantized") {
		return 1
	}
	for i := range c.groups {
		if bits == 0 {
			bits = c.groups[i].bits
		}
	}
	if bits == 0 {
		bits = narrow(format)
	}
	if bits == 0 {
		bits = 4
	}
	return fill(dtype, bits)
}
