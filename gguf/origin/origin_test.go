package origin

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
)

func open(t *testing.T, ref string) *checkpoint.Checkpoint {
	t.Helper()
	cp, err := checkpoint.Open(t.Context(), ref, &checkpoint.Options{Formats: []checkpoint.Format{gguf.Format(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cp.Close() })
	return cp
}

// Files of the Python package gguf, made of a checkpoint and of one with another matrix.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		model, from string
		want        Verdict
		off         []string
	}{
		{"tiny-Q8_0.gguf", "source", MadeFrom, nil},
		{"split", "source", MadeFrom, nil},
		{"tiny-Q8_0.gguf", "other", SomeOff, []string{"blk.0.ffn_up.weight"}},
		{"tiny-Q8_0.gguf", "../sample", Different, nil}, /* other shapes */
	} {
		r, err := new(Comparer).Compare(t.Context(), open(t, "../../testdata/gguf/"+test.model),
			open(t, "../../testdata/gguf/"+test.from))
		if err != nil {
			t.Fatal(err)
		}
		var off []string
		for i := range r.Tensors {
			if s := r.Tensors[i].State; s == Off || s == Other {
				off = append(off, r.Tensors[i].Name)
			}
		}
		if r.Verdict != test.want || !slices.Equal(off, test.off) {
			t.Errorf("%s of %s: %s, off %q", test.model, test.from, r.Verdict, off)
		}
	}
}

// Each step of each transform in the map is known, and each tensor has a source.
func TestMapIsWhole(t *testing.T) {
	special := []string{"", "reshape", "pad_rows", "add_one", "neg_exp", "stack", "made"}
	if len(tables()) != 55 {
		t.Errorf("the map has %d architectures", len(tables()))
	}
	for arch, table := range tables() {
		for name, sources := range table {
			for _, s := range sources {
				for step := range strings.SplitSeq(s.how, "+") {
					if transforms[step] == nil && !slices.Contains(special, step) {
						t.Errorf("%s: %s: nobody knows %q", arch, name, step)
					}
				}
				if s.name == "" || strings.Contains(s.name, " ") {
					t.Errorf("%s: %s: the source is %q", arch, name, s.name)
				}
			}
		}
	}
}

// floats returns a tensor of what f makes of 0, 1, 2 and so on.
func floats(f func(i float64) float64, shape ...int64) *safetensors.Tensor {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(f(float64(i)))
	}
	t, err := safetensors.NewTensor("t", list, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func count(shape ...int64) *safetensors.Tensor {
	return floats(func(i float64) float64 { return i }, shape...)
}

// The rows that transforms take, by the descriptions beside them; every row of these tensors has one element.
func TestTransforms(t *testing.T) {
	sizes := map[string]int64{"attention.head_count": 4, "attention.head_count_kv": 2, "rope.dimension_count": 1,
		"attention.key_length_mla": 3, "attention.value_length_mla": 1, "ssm.group_count": 2, "ssm.state_size": 1,
		"ssm.inner_size": 4}
	numbers := func(key string) int64 { return sizes[key] }
	for _, test := range []struct {
		how, to string
		from    *safetensors.Tensor
		want    []float32
	}{
		{"transpose", "", count(2, 3), []float32{0, 3, 1, 4, 2, 5}},
		{"rope_halves(heads)", "", count(16), []float32{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}},
		{"rope_halves(kv_heads)", "", count(8), []float32{0, 2, 1, 3, 4, 6, 5, 7}},
		{"first_half", "", count(4, 1), []float32{0, 1}},
		{"second_half", "", count(4, 1), []float32{2, 3}},
		{"first_half_of_each_expert", "", count(2, 4, 1), []float32{0, 1, 4, 5}},
		{"second_half_of_each_expert", "", count(2, 4, 1), []float32{2, 3, 6, 7}},
		{"transpose+first_half_of_each_expert", "", count(1, 2, 4), []float32{0, 4, 1, 5}},
		{"transpose+even_rows", "", count(1, 2, 4), []float32{0, 4, 2, 6}},
		{"transpose+odd_rows", "", count(1, 2, 4), []float32{1, 5, 3, 7}},
		{"interleaved", "blk.0.ffn_gate_exps.bias", count(2, 4), []float32{0, 2, 4, 6}},
		{"interleaved", "blk.0.ffn_up_exps.bias", count(2, 4), []float32{1, 3, 5, 7}},
		{"qkv_by_head", "", count(12), []float32{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}},
		{"qkv_by_group", "", count(8), []float32{0, 1, 4, 5, 2, 6, 3, 7}},
		{"wqkv_q+rope_halves", "blk.0.attn_q.weight", count(16, 1), []float32{0, 1, 2, 3, 8, 9, 10, 11}},
		{"wqkv_k+rope_halves", "blk.0.attn_k.weight", count(16, 1), []float32{4, 5, 12, 13}},
		{"wqkv_v", "blk.0.attn_v.weight", count(16, 1), []float32{6, 7, 14, 15}},
		{"mla_k_b", "", count(12, 1), []float32{0, 1, 3, 4, 6, 7, 9, 10}},
		{"mla_v_b", "", count(12, 1), []float32{2, 5, 8, 11}},
		{"qkvz_qkv", "", count(12, 1), []float32{0, 6, 1, 7, 2, 3, 8, 9}},
		{"qkvz_z", "", count(12, 1), []float32{4, 5, 10, 11}},
		{"drop_first_rows(2)", "", count(4, 1), []float32{2, 3}},
	} {
		made, _, err := apply(test.how, test.to, []*safetensors.Tensor{test.from}, numbers)
		if err != nil {
			t.Errorf("%s: %v", test.how, err)
			continue
		}
		got := make([]float32, made.NumElems())
		if err := read(made, 0, got, make([]byte, 4*len(got))); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v; %v", test.how, got, test.want, err)
		}
	}
}

// What the converter does to elements, and what rounding to floats may do.
func TestElements(t *testing.T) {
	from := count(64)
	for _, test := range []struct {
		name   string
		is     func(x float64) float64
		op     operation
		stored safetensors.Dtype
		want   State
	}{
		{"same", func(x float64) float64 { return x }, keep, "F32", Equal},
		{"plus one", func(x float64) float64 { return x + 1 }, addOne, "F32", Equal},
		{"plus two", func(x float64) float64 { return x + 2 }, addOne, "F32", Off},
		{"-exp", func(x float64) float64 { return -math.Exp(x) * (1 + 1e-7) }, negExp, "F32", Rounded},
		{"half", func(x float64) float64 { return x * (1 + 1./4096) }, keep, "F16", Rounded},
		{"not half", func(x float64) float64 { return x * (1 + 1./1024) }, keep, "F16", Off},
		{"eighths", func(x float64) float64 { return math.Round(x/8) * 8 }, keep, "Q8_0", Rounded},
		{"shifted", func(x float64) float64 { return math.Round(x/8)*8 + 8 }, keep, "Q8_0", Off},
		{"negative", func(x float64) float64 { return -math.Round(x/8) * 8 }, keep, "Q8_0", Other},
		{"infinite", func(float64) float64 { return math.Inf(1) }, keep, "F16", Other},
	} {
		c := &comparison{is: floats(test.is, 64), from: from, op: test.op, stored: test.stored, source: safetensors.BF16}
		s, err := c.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got Tensor
		if got.judge(c, s); got.State != test.want {
			t.Errorf("%s: %s, want %s: %+v", test.name, got.State, test.want, s)
		}
	}
}

// Names that the map has in another way are found: with and without the base of a model, in the words of TensorFlow, for
// biases, and in layers that predict further tokens.
func TestOrigins(t *testing.T) {
	for _, test := range []struct{ arch, name, have, how string }{
		{"llama", "blk.1.attn_q.weight", "model.layers.1.self_attn.q_proj.weight", "rope_halves(heads)"},
		{"llama", "blk.1.attn_q.bias", "model.layers.1.self_attn.q_proj.bias", "rope_halves(heads)"},
		{"llama", "blk.1.ffn_up.weight", "layers.1.mlp.up_proj.weight", ""},
		{"llama", "output.weight", "model.language_model.embed_tokens.weight", ""},
		{"gpt2", "blk.0.attn_qkv.weight", "h.0.attn.c_attn.weight", "transpose"},
		{"bert", "token_embd_norm.weight", "bert.embeddings.LayerNorm.gamma", ""},
		{"bert", "token_embd_norm.bias", "bert.embeddings.LayerNorm.beta", ""},
		{"glm4moe", "blk.3.nextn.eh_proj.weight", "model.layers.3.eh_proj.weight", ""},
		{"qwen3next", "blk.3.nextn.eh_proj.weight", "mtp.fc.weight", ""},
		{"qwen3next", "blk.3.nextn.enorm.weight", "mtp.pre_fc_norm_embedding.weight", "add_one"},
		{"qwen3next", "blk.4.attn_q.weight", "mtp.layers.1.self_attn.q_proj.weight", ""},
		{"llama", "blk.1.attn_q.weight", "", ""},
		{"llama", "blk.1.attn_q.weight", "model.layers.2.self_attn.q_proj.weight", ""},
	} {
		m := &matcher{table: tables()[test.arch], names: make(map[string]string), bare: make(map[string]string)}
		m.add(test.have, test.have, 3)
		all, _ := m.origins(test.name)
		switch {
		case test.have == "" || strings.Contains(test.have, ".2."):
			if len(all) != 0 {
				t.Errorf("%s of %s: %v", test.name, test.arch, all)
			}
		case len(all) == 0 || all[0].from[0] != test.have || all[0].how != test.how:
			t.Errorf("%s of %s: %v instead of %s %s", test.name, test.arch, all, test.have, test.how)
		}
	}
}

// A model may lack the layer that predicts further tokens, and no other.
func TestMissing(t *testing.T) {
	m := &matcher{names: make(map[string]string), bare: make(map[string]string)}
	for _, name := range []string{"model.layers.0.up.weight", "model.layers.1.up.weight", "model.layers.2.up.weight",
		"model.layers.2.eh_proj.weight", "model.layers.0.rotary"} {
		m.add(name, name, 2)
	}
	compared := []Tensor{{Name: "blk.0.ffn_up.weight", From: []string{"model.layers.0.up.weight"}}}
	if got := m.missing(compared); !slices.Equal(got, []string{"model.layers.1.up.weight"}) {
		t.Errorf("missing: %q", got)
	}
}

// A model that was made of weights in FP8, whose blocks have scales.
func TestCompareUnpacked(t *testing.T) {
	const codes = "\x38\x40\x48\xb8" // 1, 2, 4, -1 as F8_E4M3
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	header := `{"model.layers.0.mlp.up_proj.weight":{"dtype":"F8_E4M3","shape":[1,4],"data_offsets":[0,4]},` +
		`"model.layers.0.mlp.up_proj.weight_scale_inv":{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]}}`
	write("model.safetensors", string(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))+header+codes+bits(0.5))
	write("config.json", `{"quantization_config":{"quant_method":"fp8","weight_block_size":[128,128]}}`)
	for _, test := range []struct {
		last float32
		want State
	}{{-0.5, Equal}, {0.5, Off}} {
		file := []byte("GGUF\x03\x00\x00\x00")
		number := func(n uint64) { file = binary.LittleEndian.AppendUint64(file, n) }
		text := func(s string) { number(uint64(len(s))); file = append(file, s...) }
		number(1)
		number(1)
		text("general.architecture")
		file = append(file, 8, 0, 0, 0)
		text("llama")
		text("blk.0.ffn_up.weight")
		file = append(file, 1, 0, 0, 0)
		number(4)
		file = append(file, 0, 0, 0, 0)
		number(0)
		file = append(file, make([]byte, -len(file)&31)...)
		file = append(file, bits(0.5)+bits(1)+bits(2)+bits(test.last)...)
		write("model.gguf", string(file))
		r, err := new(Comparer).Compare(t.Context(), open(t, filepath.Join(folder, "model.gguf")),
			open(t, filepath.Join(folder, "model.safetensors")))
		if err != nil || len(r.Tensors) != 1 || r.Tensors[0].State != test.want || len(r.Missing) > 0 {
			t.Errorf("%v: %+v, %v", test.last, r, err)
		}
	}
}

// bits are the bytes of a number as F32.
func bits(x float32) string {
	return string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
}

// Small models that llama.cpp's converter wrote, one for each transform.
func TestPairs(t *testing.T) {
	const shared = "../../../shared/gguf/vectors/pairs"
	names, err := os.ReadDir(shared)
	if err != nil {
		t.Skip(err)
	}
	for _, name := range names {
		files, _ := filepath.Glob(filepath.Join(shared, name.Name(), "*.gguf"))
		if len(files) != 1 {
			t.Errorf("%s: %q", name.Name(), files)
			continue
		}
		r, err := new(Comparer).Compare(t.Context(), open(t, files[0]),
			open(t, filepath.Join(shared, name.Name(), "model.safetensors")))
		if err != nil || r.Verdict != MadeFrom {
			t.Errorf("%s: %+v, %v", name.Name(), r, err)
		}
	}
}
