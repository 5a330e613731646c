// What decides, and what must not.

package identity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/identity"
)

// modelOf returns a model of tensors, one on each line, such as "a.weight [2, 3]".
func modelOf(t *testing.T, lines string) *model.Model {
	t.Helper()
	s := specimen{}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			s.tensors = append(s.tensors, tensorsOf(t, line)...)
		}
	}
	return s.model("")
}

// Models with few tensors and toy sizes are recognized by names alone, and near misses are not.
func TestNearMisses(t *testing.T) {
	const unet = "model.diffusion_model.input_blocks.0.0.weight [32, 4, 3, 3]\n" +
		"model.diffusion_model.input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight [32, 76]\n"
	const attention = "input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight [320, 768]\n"
	const flux = "double_blocks.0.img_attn.qkv.weight [48, 16]\nimg_in.weight [16, 8]\n"
	const wan = "head.modulation [1, 2, 64]\nblocks.0.self_attn.q.weight [64, 64]\n"
	for _, tt := range []struct{ name, tensors, want string }{
		{"SD 1 by its text encoder", unet + "cond_stage_model.transformer.text_model.embeddings.token_embedding.weight [49, 76]",
			"checkpoint | Stable Diffusion 1 | 1.x"},
		{"SD 2 by its text encoder", unet + "cond_stage_model.model.token_embedding.weight [49, 76]",
			"checkpoint | Stable Diffusion 2 | 2.0 or 2.1"},
		{"SD 1 or 2", unet, "diffusion model | Stable Diffusion |"},
		{"SDXL by its text encoders", "model.diffusion_model.input_blocks.0.0.weight [32, 4, 3, 3]\n" +
			"model.diffusion_model.input_blocks.4.1.transformer_blocks.0.attn2.to_k.weight [32, 76]\n" +
			"conditioner.embedders.0.transformer.text_model.embeddings.token_embedding.weight [49, 76]\n" +
			"conditioner.embedders.1.model.token_embedding.weight [49, 90]", "checkpoint | Stable Diffusion XL | base"},
		{"ControlNet, not a UNet", "control_model.input_hint_block.0.weight [16, 3, 3, 3]\n" +
			"control_model.input_blocks.0.0.weight [320, 4, 3, 3]\ncontrol_model." + attention, "ControlNet | Stable Diffusion 1 |"},
		{"Flux with guidance", flux + "guidance_in.in_layer.weight [16, 8]", "diffusion model | Flux | dev or Kontext dev or Krea dev"},
		{"Flux without guidance", flux, "diffusion model | Flux | schnell"},
		{"Chroma, not Flux", flux + "distilled_guidance_layer.in_proj.weight [8, 8]", "diffusion model | Chroma | 1"},
		{"HunyuanVideo, not Flux", "double_blocks.0.img_attn.qkv.weight [48, 16]\nimg_in.proj.weight [16, 16, 1, 2, 2]\n" +
			"txt_in.individual_token_refiner.blocks.0.norm1.weight [16]", "diffusion model | HunyuanVideo |"},
		{"Wan t2v", wan + "patch_embedding.weight [64, 16, 1, 2, 2]", "diffusion model | Wan | t2v"},
		{"Wan 2.1 i2v", wan + "patch_embedding.weight [64, 36, 1, 2, 2]\nimg_emb.proj.1.weight [64, 64]", "diffusion model | Wan | 2.1 i2v"},
		{"Wan 2.2 i2v", wan + "patch_embedding.weight [64, 36, 1, 2, 2]", "diffusion model | Wan | 2.2 i2v A14B"},
		{"CLIP text encoder", "text_model.embeddings.token_embedding.weight [49408, 768]\ntext_model.encoder.layers.0.mlp.fc1.weight [3072, 768]",
			"text encoder | CLIP | ViT-L/14"},
		{"CLIP with both encoders", "text_model.embeddings.token_embedding.weight [49408, 768]\ntext_model.encoder.layers.0.mlp.fc1.weight [3072, 768]\n" +
			"vision_model.embeddings.class_embedding [1024]", "CLIP | CLIP | ViT-L/14"},
		{"T5 encoder", "encoder.block.0.layer.0.SelfAttention.q.weight [4096, 4096]\nencoder.block.0.layer.1.DenseReluDense.wi_0.weight [10240, 4096]",
			"text encoder | T5 | 1.1 XXL"},
		{"UMT5 encoder", "encoder.block.{0-1}.layer.0.SelfAttention.q.weight [4096, 4096]\n" +
			"encoder.block.{0-1}.layer.0.SelfAttention.relative_attention_bias.weight [32, 64]", "text encoder | UMT5 | XXL"},
		{"embedding", "emb_params [4, 768]", "embedding | Stable Diffusion 1 |"},
		{"embedding of two encoders", "clip_l [4, 768]\nclip_g [4, 1280]", "embedding | Stable Diffusion XL |"},
		{"optimizer", "optimizer.state.{0-3}.exp_avg [4, 4]\noptimizer.state.{0-3}.exp_avg_sq [4, 4]", "optimizer state | Adam |"},
		{"Paddle's optimizer", "llama.embed_tokens.weight/moment1_0 [4, 4]\nlm_head.weight/moment1_0 [4, 4]", "optimizer state | Adam |"},
		{"training checkpoint", "optimizer.state.{0-3}.exp_avg [4, 4]\noptimizer.state.{0-3}.exp_avg_sq [4, 4]\nmodel.{0-3}.weight [4, 4]",
			"training checkpoint | weights and optimizer state |"},
		{"EMA beside a UNet", unet + "model_ema.decay []\nmodel_ema.num_updates []\nmodel_ema.diffusion_modelinput_blocks00weight [32, 4, 3, 3]",
			"checkpoint | Stable Diffusion |"},
		{"hypernetwork", "768.{0-1}.linear.0.weight [1536, 768]", "hypernetwork | Stable Diffusion 1 |"},
		{"one matrix", "weight [4, 768]", "|  |"},
		{"a VAE beside a text encoder", "vae.decoder.conv_in.weight [512, 4, 3, 3]\n" +
			"te.text_model.embeddings.token_embedding.weight [49408, 768]\nte.text_model.encoder.layers.0.mlp.fc1.weight [3072, 768]",
			"checkpoint |  |"},
		{"a vision encoder in a model", "vision_tower.vision_model.embeddings.class_embedding [1024]\n" +
			"thinker.{0-9}.weight [8, 8]", "|  |"},
		{"nothing", "", "|  |"},
	} {
		id := identity.Of(modelOf(t, tt.tensors), nil)
		if got := said(id); got != tt.want {
			t.Errorf("%s: %s, want %s; evidence %v, notes %v", tt.name, got, tt.want, id.Evidence, id.Notes)
		}
	}
}

// The parts of a single file are listed with what their names begin with.
func TestParts(t *testing.T) {
	for _, s := range readSpecimens(t) {
		if s.name != "single-sdxl" {
			continue
		}
		id := identity.Of(s.model(""), nil)
		var got []string
		for _, p := range id.Parts {
			got = append(got, fmt.Sprintf("%s%s %s %s", p.Root, p.Kind, p.Family, p.Version()))
		}
		want := "model.diffusion_model.diffusion model Stable Diffusion XL base\n" +
			"first_stage_model.VAE AutoencoderKL Stable Diffusion XL\n" +
			"conditioner.embedders.0.transformer.text encoder CLIP ViT-L/14\n" +
			"conditioner.embedders.1.model.text encoder CLIP OpenCLIP ViT-bigG/14"
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("parts\n%s\nwant\n%s", text, want)
		}
	}
}

// A pipeline is what its diffusion model is.
func TestPipeline(t *testing.T) {
	unet := identity.Of(modelOf(t, "joint_blocks.0.x_block.attn.qkv.weight [8, 8]"), nil)
	text := identity.Of(modelOf(t, "emb_params [4, 768]"), nil)
	id := identity.OfPipeline([]*identity.Identity{text, unet})
	if got := said(id); got != "pipeline | Stable Diffusion 3 | 3.0 medium" || len(id.Parts) != 2 {
		t.Errorf("%s with %d parts", got, len(id.Parts))
	}
	if id := identity.OfPipeline(nil); id.Status != identity.Unknown {
		t.Errorf("an empty pipeline is %s", id.Status)
	}
}

// The class in config.json tells a classifier from a language model, and names an architecture without signatures.
func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		`{"model_type": "llama", "architectures": ["LlamaForSequenceClassification"]}`:                           "classifier | Llama |",
		`{"model_type": "newcomer", "architectures": ["NewcomerForCausalLM"]}`:                                   "language model | newcomer |",
		`{"model_type": "newcomer", "architectures": ["NewcomerForConditionalGeneration"], "vision_config": {}}`: "vision-language model | newcomer |",
		`{"model_type": "newcomer", "architectures": ["Newcomer"]}`:                                              "| newcomer |",
		`{"model_type": 7}`: "|  |",
		`[`:                 "|  |",
	} {
		m := modelOf(t, "x.weight [4, 4]")
		m.Config = []byte(config)
		if got := said(identity.Of(m, nil)); got != want {
			t.Errorf("%s: %s, want %s", config, got, want)
		}
	}
}

// An adapter tells its base model, rank and modules.
func TestAdapter(t *testing.T) {
	id := identity.Of(modelOf(t, "lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k.lora_down.weight [8, 2048]\n"+
		"lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k.lora_up.weight [640, 8]"), nil)
	if got := said(id); got != "adapter | Stable Diffusion XL |" || id.Adapter == nil || id.Adapter.Rank.Value != 8 ||
		!strings.Contains(fmt.Sprint(id.Evidence), "attn2_to_k.weight [640, 2048]") {
		t.Errorf("%s with %+v, evidence %v", got, id.Adapter, id.Evidence)
	}
	id = identity.Of(modelOf(t, "x.lora_A.weight [8, 32]\nx.lora_B.weight [32, 8]"), nil)
	if got := said(id); got != "adapter |  |" || len(id.Notes) == 0 {
		t.Errorf("an unknown base: %s, notes %v", got, id.Notes)
	}
}

// Half a million tensors, with names that begin at half a million roots, take no time worth speaking of, and parts
// have a limit.
func TestManyTensors(t *testing.T) {
	const n = 500_000
	h := &safetensors.Header{Tensors: make([]safetensors.TensorInfo, n)}
	for i := range h.Tensors {
		h.Tensors[i] = safetensors.TensorInfo{Name: fmt.Sprintf("r%d.conv_in.weight", i), Dtype: safetensors.F16, Shape: []int64{320, 4, 3, 3}}
	}
	m := &model.Model{Files: []model.File{{Header: h}}}
	if id := identity.Of(m, nil); len(id.Parts) > identity.MaxParts {
		t.Errorf("%d parts", len(id.Parts))
	}
	for i := range h.Tensors {
		h.Tensors[i].Name = fmt.Sprintf("r%d.emb_params.encoder.conv_in.weight", i)
	}
	if id := identity.Of(m, nil); len(id.Parts) > identity.MaxParts {
		t.Errorf("%d parts", len(id.Parts))
	}
	deep := strings.Repeat("conv_in.", 10_000) + "weight"
	h.Tensors = []safetensors.TensorInfo{{Name: deep, Shape: []int64{1, 2, 3, 4}}, {Name: "\x00\xff..[", Shape: nil}, {Name: ""}}
	identity.Of(m, nil)
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"has a":                              `x:1: expected [NAME], which begins a signature, found "has"`,
		"[a b]":                              `x:1: expected the name of a signature in brackets`,
		"[a]\nversoin 1":                     `x:2: unknown word "versoin"; the words are of, kind, family`,
		"[a]\nkind x":                        `x:2: unknown kind "x"; the kinds are pipeline, checkpoint`,
		"[a]\nkind":                          `x:2: "kind" has no value`,
		"[a]\nof nobody":                     `x:2: there is no signature "nobody" above`,
		"[a]\nhas b [1, x]":                  `x:2: expected a number or * in a shape, found "x"`,
		"[a]\nhas b 1":                       `x:2: expected a shape such as [320, *] after the name, found "1"`,
		"[a]\nhas b.#.c.1":                   `x:2: "b.#.c.1" has # and another number`,
		"[a]\nhas a.b.c.d.e.f.g.":            `x:2: "a.b.c.d.e.f.g." ends with a dot`,
		"[a]\nhas *":                         `x:2: expected the name of a tensor and perhaps a shape, found "*"`,
		"[a]\nlayers b 3":                    `x:2: expected a prefix with a dot at its end`,
		"[a]\nlayers b. x":                   `x:2: expected a number such as 40, or a range such as 30-40, found "x"`,
		"[a]\ntensors 4-2":                   `x:2: expected a number such as 40`,
		"[a]\nsize depth 3":                  `x:2: unknown size "depth"; the sizes are layers, hidden`,
		"[a]\nends a.b":                      `x:2: expected ends and a word without dots`,
		"[a]\nmetadata =":                    `x:2: expected metadata KEY or metadata KEY = VALUE`,
		"[a]\nfallback no":                   `x:2: expected "fallback yes", found "no"`,
		"[a]\nkind VAE\nfamily b":            `x:1: signature "a" has no condition, such as "has NAME"`,
		"[a]\nfamily b\nhas c":               `x:1: signature "a" has no kind`,
		"[a]\nkind VAE\nhas c":               `x:1: signature "a" has no family`,
		"[a]\nof flux\nversion 1 | 2\nhas c": `x:1: signature "a" has several versions, and no line "because"`,
		"[flux]":                             `x:1: signature "flux" is built in: choose another name, or refine it with "of flux"`,
		"[a]\nof flux\nhas c\n[a]":           `x:4: signature "a" is in line 1, too`,
	} {
		_, err := identity.Parse("x", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// Signatures of a user are found below prefixes like others, and replace what is built in.
func TestOwnSignatures(t *testing.T) {
	own, err := identity.Parse("own", []byte("[mine]\nkind vision model\nfamily Mine\nhas a.#.weight [4, *] | b.weight\n"+
		"lacks c\nmetadata maker = me*\nlayers a. 2-3\n\n[mine-2]\nof flux\nversion mine\nhas img_in.weight [16, *]\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, "p.a.{0-2}.weight [4, 9]")
	m.Files[0].Header.Metadata = map[string]string{"maker": "me and you"}
	if got := said(identity.Of(m, own)); got != "vision model | Mine |" {
		t.Errorf("below a prefix: %s", got)
	}
	m.Files[0].Header.Metadata["maker"] = "you"
	if got := said(identity.Of(m, own)); got != "|  |" {
		t.Errorf("with other metadata: %s", got)
	}
	const flux = "double_blocks.0.img_attn.qkv.weight [48, 16]\nimg_in.weight [16, 8]"
	if got := said(identity.Of(modelOf(t, flux), own)); got != "diffusion model | Flux | mine" {
		t.Errorf("a refined one: %s", got)
	}
	if got := said(identity.Of(modelOf(t, flux), nil)); got != "diffusion model | Flux | schnell" {
		t.Errorf("the built-in ones have changed: %s", got)
	}
}

// The data has what each signature needs, and words that the others use.
func TestBuiltin(t *testing.T) {
	families := make(map[string]bool)
	for s := range identity.Builtin().All() {
		families[string(s.Kind)+s.Family] = true
		root := s
		for root.Refines() != nil {
			root = root.Refines()
		}
		if len(root.Sources) == 0 {
			t.Errorf("%s has no source", s.ID)
		}
		if strings.HasSuffix(s.Says, ".") || strings.HasSuffix(s.Because, ".") {
			t.Errorf("%s: sentences have no full stop", s.ID)
		}
	}
	if len(families) < 200 {
		t.Errorf("%d families", len(families))
	}
}

// Matching follows a chain of signatures, so its length is limited.
func TestChainsAreShort(t *testing.T) {
	text := "[s0]\nkind checkpoint\nfamily F\nhas a.weight\n"
	for i := 1; i < 20; i++ {
		text += fmt.Sprintf("[s%d]\nof s%d\nhas a.weight\n", i, i-1)
	}
	if _, err := identity.Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "the limit is 8") {
		t.Errorf("a chain of 20 gives %v", err)
	}
}
