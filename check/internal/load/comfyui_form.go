// ComfyUI: packed weights, formats and adapters that it does not read by itself.

package load

import (
	"context"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
	"github.com/weightools/safetensors/model/identity"
)

// A sign is an end of names that weights have which ComfyUI does not unpack.
type sign struct {
	end, what string
	node      string // a custom node that unpacks them, or ""
}

// signs are looked for in this order.
var signs = []sign{
	{".smooth_factor", "quantized by SVDQuant", "ComfyUI-nunchaku"},
	{"bitsandbytes__nf4", "quantized by bitsandbytes", "ComfyUI_bitsandbytes_NF4"},
	{"bitsandbytes__fp4", "quantized by bitsandbytes", "ComfyUI_bitsandbytes_NF4"},
	{".qzeros", "quantized by GPTQ or AWQ", ""},
}

// judgeComfyForm reports weights that ComfyUI does not read without a custom node, or not at all.
func judgeComfyForm(_ context.Context, m *Model) {
	of := m.For(loader.ComfyUI)
	if len(of) == 0 || m.Set.CopyOf != "" {
		return
	}
	if strings.HasSuffix(strings.ToLower(m.File()), ".gguf") {
		m.Add(Fault{Rule: rule.CustomNode, File: m.File(), Fix: "Install ComfyUI-GGUF, put the file in models/unet or " +
			"models/text_encoders, and load it with its nodes."}, of, "the file is a GGUF file")
		return
	}
	words, scales := Fault{}, false
	found := make([]Fault, len(signs))
	for file, ti := range m.Tensors() {
		for i := range signs {
			if found[i].File == "" && strings.HasSuffix(ti.Name, signs[i].end) {
				found[i] = Fault{File: file, Tensor: ti.Name, Span: ti.Entry}
			}
		}
		scales = scales || strings.HasSuffix(ti.Name, ".biases")
		if ti.Dtype == safetensors.U32 && len(ti.Shape) == 2 && words.File == "" {
			words = Fault{File: file, Tensor: ti.Name, Span: ti.Entry}
		}
	}
	for i, at := range found {
		switch at.Rule = rule.QuantUnsupported; {
		case at.File == "":
			continue
		case signs[i].node != "":
			at.Rule, at.Fix = rule.CustomNode, "Install "+signs[i].node+", or use weights that are not packed this way."
		}
		m.Add(at, of, "the weights are %s", signs[i].what)
		return
	}
	if words.File != "" && scales {
		words.Rule = rule.QuantUnsupported
		m.Add(words, of, "the weights are quantized by MLX")
	}
}

// readAsPEFT are the beginnings of the families whose adapters ComfyUI reads under the names of PEFT.
// (comfy/lora.py, model_lora_keys_unet.)
var readAsPEFT = []string{"Stable Diffusion 3", "PixArt", "Hunyuan-DiT", "HunyuanDiT", "ACE"}

// stacksOfDiffusers are the first words of modules in the names of diffusers, and the prefix that ComfyUI expects.
var stacksOfDiffusers = map[string]string{
	"transformer_blocks": "transformer.", "single_transformer_blocks": "transformer.",
	"down_blocks": "unet.", "mid_block": "unet.", "up_blocks": "unet.",
}

// judgeComfyAdapter reports an adapter of a diffusion model with the names of PEFT.
func (m *Model) judgeComfyAdapter(s *Shard, id *identity.Identity) {
	if id.Adapter == nil || id.Adapter.Spelling != adapters.PEFT || id.Family == "" {
		return
	}
	for _, family := range readAsPEFT {
		if strings.HasPrefix(id.Family, family) {
			return
		}
	}
	for i := range s.Header.Tensors {
		ti := &s.Header.Tensors[i]
		rest, ok := strings.CutPrefix(ti.Name, "base_model.model.")
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(rest, ".")
		prefix := stacksOfDiffusers[first]
		if prefix == "" {
			prefix = "diffusion_model."
		}
		m.Add(Fault{Rule: rule.AdapterUnread, File: s.Path, Tensor: ti.Name, Span: ti.Entry,
			Fix: `Rename the tensors: ` + "`" + `weigh edit --in-place --rename '^base_model\.model\.=>` + prefix + "' FILE`."},
			m.For(loader.ComfyUI), "the adapter of %s has the names of PEFT, such as %s", id.Family, wording.Quote(ti.Name))
		return
	}
}
