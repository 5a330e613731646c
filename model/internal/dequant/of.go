// The decoders by scheme.

package dequant

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// ErrUnknown says that a scheme has no decoder here, so its weights stay packed.
var ErrUnknown = errors.New("no decoder is known")

// decoders are the decoders by the rule of a scheme.
var decoders = map[string]func(w *Weight, v scheme.Values, c *scheme.Context) (*Matrix, error){
	"bnb-4bit":     func(w *Weight, _ scheme.Values, _ *scheme.Context) (*Matrix, error) { return BnB4(w) },
	"bnb-8bit":     func(w *Weight, _ scheme.Values, _ *scheme.Context) (*Matrix, error) { return BnB8(w) },
	"mlx":          func(w *Weight, _ scheme.Values, _ *scheme.Context) (*Matrix, error) { return MLX(w) },
	"packed-int":   func(w *Weight, _ scheme.Values, _ *scheme.Context) (*Matrix, error) { return Packed(w) },
	"torchao":      func(w *Weight, _ scheme.Values, _ *scheme.Context) (*Matrix, error) { return TorchAO(w) },
	"hqq":          hqq,
	"int-words":    words,
	"block-scaled": blockScaled,
	"fp8":          func(w *Weight, _ scheme.Values, c *scheme.Context) (*Matrix, error) { return FP8(w, c.Tile) },
	"mxfp4-blocks": func(w *Weight, _ scheme.Values, _ *scheme.Context) (*Matrix, error) { return Blocks(w) },
	"packed-fp4":   packedFP4,
	"quanto":       quanto,
}

// Of returns the values of the weight of module m. Scheme s matches the module, v is the result of s, and t has the
// tensors of the module by role. Of returns an error if the scheme has no decoder, or if the parts do not fit each
// other. It reads only texts, tables and shapes that are stored in tensors.
func Of(m *scheme.Module, s *scheme.Scheme, v scheme.Values, c *scheme.Context, t [parts.Count]*safetensors.Tensor) (
	*Matrix, error) {
	decode, ok := decoders[s.Rule]
	switch {
	case !ok:
		return nil, ErrUnknown
	case v.Fault.Kind != "" || v.Lacks != parts.Weight:
		return nil, errors.New(cmp.Or(v.Why, v.Fault.Text))
	}
	w := &Weight{Parts: t, In: c.Inputs(m.Name, v.N.High), Bits: v.Bits, Group: c.Group}
	if s.Rule == "torchao" {
		w.Meta = []byte(c.Metadata(m.Parts[parts.QData].File)[torchName(m.Parts[parts.QData].Info.Name)])
	}
	return decode(w, v, c)
}

// torchName returns the name of the torchao weight whose "qdata" tensor has the given name.
func torchName(name string) string {
	name = strings.TrimSuffix(name, "_qdata")
	dot := strings.LastIndexByte(name, '.')
	return name[:dot+1] + strings.TrimPrefix(name[dot+1:], "_")
}

// offsets are what the formats of GPTQ and AutoRound add to the zero points that are stored, by method and format.
// (GPTQModel 7.7.0: utils/model_dequant.py _uses_gptq_v1_qzeros; auto-round 0.16.1: inference/backend.py GPTQ_FORMAT)
var offsets = map[[2]string]int64{
	{"gptq", ""}: 1, {"gptq", "gptq"}: 1, {"gptq", "gptq_v2"}: 0,
	{"auto-round", "auto_round:auto_gptq"}: 1, {"auto-round", "auto_round"}: 0, {"auto-round", "auto_round:gptqmodel"}: 0,
}

// words returns the values of GPTQ and AWQ in the formats whose layout is known.
func words(w *Weight, v scheme.Values, c *scheme.Context) (*Matrix, error) {
	said := func(name string) string {
		s, _ := c.Quant.First(name).Str()
		return strings.ToLower(s)
	}
	method := strings.TrimPrefix(c.Method, "intel/")
	format := cmp.Or(said("packing_format"), said("checkpoint_format"), c.Format)
	if t := w.Parts[parts.QWeight]; parts.Last(t.Name) == "qweight" { // not Marlin or QQQ
		gemm := method == "awq" && cmp.Or(said("version"), "gemm") == "gemm" || format == "auto_round:auto_awq"
		if v.Name == "awq" && gemm {
			return AWQ(w)
		}
		if v.Name == "gptq" && method == "gptq" && v.Bits > 4 && v.Bits < 8 {
			return nil, fmt.Errorf("%w for %d bits: GPTQModel and AutoRound store them in different orders", ErrUnknown, v.Bits)
		}
		offset, ok := offsets[[2]string{method, format}]
		if w.Offset = offset; ok && v.Name == "gptq" {
			return GPTQ(w)
		}
	}
	return nil, fmt.Errorf("%w for the method %q with the format %q", ErrUnknown, method, cmp.Or(format, said("version")))
}

// hqq returns the values of HQQ, but not of SINQ, which has a second scale.
func hqq(w *Weight, v scheme.Values, _ *scheme.Context) (*Matrix, error) {
	if t := w.Parts[parts.HQQWeight]; parts.Last(t.Name) != "W_q" || parts.Last(w.Parts[parts.Scale].Name) != "scale" ||
		strings.Contains(w.Parts[parts.Scale].Name, "meta.") {
		return nil, ErrUnknown
	}
	return HQQ(w)
}

// intQuantized returns the values of compressed-tensors' int-quantized.
func intQuantized(w *Weight, v scheme.Values, c *scheme.Context) (*Matrix, error) {
	if c.Method != "compressed-tensors" || v.Name != "int8" && v.Name != "int-quantized" || !w.is(parts.Weight, parts.I8) {
		return nil, ErrUnknown
	}
	return Scaled(w, parts.Weight)
}

// quanto returns the values of quanto.
func quanto(w *Weight, v scheme.Values, _ *scheme.Context) (*Matrix, error) {
	if t := w.Parts[parts.Data]; t.Dtype != safetensors.U8 || !strings.HasSuffix(t.Name, "._data._data") {
		return Scaled(w, parts.Data)
	}
	if !v.N.Exact() {
		return nil, errors.New(v.Why)
	}
	return Quanto(w)
}
