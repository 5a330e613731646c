// Spellings: whose names an adapter has.

package adapters

import (
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// A Spelling is the way in which a program names the tensors of an adapter.
type Spelling string

// The spellings. The part of a name before the module tells most of them apart.
const (
	Unknown      Spelling = ""
	PEFT         Spelling = "peft"          // base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight
	Kohya        Spelling = "kohya"         // lora_unet_down_blocks_0_attentions_0_proj_in.lora_down.weight
	LyCORIS      Spelling = "lycoris"       // lycoris_down_blocks_0_attentions_0_proj_in.lora_down.weight
	Diffusers    Spelling = "diffusers"     // unet.down_blocks.0.attentions.0.proj_in.lora_A.weight
	OldDiffusers Spelling = "diffusers-old" // unet.down_blocks.0.….attn1.processor.to_q_lora.down.weight
	ComfyUI      Spelling = "comfyui"       // diffusion_model.double_blocks.0.img_attn.qkv.lora_A.weight
	MLX          Spelling = "mlx"           // model.layers.0.self_attn.q_proj.lora_a
	XLabs        Spelling = "xlabs"         // double_blocks.0.processor.qkv_lora1.down.weight
	Bare         Spelling = "bare"          // blocks.0.self_attn.q.lora_A.weight, without any prefix
)

// Text returns the spelling in words, such as "names of PEFT"; "" if it is unknown.
func (s Spelling) Text() string {
	switch s {
	case Unknown:
		return ""
	case PEFT:
		return "names of PEFT"
	case Kohya:
		return "names of kohya"
	case LyCORIS:
		return "names of LyCORIS"
	case Diffusers:
		return "names of diffusers"
	case OldDiffusers:
		return "names of diffusers before 0.22"
	case ComfyUI:
		return "names of ComfyUI"
	case MLX:
		return "names of MLX"
	case XLabs:
		return "names of XLabs"
	}
	return "names without a prefix"
}

// A Component is the part of the base that a module belongs to.
type Component string

// The components.
const (
	Other        Component = ""         // a model that has only one part, or an unknown part
	Denoiser     Component = "denoiser" // the UNet or transformer of a diffusion model
	TextEncoder  Component = "text_encoder"
	TextEncoder2 Component = "text_encoder_2"
	TextEncoder3 Component = "text_encoder_3"
)

// A prefix is the beginning of modules' names in a spelling.
type prefix struct {
	text      string
	spelling  Spelling
	component Component
}

// prefixes are tried in order. The sources are: PEFT, utils/save_and_load.py (0.21.2); diffusers,
// loaders/lora_pipeline.py (0.42.1); sd-scripts, networks/lora.py, lora_flux.py and lora_sd3.py (48d368fa); LyCORIS,
// config.py and kohya.py (4.1.3); ComfyUI, comfy/lora.py, as described by InvokeAI and stable-diffusion.cpp;
// OneTrainer, by way of InvokeAI, backend/model_manager/omi/vendor/convert/lora.
var prefixes = []prefix{
	{"base_model.model.", PEFT, Other},
	{"lora_unet_", Kohya, Denoiser},
	{"lora_transformer_", Kohya, Denoiser},
	{"lora_prior_unet_", Kohya, Denoiser},
	{"lora_te1_", Kohya, TextEncoder},
	{"lora_te2_", Kohya, TextEncoder2},
	{"lora_te3_", Kohya, TextEncoder3},
	{"lora_te_", Kohya, TextEncoder},
	{"lora_prior_te_", Kohya, TextEncoder},
	{"lycoris_", LyCORIS, Other},
	{"lora_", Kohya, Other},
	{"model.diffusion_model.", ComfyUI, Denoiser},
	{"diffusion_model.", ComfyUI, Denoiser},
	{"text_encoders.clip_l.transformer.", ComfyUI, TextEncoder},
	{"text_encoders.clip_g.transformer.", ComfyUI, TextEncoder2},
	{"text_encoders.t5xxl.transformer.", ComfyUI, TextEncoder3},
	{"text_encoders.", ComfyUI, Other},
	{"unet.", Diffusers, Denoiser},
	{"transformer.", Diffusers, Denoiser},
	{"transformer_2.", Diffusers, Denoiser},
	{"prior.", Diffusers, Denoiser},
	{"text_encoder.", Diffusers, TextEncoder},
	{"text_encoder_2.", Diffusers, TextEncoder2},
	{"text_encoder_3.", Diffusers, TextEncoder3},
}

// languageStacks follow "transformer." in language models: GPT-2, Falcon and Bloom, ChatGLM, MPT.
var languageStacks = []string{"h.", "encoder.", "wte", "wpe", "word_embeddings", "embedding.", "output_layer", "ln_f"}

// A Name is the name of an adapter's tensor in parts.
type Name struct {
	Spelling  Spelling
	Component Component
	Prefix    string // "base_model.model.", "lora_unet_"; the Module begins with it
	Path      string // the rest of the Module: the path of the module in the base, or in kohya's names what became of it
	parts     parts.AdapterPart
}

// Module returns the part of the name that all tensors of a module have in common.
func (n *Name) Module() string { return n.Prefix + n.Path }

// Kind returns the kind of adapter that has such tensors, or "" if several have.
func (n *Name) Kind() string { return n.parts.Kind }

// Label returns the name of the adapter among several that PEFT puts into the name, such as "default"; usually "".
func (n *Name) Label() string { return n.parts.Label }

// Parse splits the name of a tensor, and reports whether it can be one of an adapter.
func Parse(name string) (n Name, ok bool) {
	p, ok := parts.AdapterOf(name)
	if !ok {
		return Name{}, false
	}
	return nameOf(p), true
}

func nameOf(p parts.AdapterPart) Name {
	n := Name{parts: p, Path: p.Module, Spelling: Bare}
	for i := range prefixes {
		one := &prefixes[i]
		rest, ok := strings.CutPrefix(p.Module, one.text)
		if !ok || one.text == "transformer." && hasAnyPrefix(rest, languageStacks) ||
			strings.HasSuffix(one.text, "_") && !parts.IsFlattened(p.Module) {
			continue
		}
		n.Spelling, n.Component, n.Prefix, n.Path = one.spelling, one.component, one.text, rest
		break
	}
	switch {
	case p.In:
		n.Spelling = MLX
	case strings.HasSuffix(n.Path, "_lora1"), strings.HasSuffix(n.Path, "_lora2"), p.Word == "_lora.down" &&
		strings.HasPrefix(n.Path, "single_blocks."), p.Word == "_lora.up" && strings.HasPrefix(n.Path, "single_blocks."):
		n.Spelling = XLabs
	case strings.HasPrefix(p.Word, "_lora."), strings.HasPrefix(p.Word, "lora_linear_layer."):
		n.Spelling = OldDiffusers
	}
	return n
}

func hasAnyPrefix(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
