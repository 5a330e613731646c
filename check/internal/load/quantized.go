// Quantizations: which of them programs unpack.

package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// judgeQuantized reports quantizations that a program does not unpack.
func judgeQuantized(_ context.Context, r *Repository) {
	for _, m := range r.mains() {
		for _, one := range []struct {
			of loader.Name
			by func(*Model) string
		}{{loader.LlamaCPP, refusedByLlamaCPP}, {loader.MLX, refusedByMLX}, {loader.Ollama, refusedByOllama}} {
			// llama.cpp looks at the method alone, and mlx-lm at these two.
			named := one.of == loader.LlamaCPP && m.Method != "" && m.Method != "mlx" ||
				one.of == loader.MLX && (m.Method == "awq" || m.Method == "gptq")
			if len(m.For(one.of)) == 0 || m.Quant == nil || !named && !m.packed() {
				continue
			}
			if what := one.by(m); what != "" {
				m.Add(Fault{Rule: rule.QuantUnsupported, File: m.File()}, m.For(one.of), "the weights are %s", what)
			}
		}
	}
}

// packed reports whether a tensor has a dtype that no plain weight has.
func (m *Model) packed() bool {
	for _, ti := range m.Tensors() {
		switch bits := ti.Dtype.Bits(); ti.Dtype.Class() {
		case safetensors.ClassSigned, safetensors.ClassUnsigned:
			if len(ti.Shape) > 1 && bits <= 32 {
				return true
			}
		case safetensors.ClassFloat, safetensors.ClassScale:
			if bits < 16 {
				return true
			}
		}
	}
	return false
}

// hasTensor reports whether a set has a tensor whose name ends so.
func (m *Model) hasTensor(suffix string) bool {
	for _, ti := range m.Tensors() {
		if strings.HasSuffix(ti.Name, suffix) {
			return true
		}
	}
	return false
}

// named returns a quantization's name for messages.
func (m *Model) named() string {
	if m.Method == "" {
		return "quantized by a method that the configuration does not name"
	}
	return "quantized by " + wording.Quote(m.Method)
}

// refusedByLlamaCPP returns what the converter of llama.cpp does not unpack, or "".
func refusedByLlamaCPP(m *Model) string {
	class := llamaCPPClass(m.Main.Root)
	switch m.Method {
	case "bitnet", "fp8", "modelopt":
		return ""
	case "mxfp4":
		if class == "GptOssForCausalLM" {
			return ""
		}
	case "gptq":
		bits, _ := m.Quant.First("bits").Int()
		switch {
		case bits != 2 && bits != 4 && bits != 8:
			return fmt.Sprintf("quantized by \"gptq\" to %d bits", bits)
		case m.Complete && !m.hasTensor(".g_idx"):
			return "quantized by \"gptq\", without g_idx"
		}
		return ""
	case "compressed-tensors":
		return refusedGroups(m, class)
	}
	return m.named()
}

// refusedGroups returns what of compressed-tensors the converter of llama.cpp does not unpack, or "".
func refusedGroups(m *Model, class string) string {
	var formats []string
	var weights config.Object
	for _, group := range m.Quant.First("config_groups").Members() {
		format, _ := group.Get("format").Str()
		formats = append(formats, format)
		if weights == nil {
			weights = config.Value{Value: group.Get("weights")}.Object()
		}
	}
	other := func(format string) bool { return format != "nvfp4-pack-quantized" }
	allFour := len(formats) > 0 && !slices.ContainsFunc(formats, other)
	strategy := weights.Text("strategy")
	switch {
	case m.Format == "nvfp4-pack-quantized", m.Format == "mixed-precision" && allFour,
		m.Format == "mxfp4-pack-quantized" && class == "KimiK3ForConditionalGeneration":
		return ""
	case len(formats) > 1:
		return fmt.Sprintf("quantized by \"compressed-tensors\" in %d config_groups", len(formats))
	}
	switch m.Format {
	case "float-quantized", "int-quantized", "naive-quantized":
		if strategy == "channel" || strategy == "block" {
			return ""
		}
	case "pack-quantized":
		if strategy == "group" {
			return ""
		}
	default:
		return fmt.Sprintf("quantized by \"compressed-tensors\" in the format %s", wording.Quote(m.Format))
	}
	return fmt.Sprintf("quantized by \"compressed-tensors\" in the format %s with the strategy %s",
		wording.Quote(m.Format), wording.Quote(strategy))
}

// refusedByMLX returns what mlx-lm does not unpack, or "".
func refusedByMLX(m *Model) string {
	w, known := facts.MLX(m.Main.Root.Text("model_type"))
	if !known || w.Has("vision") {
		return ""
	}
	if own := m.Main.Root.First("quantization").Object(); own != nil {
		for _, name := range []string{"group_size", "bits"} {
			if own.First(name).Kind() == 0 {
				return fmt.Sprintf("described by \"quantization\" in config.json, which has no %s", name)
			}
		}
		return ""
	}
	switch m.Method {
	case "bitnet", "mxfp4", "mxfp8":
		return ""
	case "fp8":
		size := m.Quant.First("weight_block_size").Ints(2)
		if w.Has("fp8") || m.Quant.Text("scale_fmt") == "ue8m0" && slices.Equal(size, []int64{32, 32}) {
			return ""
		}
	case "compressed-tensors":
		if w.Has("packed") && strings.HasSuffix(m.Format, "pack-quantized") {
			return ""
		}
		return fmt.Sprintf("quantized by \"compressed-tensors\" in the format %s", wording.Quote(m.Format))
	case "modelopt":
		if m.Algorithm == "NVFP4" {
			return ""
		}
	case "awq", "gptq":
		bits := int64(4)
		if v := m.Quant.First("bits"); v.Kind() != 0 {
			bits, _ = v.Int()
		}
		switch {
		case bits != 4:
			return fmt.Sprintf("quantized by %s to %d bits", wording.Quote(m.Method), bits)
		case m.hasTensor(".g_idx"):
			return fmt.Sprintf("quantized by %s, with g_idx", wording.Quote(m.Method))
		case m.Complete && !m.hasTensor(".qweight"):
			return fmt.Sprintf("plain, but declared as quantized by %s", wording.Quote(m.Method))
		}
		return ""
	}
	return m.named()
}

// refusedByOllama returns what the converter of ollama does not unpack, or "".
func refusedByOllama(m *Model) string {
	class, _ := firstText(m.Main.Root.First("architectures"))
	switch m.Method {
	case "fp8":
		if len(m.Quant.First("weight_block_size").Ints(2)) == 2 {
			return ""
		}
		return "quantized by \"fp8\", without weight_block_size"
	case "mxfp4":
		if class == "GptOssForCausalLM" {
			return ""
		}
	case "compressed-tensors":
		for _, group := range m.Quant.First("config_groups").Members() {
			size := config.Value{Value: group.Get("weights").Get("block_structure")}.Ints(2)
			if format, _ := group.Get("format").Str(); strings.EqualFold(format, "float-quantized") && len(size) == 2 {
				return ""
			}
		}
		return fmt.Sprintf("quantized by \"compressed-tensors\" in the format %s", wording.Quote(m.Format))
	}
	return m.named()
}
