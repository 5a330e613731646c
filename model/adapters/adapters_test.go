package adapters

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// setOf returns the set of tensors in the form "name 4x8".
func setOf(list ...string) *Set {
	s := new(Set)
	for _, one := range list {
		name, shape, _ := strings.Cut(one, " ")
		ti := &safetensors.TensorInfo{Name: name, Dtype: "F32", Shape: []int64{}}
		for d := range strings.SplitSeq(shape, "x") {
			var n int64
			if _, err := fmt.Sscan(d, &n); err == nil {
				ti.Shape = append(ti.Shape, n)
			}
		}
		s.Add(ti, 0)
	}
	s.Close()
	return s
}

func describe(s *Set) string {
	var modules []string
	for m := range s.All() {
		in, out := m.Sizes()
		modules = append(modules, fmt.Sprintf("%s:%d:%dx%d", m.Target(), m.Rank(), out, in))
	}
	return fmt.Sprintf("%s|%s|%v|%v|%s", s.Kind(), s.Spelling(), s.Components(), s.Labels(), strings.Join(modules, " "))
}

func TestSets(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		set        *Set
	}{
		{"PEFT", "LoRA|peft|[]|[]|q_proj:4:16x8",
			setOf("base_model.model.model.layers.0.q_proj.lora_A.weight 4x8", "base_model.model.model.layers.0.q_proj.lora_B.weight 16x4")},
		{"PEFT, a state_dict", "LoRA|peft|[]|[default]|q_proj:4:16x8",
			setOf("base_model.model.q_proj.lora_A.default.weight 4x8", "base_model.model.q_proj.lora_B.default.weight 16x4")},
		{"bare", "LoRA|bare|[]|[]|q:4:16x8", setOf("blocks.0.q.lora_A.weight 4x8", "blocks.0.q.lora_B.weight 16x4")},
		{"a number at the end", "LoRA|bare|[]|[]|ffn.0:4:16x8", setOf("blocks.0.ffn.0.lora_A.weight 4x8", "blocks.0.ffn.0.lora_B.weight 16x4")},
		{"numbers alone", "LoRA|bare|[]|[]|1.2:4:16x8", setOf("1.2.lora_A.weight 4x8", "1.2.lora_B.weight 16x4")},
		{"GPT-2, bare", "LoRA|bare|[]|[]|c_attn:4:16x8",
			setOf("transformer.h.0.attn.c_attn.lora_A.weight 4x8", "transformer.h.0.attn.c_attn.lora_B.weight 16x4")},
		{"diffusers", "LoRA|diffusers|[denoiser text_encoder]|[]|q_proj:4:16x8 to_q:2:6x8",
			setOf("text_encoder.text_model.q_proj.lora_A.weight 4x8", "text_encoder.text_model.q_proj.lora_B.weight 16x4",
				"unet.mid_block.to_q.lora.down.weight 2x8", "unet.mid_block.to_q.lora.up.weight 6x2")},
		{"old diffusers", "LoRA|diffusers-old|[denoiser]|[]|to_q:2:6x8",
			setOf("unet.attn1.processor.to_q_lora.down.weight 2x8", "unet.attn1.processor.to_q_lora.up.weight 6x2")},
		{"kohya", "LoRA|kohya|[denoiser text_encoder_2]|[]|mlp_fc1:2:6x8 conv1:2:6x8",
			setOf("lora_te2_text_model_encoder_layers_0_mlp_fc1.lora_down.weight 2x8",
				"lora_te2_text_model_encoder_layers_0_mlp_fc1.lora_up.weight 6x2",
				"lora_unet_down_blocks_0_conv1.lora_down.weight 2x8x3x3", "lora_unet_down_blocks_0_conv1.lora_up.weight 6x2x1x1",
				"lora_unet_down_blocks_0_conv1.alpha")},
		{"split qkv of kohya", "LoRA|kohya|[denoiser]|[]|img_attn_qkv:2:6x8",
			setOf("lora_unet_double_blocks_0_img_attn_qkv.lora_down.0.weight 2x8",
				"lora_unet_double_blocks_0_img_attn_qkv.lora_up.0.weight 6x2")},
		{"ComfyUI", "LoRA, full|comfyui|[denoiser]|[]|q:4:16x8 head:0:0x0",
			setOf("diffusion_model.blocks.0.q.lora_A.weight 4x8", "diffusion_model.blocks.0.q.lora_B.weight 16x4",
				"diffusion_model.head.diff_b 8")},
		{"MLX", "DoRA|mlx|[]|[]|q_proj:4:16x8",
			setOf("model.layers.0.q_proj.lora_a 8x4", "model.layers.0.q_proj.lora_b 4x16", "model.layers.0.q_proj.m 16")},
		{"XLabs", "LoRA|xlabs|[]|[]|qkv_lora1:2:6x8",
			setOf("double_blocks.0.processor.qkv_lora1.down.weight 2x8", "double_blocks.0.processor.qkv_lora1.up.weight 6x2")},
		{"LoHa with a core", "LoHa|lycoris|[]|[]|conv:2:0x0",
			setOf("lycoris_blocks_0_conv.hada_t1 2x2x3x3", "lycoris_blocks_0_conv.hada_w1_a 2x6",
				"lycoris_blocks_0_conv.hada_w1_b 2x8")},
		{"LoKr with DoRA", "LoKr with DoRA|kohya|[denoiser]|[]|q:0:0x0",
			setOf("lora_unet_blocks_0_q.lokr_w1 2x2", "lora_unet_blocks_0_q.lokr_w2 4x4", "lora_unet_blocks_0_q.dora_scale 8x1")},
		{"VeRA", "VeRA|peft|[]|[]|q:64:0x0", setOf("base_model.model.q.vera_lambda_d 64", "base_model.model.q.vera_lambda_b 8")},
		{"BOFT", "BOFT|kohya|[denoiser]|[]|q:0:0x0", setOf("lora_unet_blocks_0_q.oft_blocks 2x4x2x2")},
		{"IA3 of LyCORIS", "IA3|kohya|[denoiser]|[]|q:0:0x0",
			setOf("lora_unet_blocks_0_q.on_input", "lora_unet_blocks_0_q.weight 8")},
		{"a vocoder", "||[]|[]|", setOf("vocoder.snake.alpha 1", "vocoder.m.weight 4x4", "x.diff 2")},
		{"pairs of two ranks", "LoRA|bare|[]|[]|q:0:0x0", setOf("q.lora_A.weight 4x8", "q.lora_B.weight 16x5")},
		{"scalars", "LoRA|bare|[]|[]|q:0:0x0", setOf("q.lora_A.weight", "q.lora_B.weight")},
	} {
		if got := describe(tt.set); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Each prefix is found before a shorter one that begins it.
func TestPrefixes(t *testing.T) {
	for i, p := range prefixes {
		n, ok := Parse(p.text + "x.lora_down.weight")
		if !ok || n.Prefix != p.text || n.Spelling != p.spelling || n.Component != p.component {
			t.Errorf("%s: %+v", p.text, n)
		}
		if slices.ContainsFunc(prefixes[:i], func(q prefix) bool { return q.text == p.text }) {
			t.Errorf("%s is there twice", p.text)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	ti := &safetensors.TensorInfo{Name: "model.layers.17.mlp.experts.113.down_proj.weight", Shape: []int64{4, 4}}
	var s Set
	for b.Loop() {
		s.Add(ti, 0)
	}
}
