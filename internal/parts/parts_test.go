package parts

import (
	"strings"
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

func TestAdapterOf(t *testing.T) {
	const (
		down  = AdapterDown
		up    = AdapterUp
		other = AdapterOther
	)
	for name, want := range map[string]AdapterPart{
		"m.q_proj.lora_A.weight":            {Kind: "LoRA", Role: down, Module: "m.q_proj", Word: "lora_A", Leaf: "weight"},
		"m.q_proj.lora_B.mine.weight":       {Kind: "LoRA", Role: up, Module: "m.q_proj", Word: "lora_B", Label: "mine", Leaf: "weight"},
		"m.q_proj.lora_A.default":           {Kind: "LoRA", Role: down, Module: "m.q_proj", Word: "lora_A", Label: "default"},
		"wte.lora_embedding_B":              {Kind: "LoRA", Role: up, Module: "wte", Word: "lora_embedding_B"},
		"lora_unet_to_q.lora_up.weight":     {Kind: "LoRA", Role: up, Module: "lora_unet_to_q", Word: "lora_up", Leaf: "weight"},
		"lora_unet_to_q.alpha":              {Role: AdapterAlpha, Module: "lora_unet_to_q", Word: "alpha"},
		"lora_unet_to_q.a1.weight":          {Kind: "GLoRA", Role: down, Module: "lora_unet_to_q", Word: "a1", Leaf: "weight"},
		"attn1.processor.to_q_lora.up.bias": {Kind: "LoRA", Role: up, Module: "attn1.processor.to_q", Word: "_lora.up", Leaf: "bias"},
		"attn1.to_q.lora.down.weight":       {Kind: "LoRA", Role: down, Module: "attn1.to_q", Word: "lora.down", Leaf: "weight"},
		"q_proj.lora_linear_layer.up.weight": {Kind: "LoRA", Role: up, Module: "q_proj",
			Word: "lora_linear_layer.up", Leaf: "weight"},
		"b.0.processor.qkv_lora2.down.weight": {Kind: "LoRA", Role: down, Module: "b.0.processor.qkv_lora2",
			Word: ".down", Leaf: "weight"},
		"m.to_q_lora_A.weight":         {Kind: "LoRA", Role: down, Module: "m.to_q", Word: "_lora_A", Leaf: "weight"},
		"m.q_proj.lora_b":              {Kind: "LoRA", Role: up, Module: "m.q_proj", Word: "lora_b", In: true},
		"x.hada_w1_a":                  {Kind: "LoHa", Role: up, Module: "x", Word: "hada_w1_a"},
		"x.lokr_w2_b":                  {Kind: "LoKr", Role: down, Module: "x", Word: "lokr_w2_b"},
		"x.vera_lambda_d":              {Kind: "VeRA", Role: AdapterRank, Module: "x", Word: "vera_lambda_d"},
		"x.oft_R.weight":               {Kind: "OFT", Role: other, Module: "x", Word: "oft_R", Leaf: "weight"},
		"x.lora_magnitude_vector.mine": {Role: AdapterMagnitude, Module: "x", Word: "lora_magnitude_vector", Label: "mine"},
		"prompt_embeddings":            {Kind: "prompt tuning", Role: other, Word: "prompt_embeddings"},
		"x.diff":                       {Kind: "full", Role: other, Module: "x", Word: "diff", Weak: true},
		"vocoder.snake.alpha":          {Role: AdapterAlpha, Module: "vocoder.snake", Word: "alpha", Weak: true},
		"m.q_proj.lora_A_scale":        {},
		"m.explorations.weight":        {},
		"soft_R.weight":                {},
		"up_blocks.0.up.weight":        {},
		"x.alpha.weight.weight.weight": {},
		"":                             {},
	} {
		if p, ok := AdapterOf(name); p != want || ok != (want != AdapterPart{}) {
			t.Errorf("AdapterOf(%q) = %+v, %v, want %+v", name, p, ok, want)
		}
		if want.Kind != "" && !want.Weak && !IsAdapter(name) {
			t.Errorf("IsAdapter(%q) is false", name)
		}
	}
}

func TestAdapterWords(t *testing.T) {
	last := ""
	for line := range strings.Lines(adapterWordsText) {
		if line[0] == '#' {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 5 || f[0] <= last || adapterWords()[f[0]].role == NoAdapter {
			t.Errorf("%q: want a word after %q, a kind, a role, a project and a file", line, last)
		}
		last = f[0]
	}
}

func TestMatrixOf(t *testing.T) {
	for _, two := range [][2]string{
		{"m.q.lora_A.weight", "m.q.lora_B.weight"}, {"m.q.lora_A.mine.weight", "m.q.lora_B.mine.weight"},
		{"wte.lora_embedding_A", "wte.lora_embedding_B"}, {"p.to_q_lora.down.bias", "p.to_q_lora.up.bias"},
		{"q.lora_a", "q.lora_b"}, {"x.hada_w1_b", "x.hada_w1_a"},
	} {
		down, ok := MatrixOf(two[0])
		up, ok2 := MatrixOf(two[1])
		if !ok || !ok2 || !down.Down || up.Down || down.Pair != up.Pair {
			t.Errorf("%q: %+v, %+v", two, down, up)
		}
	}
	a, _ := MatrixOf("q.lora_A.weight")
	for _, other := range []string{"q.lora_B.bias", "q.lora_B.mine.weight", "k.lora_B.weight", "q.lora_embedding_B"} {
		if m, ok := MatrixOf(other); !ok || m.Pair == a.Pair {
			t.Errorf("%q: %+v", other, m)
		}
	}
	for _, none := range []string{"q.alpha", "q.a1.weight", "q.lora_magnitude_vector"} {
		if _, ok := MatrixOf(none); ok {
			t.Errorf("%q is a matrix", none)
		}
	}
}

func TestRank(t *testing.T) {
	down, up := []int64{4, 8, 3, 3}, []int64{16, 4, 1, 1}
	for _, m := range []struct {
		AdapterPart
		shape []int64
		want  int64
	}{
		{AdapterPart{Role: AdapterDown}, down, 4}, {AdapterPart{Role: AdapterUp}, up, 4},
		{AdapterPart{Role: AdapterDown, In: true}, []int64{8, 4}, 4},
		{AdapterPart{Role: AdapterUp, In: true}, []int64{4, 16}, 4},
		{AdapterPart{Role: AdapterDown}, down[:3], 0}, {AdapterPart{Role: AdapterUp}, nil, 0},
	} {
		if got := m.Rank(m.shape); got != m.want {
			t.Errorf("%+v: rank %d by %v, want %d", m.AdapterPart, got, m.shape, m.want)
		}
	}
}
