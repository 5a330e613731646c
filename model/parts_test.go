// Parts: components, layers and experts, against what model cards say.

package model_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// billions returns a number as a model card has it.
func billions(n int64) float64 { return math.Round(float64(n)/1e7) / 100 }

// The figures are those of table 1 of the gpt-oss model card (arXiv 2508.10925), in
// billions. It counts routers as MLP, and leaves the embedding out of what is active.
func TestGPTOSSModelCard(t *testing.T) {
	for _, tt := range []struct {
		name                              string
		mlp, attention, embedding, active float64
	}{
		{"openai/gpt-oss-20b@bbf09307", 19.12, 0.64, 1.16, 3.61},
		{"openai/gpt-oss-120b@b5c939de", 114.71, 0.96, 1.16, 5.13},
	} {
		n := model.Count(published(t, tt.name).Model())
		part := make(map[model.Component]int64)
		for _, p := range n.Components {
			part[p.Key] = p.Params.High
		}
		got := []float64{
			billions(part[model.ComponentMLP] + part[model.ComponentExperts]), billions(part[model.ComponentAttention]),
			billions(part[model.ComponentEmbedding] + part[model.ComponentHead]), billions(n.Experts.Active.High - part[model.ComponentEmbedding]),
		}
		if want := []float64{tt.mlp, tt.attention, tt.embedding, tt.active}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", tt.name, got, want)
		}
		if n.Experts.Chosen != 4 {
			t.Errorf("%s: %d experts are chosen, want 4", tt.name, n.Experts.Chosen)
		}
	}
}

func published(t *testing.T, name string) *Fixture {
	t.Helper()
	for _, p := range publishedModels() {
		if p.Name == name {
			return p.Make()
		}
	}
	t.Fatalf("there is no model %q", name)
	return nil
}

// A layer of Llama 3.1 8B: 218,112,000 parameters, four and three matrices and two
// norms: 2·4096² + 2·1024·4096 + 3·14336·4096 + 2·4096. GPTQ adds 43,008 biases.
func TestLayers(t *testing.T) {
	n := model.Count(LlamaBnB().Model())
	if len(n.Layers) != 32 {
		t.Fatalf("%d layers, want 32", len(n.Layers))
	}
	for i, l := range n.Layers {
		if l.Stack != "model.layers" || l.Index != i || l.Params.High != 218_112_000 {
			t.Errorf("layer %d: %+v", i, l)
		}
	}
}

// Names of published models, one for each way that a part is called.
func TestComponents(t *testing.T) {
	vector, matrix := []int64{8}, []int64{8, 8}
	for _, tt := range []struct {
		name  string
		shape []int64
		want  model.Component
	}{
		{"model.embed_tokens.weight", matrix, model.ComponentEmbedding},
		{"transformer.wte.weight", matrix, model.ComponentEmbedding},
		{"bert.embeddings.position_embeddings.weight", matrix, model.ComponentEmbedding},
		{"bert.embeddings.LayerNorm.gamma", vector, model.ComponentNorm},
		{"shared.weight", matrix, model.ComponentEmbedding},
		{"model.layers.3.self_attn.q_proj.weight", matrix, model.ComponentAttention},
		{"model.layers.3.self_attn.q_proj.bias", vector, model.ComponentAttention},
		{"model.layers.3.self_attn.q_norm.weight", vector, model.ComponentNorm},
		{"bert.encoder.layer.0.attention.output.dense.weight", matrix, model.ComponentAttention},
		{"bert.encoder.layer.0.output.dense.weight", matrix, model.ComponentMLP},
		{"bert.encoder.layer.0.intermediate.dense.weight", matrix, model.ComponentMLP},
		{"h.0.attn.c_attn.weight", matrix, model.ComponentAttention},
		{"h.0.ln_1.weight", vector, model.ComponentNorm},
		{"h.0.mlp.dense_h_to_4h.weight", matrix, model.ComponentMLP},
		{"model.layers.3.mlp.gate.weight", matrix, model.ComponentMLP},
		{"model.layers.3.mlp.gate.e_score_correction_bias", vector, model.ComponentMLP},
		{"model.layers.3.mlp.experts.7.down_proj.weight", matrix, model.ComponentExperts},
		{"model.layers.3.mlp.experts.gate_up_proj_blocks", matrix, model.ComponentExperts},
		{"model.layers.3.mlp.shared_experts.down_proj.weight", matrix, model.ComponentMLP},
		{"model.layers.3.mlp.switch_mlp.gate_proj.weight", matrix, model.ComponentExperts},
		{"layers.0.ffn.experts.0.w1.scale", matrix, model.ComponentExperts},
		{"lm_head.weight", matrix, model.ComponentHead},
		{"output.weight", matrix, model.ComponentHead},
		{"cls.predictions.bias", vector, model.ComponentHead},
		{"model.visual.blocks.0.attn.qkv.weight", matrix, model.ComponentVision},
		{"vision_tower.vision_model.encoder.layers.0.layer_norm1.weight", vector, model.ComponentVision},
		{"multi_modal_projector.linear_1.weight", matrix, model.ComponentVision},
		{"model.audio_tower.layers.0.fc1.weight", matrix, model.ComponentAudio},
		{"mtp.layers.0.mlp.experts.0.up_proj.weight", matrix, model.ComponentMTP},
		{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", matrix, model.ComponentAdapter},
		{"lora_unet_down_blocks_0_attentions_0_proj_in.lora_down.weight", matrix, model.ComponentAdapter},
		{"lora_unet_down_blocks_0_attentions_0_proj_in.alpha", nil, model.ComponentAdapter},
		{"transformer_blocks.0.norm1.linear.weight", matrix, model.ComponentOther},
		{"down_blocks.0.attentions.0.transformer_blocks.0.ff.net.0.proj.weight", matrix, model.ComponentMLP},
		{"down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q.weight", matrix, model.ComponentAttention},
		{"down_blocks.0.attentions.0.proj_in.weight", matrix, model.ComponentAttention},
		{"down_blocks.0.attentions.0.proj_out.weight", matrix, model.ComponentAttention},
		{"down_blocks.0.attentions.0.transformer_blocks.0.norm3.weight", vector, model.ComponentNorm},
		{"encoder.block.0.layer.1.DenseReluDense.wi_0.weight", matrix, model.ComponentMLP},
		{"encoder.block.0.layer.1.DenseReluDense.wo.weight", matrix, model.ComponentMLP},
		{"encoder.block.0.layer.0.SelfAttention.o.weight", matrix, model.ComponentAttention},
		{"model.layers.0.self_attn.embed_q.weight", matrix, model.ComponentAttention},
		{"model.layers.0.self_attn.unembed_out.weight", matrix, model.ComponentAttention},
		{"model.layers.0.self_attn.embed_q.scales", matrix, model.ComponentAttention},
		{"backbone.layers.0.mixer.in_proj.weight", matrix, model.ComponentSSM},
		{"backbone.layers.0.mixer.A_log", vector, model.ComponentSSM},
		{"backbone.layers.0.mixer.norm.weight", vector, model.ComponentNorm},
		{"backbone.layers.0.mixer.q_proj.weight", matrix, model.ComponentAttention},
		{"backbone.layers.0.mixer.up_proj.weight", matrix, model.ComponentMLP},
		{"backbone.layers.0.mixer.gate.weight", matrix, model.ComponentMLP},
		{"backbone.layers.0.mixer.experts.3.up_proj.weight", matrix, model.ComponentExperts},
		{"model.layers.0.mamba.out_proj.weight", matrix, model.ComponentSSM},
		{"model.layers.0.temporal_block.rg_lru.recurrent_param", vector, model.ComponentSSM},
		{"layers.0.attention.wo.weight", matrix, model.ComponentAttention},
		{"layers.0.feed_forward.w1.weight", matrix, model.ComponentMLP},
		{"encoder.layers.0.attention.output.weight", matrix, model.ComponentAttention},
		{"bert.encoder.layer.0.attention.output.LayerNorm.weight", vector, model.ComponentNorm},
		{"bert.encoder.layer.0.crossattention.output.dense.bias", vector, model.ComponentAttention},
		{"encoder.layer.0.intermediate_query.dense.weight", matrix, model.ComponentMLP},
		{"embedding_norm_mlp.attn_embed.weight", matrix, model.ComponentEmbedding},
		{"proj_out.weight", matrix, model.ComponentHead},
		{"mlm_head.decoder.weight", matrix, model.ComponentHead},
		{"model.decoder.output_projection.weight", matrix, model.ComponentHead},
		{"lxmert.encoder.x_layers.0.lang_inter.dense.weight", matrix, model.ComponentMLP},
		{"lxmert.encoder.x_layers.0.visn_output.dense.weight", matrix, model.ComponentMLP},
		{"encoder.layers.0.attention_output.dense.weight", matrix, model.ComponentAttention},
		{"layers.0.sub_head.weight", matrix, model.ComponentOther},
		{"model.layers.3.moe.share_expert.up_proj.weight", matrix, model.ComponentMLP},
		{"", vector, model.ComponentOther},
	} {
		h := &safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: tt.name, Dtype: "BF16", Shape: append([]int64{}, tt.shape...)}}}
		n := model.Count(&model.Model{Files: []model.File{{Header: h}}})
		if got := n.Components[0].Key; got != tt.want {
			t.Errorf("%s is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Granite, Step and DBRX stack their experts, and have configurations of their own spelling.
func TestStackedExperts(t *testing.T) {
	for _, tt := range []struct {
		name, config  string
		tensors       map[string][]int64
		count, chosen int64
		experts       int64 // parameters
		active        int64
	}{
		{"Granite MoE", `{"num_local_experts":8,"num_experts_per_tok":2}`, map[string][]int64{
			"model.embed_tokens.weight": {100, 16}, "model.layers.0.block_sparse_moe.input_linear.weight": {8, 64, 16},
			"model.layers.0.block_sparse_moe.output_linear.weight": {8, 16, 32}, "model.layers.0.block_sparse_moe.router.layer.weight": {8, 16},
		}, 8, 2, 12288, 1600 + 128 + 12288/4},
		{"Step3", `{"text_config":{"moe_num_experts":48,"moe_top_k":3}}`, map[string][]int64{
			"model.layers.4.moe.up_proj.weight": {48, 10, 10}, "model.layers.4.share_expert.up_proj.weight": {10, 10},
			"model.layers.4.moe.gate.weight": {48, 10},
		}, 48, 3, 4800, 100 + 480 + 300},
		{"DBRX", `{"ffn_config":{"moe_num_experts":16,"moe_top_k":4}}`, map[string][]int64{
			"transformer.blocks.0.ffn.experts.mlp.w1": {16 * 10, 10}, "transformer.blocks.0.ffn.router.layer.weight": {16, 10},
		}, 16, 4, 1600, 160 + 400},
		{"Ernie, with a list", `{"moe_num_experts":[64,64],"moe_k":6}`, map[string][]int64{
			"model.layers.1.mlp.experts.0.up_proj.weight": {64, 10},
		}, 64, 6, 640, 60},
		{"another first dimension", `{"num_local_experts":8,"num_experts_per_tok":2}`, map[string][]int64{
			"model.layers.0.block_sparse_moe.input_linear.weight": {9, 64, 16},
		}, 0, 0, 0, 0},
		{"a matrix", `{"num_local_experts":8,"num_experts_per_tok":2}`, map[string][]int64{
			"model.layers.0.mlp.up_proj.weight": {8, 16},
		}, 0, 0, 0, 0},
		{"a convolution of attention", `{"num_local_experts":8,"num_experts_per_tok":2}`, map[string][]int64{
			"model.layers.0.self_attn.conv.weight": {8, 1, 4},
		}, 0, 0, 0, 0},
		{"a shared expert", `{"num_local_experts":8,"num_experts_per_tok":2}`, map[string][]int64{
			"model.layers.0.shared_experts.up_proj.weight": {8, 1, 4},
		}, 0, 0, 0, 0},
	} {
		h := new(safetensors.Header)
		for name, shape := range tt.tensors {
			h.Tensors = append(h.Tensors, safetensors.TensorInfo{Name: name, Dtype: "BF16", Shape: shape})
		}
		n := model.Count(&model.Model{Files: []model.File{{Header: h}}, Config: []byte(tt.config)})
		switch x := n.Experts; {
		case x == nil && tt.experts == 0:
		case x == nil || x.Count != tt.count || x.Chosen != tt.chosen || x.Params.High != tt.experts || x.Active.High != tt.active:
			t.Errorf("%s: %+v", tt.name, x)
		}
	}
}

// Qwen2.5 0.5B, tied: 0.49 billion, of which 0.36 are no embedding. (Its model card.)
func TestWithoutEmbedding(t *testing.T) {
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{
		{Name: "model.embed_tokens.weight", Dtype: "BF16", Shape: []int64{151936, 896}},
		{Name: "model.layers.0.mlp.up_proj.weight", Dtype: "BF16", Shape: []int64{4864, 896}},
	}}
	n := model.Count(&model.Model{Files: []model.File{{Header: h}}})
	if got := n.WithoutEmbedding(); got.Low != 4864*896 || got.High != got.Low {
		t.Errorf("%+v", got)
	}
}

// DeepSeek-V3 keeps the layer that predicts a second token after the last one.
func TestLayersAfterTheLastAreMTP(t *testing.T) {
	d := new(Draft)
	for i := range 3 {
		d.Add(fmt.Sprintf("model.layers.%d.mlp.experts.0.up_proj.weight", i), "BF16", 10)
	}
	f := &Fixture{Shards: []*Draft{d}, Config: `{"num_hidden_layers":2,"num_nextn_predict_layers":1,"n_routed_experts":10,"num_experts_per_tok":2}`}
	n := model.Count(f.Model())
	// 20 are routed, of which 2 in 10 are chosen; the other 10 are MTP.
	if n.Experts == nil || n.Experts.Params.High != 20 || n.Experts.Active.High != 4 || n.Components[1].Key != model.ComponentMTP {
		t.Errorf("%+v, %+v", n.Components, n.Experts)
	}
}

func TestOnly(t *testing.T) {
	m := LlamaBnB().Model()
	m.Only = func(ti *safetensors.TensorInfo) bool { return ti.Name == "model.layers.0.self_attn.q_proj.weight" }
	if n := model.Count(m); n.Tensors != 1 || n.Params.High != 4096*4096 || n.Scheme != "bitsandbytes nf4" {
		t.Errorf("one matrix: %+v, %q", n.Tally, n.Scheme)
	}
}
