package parts

import (
	"testing"

	"github.com/weightools/safetensors"
)

// A dtype that the root package knows has a kind here.
func TestEveryDtypeHasAKind(t *testing.T) {
	for d := range safetensors.Dtypes() {
		if k := KindOf(d); k == Unknown || k&Known != k {
			t.Errorf("%s: kind %b", d, k)
		}
	}
	if KindOf("F99") != Unknown {
		t.Error("F99 has a kind")
	}
}

func TestSplit(t *testing.T) {
	for name, want := range map[string]struct {
		module string
		role   Role
	}{
		"a.b.weight":                               {"a.b", Weight},
		"a.b.weight_scale_inv":                     {"a.b", ScaleInv},
		"a.b.weight.absmax":                        {"a.b", Absmax},
		"a.b.weight.quant_state.bitsandbytes__nf4": {"a.b", QuantState},
		"mlp.experts.down_proj_scales":             {"mlp.experts.down_proj", Scales},
		"mlp.experts.down_proj_blocks":             {"mlp.experts.down_proj", Blocks},
		"a._weight_qdata":                          {"a", QData},
		"a.weight._data._data":                     {"a", Data},
		"a.res_centroids.weight":                   {"a", Codebooks},
		"experts.gate_up_proj":                     {"experts.gate_up_proj", Weight},
		"a.self_attn.k_scale":                      {"a.self_attn", Activation},
		"_scale":                                   {"", Scale},
		"":                                         {"", Weight},
	} {
		if module, role := Split(name); module != want.module || role != want.role {
			t.Errorf("%q: %q, role %d; want %q, role %d", name, module, role, want.module, want.role)
		}
	}
}

func TestLayer(t *testing.T) {
	for name, want := range map[string]struct {
		stack  string
		number int
		rest   string
	}{
		"model.layers.3.mlp.7.weight": {"model.layers", 3, "mlp.7.weight"},
		"blocks.12":                   {"blocks", 12, ""},
		"0.weight":                    {"", 0, "weight"},
		"h.1234567890.w":              {"", -1, ""},
		"0.auto_model.layer.1.w":      {"0.auto_model.layer", 1, "w"},
		"model.norm.weight":           {"", -1, ""},
		"":                            {"", -1, ""},
	} {
		if stack, number, rest := Layer(name); stack != want.stack || number != want.number || rest != want.rest {
			t.Errorf("%q: %q %d %q", name, stack, number, rest)
		}
	}
}

func TestExpert(t *testing.T) {
	for rest, want := range map[string]int{
		"mlp.experts.37.down_proj.weight": 37, "experts.0.w1.weight": 0, "block_sparse_moe.experts.7.w2.qweight": 7,
		"mlp.shared_experts.down_proj.weight": -1, "mlp.shared_experts.0.w": -1, "mlp.experts.gate_up_proj": -1,
		"experts.": -1, "mlp.experts.x.w": -1, "": -1,
	} {
		if got, ok := Expert(rest); ok != (want >= 0) || ok && got != want {
			t.Errorf("Expert(%q) = %d, %v, want %d", rest, got, ok, want)
		}
	}
}

func TestMatrixOf(t *testing.T) {
	for name, want := range map[string]Matrix{
		"m.q_proj.lora_A.weight":            {"LoRA", "m.q_proj", "m.q_proj.lora_A.weight", true, false},
		"m.q_proj.lora_B.weight":            {"LoRA", "m.q_proj", "m.q_proj.lora_A.weight", false, false},
		"m.q_proj.lora_B.mine.weight":       {"LoRA", "m.q_proj", "m.q_proj.lora_A.mine.weight", false, false},
		"wte.lora_embedding_B":              {"LoRA", "wte", "wte.lora_embedding_A", false, false},
		"lora_unet_to_q.lora_up.weight":     {"LoRA", "lora_unet_to_q", "lora_unet_to_q.lora_down.weight", false, false},
		"attn1.processor.to_q_lora.up.bias": {"LoRA", "attn1.processor.to_q", "attn1.processor.to_q_lora.down.bias", false, false},
		"m.q_proj.lora_b":                   {"LoRA", "m.q_proj", "m.q_proj.lora_a", false, true},
		"x.hada_w1_a":                       {"LoHa", "x", "x.hada_w1_b", false, false},
		"x.lokr_w2_b":                       {"LoKr", "x", "x.lokr_w2_b", true, false},
		"m.q_proj.lora_A_scale":             {},
		"m.explorations.weight":             {},
		"":                                  {},
	} {
		if m, ok := MatrixOf(name); m != want || ok != (want != Matrix{}) {
			t.Errorf("MatrixOf(%q) = %+v, %v, want %+v", name, m, ok, want)
		}
	}
}

func TestRank(t *testing.T) {
	down, up := []int64{4, 8, 3, 3}, []int64{16, 4, 1, 1}
	for _, m := range []struct {
		Matrix
		shape []int64
		want  int64
	}{
		{Matrix{Down: true}, down, 4}, {Matrix{}, up, 4},
		{Matrix{Down: true, In: true}, []int64{8, 4}, 4}, {Matrix{In: true}, []int64{4, 16}, 4},
		{Matrix{Down: true}, down[:3], 0}, {Matrix{}, nil, 0},
	} {
		if got := m.Rank(m.shape); got != m.want {
			t.Errorf("%+v: rank %d by %v, want %d", m.Matrix, got, m.shape, m.want)
		}
	}
}
