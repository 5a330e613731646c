// Quantization: the methods and settings that programs support, and where they read them.

package load

import (
	"context"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// methods are the values of quant_method that each program loads from a checkpoint, in lower case.
//
//   - transformers 5.24.0: quantizers/auto.py, AUTO_QUANTIZATION_CONFIG_MAPPING
//   - vLLM 0.33.0: model_executor/layers/quantization/__init__.py, QuantizationMethods without
//     DEPRECATED_QUANTIZATION_METHODS, and inc/inc.py
//   - SGLang 0.5.10.post1: srt/layers/quantization/__init__.py, QUANTIZATION_METHODS
var methods = map[loader.Name][]string{
	loader.Transformers: {
		"awq", "bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit", "gptq", "aqlm", "quanto", "quark", "fouroversix",
		"fp_quant", "eetq", "higgs", "hqq", "compressed-tensors", "fbgemm_fp8", "torchao", "bitnet", "vptq", "spqr", "fp8",
		"gguf", "nvfp4", "mxfp8", "auto-round", "mxfp4", "metal", "sinq", "gemma",
	},
	loader.VLLM: {
		"awq", "auto_awq", "fp8", "modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed", "auto_gptq", "gptq",
		"gptq_marlin", "awq_marlin", "humming", "compressed-tensors", "compressed_tensors", "experts_int8", "quark",
		"moe_wna16", "torchao", "inc", "mxfp4", "gpt_oss_mxfp4", "deepseek_v4_fp8", "mxfp8", "auto-round",
	},
	loader.SGLang: {
		"fp8", "mxfp8", "blockwise_int8", "modelopt", "modelopt_fp8", "modelopt_fp4", "modelopt_mixed", "w8a8_int8",
		"w8a8_fp8", "awq", "awq_marlin", "bitsandbytes", "gguf", "gptq", "gptq_marlin", "moe_wna16", "compressed-tensors",
		"compressed_tensors", "qoq", "w4afp8", "petit_nvfp4", "fbgemm_fp8", "quark", "auto-round", "modelslim",
		"quark_int4fp8_moe", "mxfp4",
	},
}

// judgeQuantization reports methods and settings that a program does not support, and descriptions that it does not
// read.
func judgeQuantization(_ context.Context, m *Model) {
	if m.Adapter || !m.Described || m.Quant == nil || m.Main.Root.First("_class_name").Kind() != 0 {
		return
	}
	v := m.Main.Root.First("quantization_config", "compression_config")
	if v.Kind() == 0 {
		v = m.Text.First("quantization_config", "compression_config")
	}
	if v.Kind() == 0 {
		if m.isPacked() {
			m.judgePlace()
		}
		return
	}
	at := Fault{Rule: rule.QuantMethod, File: m.ConfigPath, Span: rule.SpanOf(v)}
	method, _ := v.Get("quant_method").Str()
	method = strings.ToLower(method)
	loads := func(name loader.Name) bool { return slices.Contains(methods[name], method) }
	if unknown := slices.DeleteFunc(slices.Clone(m.For(python...)), loads); method != "" {
		m.Add(at, unknown, "quant_method in %s is %s", m.quoted(), wording.Quote(method))
	}
	loaded := func(name string) bool { is, _ := m.Quant.First(name).Bool(); return is }
	_, modelOpt := v.Get("quant_algo").Str()
	_, nested := v.Get("quantization").Get("quant_algo").Str()
	if method == "" && !loaded("load_in_8bit") && !loaded("load_in_4bit") {
		names := python
		if modelOpt || nested {
			names = []loader.Name{loader.Transformers} // others know it by quant_algo
		}
		m.Add(at, m.For(names...), "%s in %s has no quant_method", v.Name, m.quoted())
	}
	m.judgeSettings(method, v)
}

// isPacked reports whether a tensor has a name or a dtype that only packed weights have.
func (m *Model) isPacked() bool {
	for _, ti := range m.Tensors() {
		if slices.Contains(leaves, ti.Name[strings.LastIndexByte(ti.Name, '.')+1:]) {
			return true
		}
	}
	return false
}

// judgePlace reports a description of the quantization outside of config.json.
func (m *Model) judgePlace() {
	at, names := Fault{Rule: rule.QuantPlace, File: m.ConfigPath}, python
	file := m.Quantize.Name
	switch {
	case m.Quantize.Root != nil:
	case m.ModelOpt.Root != nil:
		file, names = m.ModelOpt.Name, []loader.Name{loader.Transformers}
	case m.Main.Root.First("quantization").Kind() != 0:
		file = "its member quantization"
		m.Add(at, m.For(names...), "%s has no quantization_config; %s describes the quantization", m.quoted(), file)
		return
	default:
		return
	}
	m.Add(at, m.For(names...), "%s has no quantization_config; %s describes the quantization", m.quoted(),
		wording.Quote(file))
}

// judgeSettings reports settings of GPTQ and AWQ that vLLM and SGLang refuse. They need all that are listed.
func (m *Model) judgeSettings(method string, v config.Value) {
	at := Fault{Rule: rule.QuantSetting, File: m.ConfigPath, Span: rule.SpanOf(v)}
	q := m.Quant
	var needed [][]string
	var bits []int64
	switch method {
	case "gptq":
		needed, bits = [][]string{{"bits"}, {"group_size"}, {"desc_act"}}, []int64{2, 3, 4, 8}
		m.judgeSymmetry(at, q)
	case "awq":
		needed, bits = [][]string{{"bits", "w_bit"}, {"group_size", "q_group_size"}, {"zero_point"}}, []int64{4}
	default:
		return
	}
	for _, names := range needed {
		if q.First(names...).Kind() == 0 {
			m.Add(at, m.For(servers...), "%s in %s has no %s", v.Name, m.quoted(), names[0])
		}
	}
	n, ok := q.First("bits", "w_bit").Int()
	if ok && !slices.Contains(bits, n) {
		m.Add(at, m.For(servers...), "%s of %s in %s has %d bits", v.Name, method, m.quoted(), n)
	} else if ok && method == "gptq" && n < 4 {
		m.Add(at, m.For(loader.VLLM), "%s of %s in %s has %d bits", v.Name, method, m.quoted(), n)
	}
}

// judgeSymmetry reports GPTQ with zero points, which vLLM has no kernel for.
func (m *Model) judgeSymmetry(at Fault, q config.Object) {
	v := q.First("sym")
	switch symmetric, ok := v.Bool(); {
	case v.Kind() == 0:
		m.Add(at, m.For(loader.VLLM), "quantization_config in %s has no sym", m.quoted())
	case v.Kind() != jsonscan.Null && ok && !symmetric:
		m.Add(at, m.For(loader.VLLM), "quantization_config in %s has sym false", m.quoted())
	}
}
