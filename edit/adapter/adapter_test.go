package adapter

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/model/adapters"
)

// files are what is beside the tensors.
type files map[string]string

func inputOf(tensors []*safetensors.Tensor, metadata map[string]string, beside files) *edit.Input {
	return &edit.Input{Tensors: tensors, Metadata: metadata, Files: 1, Beside: func(name string) ([]byte, error) {
		if text, ok := beside[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
}

// tensorOf returns a tensor of random values.
func tensorOf(t *testing.T, name string, shape ...int64) *safetensors.Tensor {
	t.Helper()
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	seed := uint64(0)
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	random := rand.New(rand.NewPCG(1, seed))
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(random.NormFloat64()) + 0.001
	}
	one, err := safetensors.NewTensor(name, data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// pair returns the matrices of a module.
func pair(t *testing.T, down, up string, rank, in, out int64) []*safetensors.Tensor {
	return []*safetensors.Tensor{tensorOf(t, down, rank, in), tensorOf(t, up, out, rank)}
}

func scalar(t *testing.T, name string, value float32) *safetensors.Tensor {
	one, err := safetensors.NewTensor(name, []float32{value})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// values reads a tensor.
func values(t *testing.T, one *safetensors.Tensor) []float64 {
	t.Helper()
	list := make([]float64, one.NumElems())
	if n, err := safetensors.DecodeAt(one, list, 0); n != len(list) {
		t.Fatalf("%s: %v", one.Name, err)
	}
	return list
}

// convert converts an adapter.
func convert(t *testing.T, to adapters.Spelling, in *edit.Input) *edit.Output {
	t.Helper()
	f, ok := Convert(to)
	if !ok {
		t.Fatalf("no form %q", to)
	}
	out, err := f(in)
	if err != nil {
		t.Fatalf("%s: %v", to, err)
	}
	return out
}

// next returns the output as an input.
func next(out *edit.Output, metadata map[string]string, beside files) *edit.Input {
	var list []*safetensors.Tensor
	for _, m := range out.Tensors {
		list = append(list, m.Tensor)
	}
	meta := make(map[string]string)
	for k, v := range metadata {
		if !slices.Contains(out.Unset, k) {
			meta[k] = v
		}
	}
	for k, v := range out.Set {
		meta[k] = v
	}
	texts := make(files)
	for k, v := range beside {
		texts[k] = v
	}
	for k, v := range out.Texts {
		if texts[k] = string(v); v == nil {
			delete(texts, k)
		}
	}
	return inputOf(list, meta, texts)
}

// bytesOf returns the dtype, shape and bytes of all tensors by name.
func bytesOf(t *testing.T, list []*safetensors.Tensor) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, one := range list {
		data := make([]byte, one.Size())
		if err := bytesio.ReadFull(one.ReaderAt, data, 0); err != nil {
			t.Fatal(err)
		}
		all[one.Name] = fmt.Sprintf("%s %s %x", one.Dtype, one.ShapeString(), data)
	}
	return all
}

// sameTensors reports differences.
func sameTensors(t *testing.T, got, want []*safetensors.Tensor) {
	t.Helper()
	a, b := bytesOf(t, got), bytesOf(t, want)
	for name, data := range b {
		if a[name] != data {
			t.Errorf("%s: %.60s, want %.60s", name, a[name], data)
		}
	}
	for name := range a {
		if b[name] == "" {
			t.Errorf("%s is too much", name)
		}
	}
}

// An adapter is a name for a test, its tensors and what is beside them.
type sample struct {
	name     string
	tensors  []*safetensors.Tensor
	metadata map[string]string
	beside   files
}

func peftText(alpha string) files {
	return files{configName: `{"peft_type": "LORA", "r": 4, "lora_alpha": ` + alpha + `, "base_model_name_or_path": "a/b", "task_type": "CAUSAL_LM"}`}
}

// samples returns an adapter in each spelling, for the tests of going there and back.
func samples(t *testing.T) map[adapters.Spelling]sample {
	join := slices.Concat[[]*safetensors.Tensor]
	q := "model.layers.0.self_attn.q_proj"
	return map[adapters.Spelling]sample{
		adapters.PEFT: {"an LLM", pair(t, "base_model.model."+q+".lora_A.weight", "base_model.model."+q+".lora_B.weight", 4, 8, 6), nil, peftText("8")},
		adapters.Kohya: {"Flux and CLIP", join(
			pair(t, "lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight", "lora_unet_double_blocks_0_img_attn_qkv.lora_up.weight", 4, 8, 24),
			pair(t, "lora_unet_double_blocks_0_img_mlp_0.lora_down.weight", "lora_unet_double_blocks_0_img_mlp_0.lora_up.weight", 4, 8, 32),
			pair(t, "lora_unet_single_blocks_1_linear1.lora_down.weight", "lora_unet_single_blocks_1_linear1.lora_up.weight", 4, 8, 56),
			pair(t, "lora_unet_final_layer_adaLN_modulation_1.lora_down.weight", "lora_unet_final_layer_adaLN_modulation_1.lora_up.weight", 4, 8, 16),
			pair(t, "lora_te1_text_model_encoder_layers_0_self_attn_q_proj.lora_down.weight", "lora_te1_text_model_encoder_layers_0_self_attn_q_proj.lora_up.weight", 4, 8, 8),
			[]*safetensors.Tensor{scalar(t, "lora_unet_double_blocks_0_img_attn_qkv.alpha", 2), scalar(t, "lora_unet_double_blocks_0_img_mlp_0.alpha", 2),
				scalar(t, "lora_unet_single_blocks_1_linear1.alpha", 2), scalar(t, "lora_unet_final_layer_adaLN_modulation_1.alpha", 2),
				scalar(t, "lora_te1_text_model_encoder_layers_0_self_attn_q_proj.alpha", 1)},
		), map[string]string{"ss_network_alpha": "2"}, nil},
		adapters.Diffusers: {"Flux", join(
			pair(t, "transformer.transformer_blocks.0.attn.to_q.lora_A.weight", "transformer.transformer_blocks.0.attn.to_q.lora_B.weight", 4, 8, 8),
			pair(t, "transformer.transformer_blocks.0.attn.to_k.lora_A.weight", "transformer.transformer_blocks.0.attn.to_k.lora_B.weight", 4, 8, 8),
			pair(t, "transformer.transformer_blocks.0.attn.to_v.lora_A.weight", "transformer.transformer_blocks.0.attn.to_v.lora_B.weight", 4, 8, 8),
			pair(t, "transformer.transformer_blocks.0.attn.to_out.0.lora_A.weight", "transformer.transformer_blocks.0.attn.to_out.0.lora_B.weight", 4, 8, 8),
			pair(t, "transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight", "transformer.single_transformer_blocks.0.attn.to_q.lora_B.weight", 2, 8, 8),
			pair(t, "transformer.single_transformer_blocks.0.proj_mlp.lora_A.weight", "transformer.single_transformer_blocks.0.proj_mlp.lora_B.weight", 2, 8, 32),
		), map[string]string{metadataName: `{"transformer.r": 4, "transformer.lora_alpha": 8, "transformer.alpha_pattern": {"single_transformer_blocks.0.attn.to_q": 4, "single_transformer_blocks.0.proj_mlp": 4}}`}, nil},
	}
}

// Whoever goes to another form and back has every byte again.
func TestThereAndBack(t *testing.T) {
	for from, s := range samples(t) {
		for _, to := range Forms() {
			if (from == adapters.PEFT) != (to == adapters.MLX) && to != from || from == adapters.Kohya && to == adapters.PEFT {
				continue // not a form for that model
			}
			t.Run(string(from)+" to "+string(to), func(t *testing.T) {
				in := inputOf(s.tensors, s.metadata, s.beside)
				there := next(convert(t, to, in), s.metadata, s.beside)
				back := convert(t, from, there)
				sameTensors(t, next(back, there.Metadata, nil).Tensors, s.tensors)
			})
		}
	}
}

// dense returns the change of the weights of each module in the spelling of diffusers.
func dense(t *testing.T, in *edit.Input) map[string][]float64 {
	t.Helper()
	s, err := read(in)
	if err == nil {
		err = s.respell(adapters.Diffusers, forms[adapters.Diffusers])
	}
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]float64)
	for _, m := range s.modules {
		r, in, out := m.down.Shape[0], m.down.Shape[1], m.up.Shape[0]
		a, b := values(t, m.down.Tensor), values(t, m.up.Tensor)
		w := make([]float64, in*out)
		for o := range out {
			for i := range in {
				for k := range r {
					w[o*in+i] += b[o*r+k] * a[k*in+i] * m.scale()
				}
			}
		}
		all[string(m.component)+" "+m.path] = w
	}
	return all
}

// The change of the weights is the same in each form.
func TestSameChange(t *testing.T) {
	for from, s := range samples(t) {
		if from == adapters.PEFT {
			continue
		}
		in := inputOf(s.tensors, s.metadata, s.beside)
		want := dense(t, in)
		for _, to := range []adapters.Spelling{adapters.Kohya, adapters.ComfyUI, adapters.Diffusers} {
			got := dense(t, next(convert(t, to, in), s.metadata, s.beside))
			if len(got) != len(want) {
				t.Errorf("%s to %s: %d modules, want %d", from, to, len(got), len(want))
			}
			for path, w := range want {
				if !slices.EqualFunc(got[path], w, func(a, b float64) bool { return a-b < 1e-5 && b-a < 1e-5 }) {
					t.Errorf("%s to %s: %s changes otherwise", from, to, path)
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	all := samples(t)
	for _, tt := range []struct {
		from, to adapters.Spelling
		want     []string // names and shapes that are there
		config   string   // a part of adapter_config.json or the metadata
	}{
		{adapters.PEFT, adapters.MLX, []string{"model.layers.0.self_attn.q_proj.lora_a [8, 4]", "model.layers.0.self_attn.q_proj.lora_b [4, 6]"}, `"scale": 2`},
		{adapters.Kohya, adapters.ComfyUI, []string{"diffusion_model.double_blocks.0.img_attn.qkv.lora_A.weight [4, 8]", "diffusion_model.double_blocks.0.img_mlp.0.alpha []",
			"text_encoders.clip_l.transformer.text_model.encoder.layers.0.self_attn.q_proj.lora_B.weight [8, 4]"}, ""},
		{adapters.Kohya, adapters.Diffusers, []string{"transformer.transformer_blocks.0.attn.to_q.lora_A.weight [4, 8]", "transformer.transformer_blocks.0.attn.to_v.lora_B.weight [8, 4]",
			"transformer.single_transformer_blocks.1.proj_mlp.lora_B.weight [32, 4]", "text_encoder.text_model.encoder.layers.0.self_attn.q_proj.lora_A.weight [4, 8]"}, `"transformer.lora_alpha": 2`},
		{adapters.Diffusers, adapters.Kohya, []string{"lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight [12, 8]", "lora_unet_double_blocks_0_img_attn_qkv.lora_up.weight [24, 12]",
			"lora_unet_double_blocks_0_img_attn_qkv.alpha []", "lora_unet_single_blocks_0_linear1.lora_up.weight [56, 4]"}, ""},
		{adapters.Diffusers, adapters.PEFT, []string{"base_model.model.transformer_blocks.0.attn.to_out.0.lora_A.weight [4, 8]"}, `"alpha_pattern": {
    "single_transformer_blocks.0.attn.to_q": 4`},
	} {
		s := all[tt.from]
		out := convert(t, tt.to, inputOf(s.tensors, s.metadata, s.beside))
		var names []string
		for _, m := range out.Tensors {
			names = append(names, m.Name+" "+m.ShapeString())
		}
		for _, want := range tt.want {
			if !slices.Contains(names, want) {
				t.Errorf("%s to %s: no %q in %q", tt.from, tt.to, want, names)
			}
		}
		if text := string(out.Texts[configName]) + out.Set[metadataName]; !strings.Contains(text, tt.config) {
			t.Errorf("%s to %s: %s, want %s", tt.from, tt.to, text, tt.config)
		}
	}
}

func TestOtherSources(t *testing.T) {
	for _, tt := range []struct {
		name    string
		to      adapters.Spelling
		tensors []*safetensors.Tensor
		want    string
	}{
		{"old diffusers", adapters.Diffusers, pair(t, "unet.down_blocks.0.attentions.0.transformer_blocks.1.attn2.processor.to_k_lora.down.weight",
			"unet.down_blocks.0.attentions.0.transformer_blocks.1.attn2.processor.to_k_lora.up.weight", 4, 8, 8), "unet.down_blocks.0.attentions.0.transformer_blocks.1.attn2.to_k.lora_A.weight"},
		{"old diffusers, of a text encoder", adapters.Diffusers, pair(t, "text_encoder.text_model.encoder.layers.0.self_attn.to_out_lora.down.weight",
			"text_encoder.text_model.encoder.layers.0.self_attn.to_out_lora.up.weight", 4, 8, 8), "text_encoder.text_model.encoder.layers.0.self_attn.out_proj.lora_A.weight"},
		{"XLabs", adapters.ComfyUI, pair(t, "double_blocks.0.processor.qkv_lora1.down.weight", "double_blocks.0.processor.qkv_lora1.up.weight", 4, 8, 24),
			"diffusion_model.double_blocks.0.img_attn.qkv.lora_A.weight"},
		{"bare", adapters.ComfyUI, pair(t, "double_blocks.0.img_attn.proj.lora_A.default.weight", "double_blocks.0.img_attn.proj.lora_B.default.weight", 4, 8, 8),
			"diffusion_model.double_blocks.0.img_attn.proj.lora_A.weight"},
		{"a UNet in the names of LDM", adapters.Kohya, pair(t, "diffusion_model.input_blocks.1.1.transformer_blocks.0.attn2.to_k.lora_A.weight",
			"diffusion_model.input_blocks.1.1.transformer_blocks.0.attn2.to_k.lora_B.weight", 4, 8, 8), "lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight"},
		{"kohya, in the names of LDM", adapters.Diffusers, pair(t, "lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k.lora_down.weight",
			"lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k.lora_up.weight", 4, 8, 8), "unet.down_blocks.1.attentions.0.transformer_blocks.0.attn2.to_k.lora_A.weight"},
		{"a name with an underscore", adapters.ComfyUI, pair(t, "lora_unet_time_embedding_linear_1.lora_down.weight", "lora_unet_time_embedding_linear_1.lora_up.weight", 4, 8, 8),
			"diffusion_model.time_embed.0.lora_A.weight"},
		{"LoKr", adapters.ComfyUI, []*safetensors.Tensor{tensorOf(t, "lora_unet_double_blocks_0_img_attn_proj.lokr_w1", 2, 2), tensorOf(t, "lora_unet_double_blocks_0_img_attn_proj.lokr_w2", 4, 4),
			scalar(t, "lora_unet_double_blocks_0_img_attn_proj.alpha", 1)}, "diffusion_model.double_blocks.0.img_attn.proj.lokr_w1"},
		{"pairs for parts", adapters.Diffusers, slices.Concat(pair(t, "lora_unet_double_blocks_0_img_attn_qkv.lora_down.0.weight", "lora_unet_double_blocks_0_img_attn_qkv.lora_up.0.weight", 4, 8, 8),
			pair(t, "lora_unet_double_blocks_0_img_attn_qkv.lora_down.1.weight", "lora_unet_double_blocks_0_img_attn_qkv.lora_up.1.weight", 4, 8, 8)), "transformer.transformer_blocks.0.attn.to_k.lora_B.weight"},
		{"a label of PEFT", adapters.PEFT, pair(t, "base_model.model.q.lora_A.default.weight", "base_model.model.q.lora_B.default.weight", 4, 8, 8), "base_model.model.q.lora_A.weight"},
	} {
		out := convert(t, tt.to, inputOf(tt.tensors, nil, nil))
		if !slices.ContainsFunc(out.Tensors, func(m arrange.Made) bool { return m.Name == tt.want }) {
			t.Errorf("%s: no %q; the first is %q", tt.name, tt.want, out.Tensors[0].Name)
		}
	}
}

func TestRefused(t *testing.T) {
	q := func(prefix string) []*safetensors.Tensor {
		return pair(t, prefix+".lora_A.weight", prefix+".lora_B.weight", 4, 8, 8)
	}
	for _, tt := range []struct {
		name    string
		to      adapters.Spelling
		tensors []*safetensors.Tensor
		beside  files
		want    string
	}{
		{"a weight", adapters.Kohya, append(q("base_model.model.q"), tensorOf(t, "lm_head.weight", 4, 4)), nil, `tensor "lm_head.weight" is not of an adapter`},
		{"an unknown module", adapters.Diffusers, pair(t, "lora_unet_what_0_is.lora_down.weight", "lora_unet_what_0_is.lora_up.weight", 4, 8, 8), nil, "is in none of the models"},
		{"a language model", adapters.Kohya, q("base_model.model.model.layers.0.q_proj"), nil, "is in no diffusion model"},
		{"a diffusion model", adapters.MLX, q("transformer.transformer_blocks.0.attn.to_q"), nil, "mlx-lm has names only for language models"},
		{"half a module", adapters.MLX, q("base_model.model.q")[:1], nil, "lacks one of its two matrices"},
		{"several ranks", adapters.MLX, append(q("base_model.model.q"), pair(t, "base_model.model.k.lora_A.weight", "base_model.model.k.lora_B.weight", 2, 8, 8)...), nil, "different ranks"},
		{"MLX without its configuration", adapters.PEFT, []*safetensors.Tensor{tensorOf(t, "q.lora_a", 8, 4), tensorOf(t, "q.lora_b", 4, 8)}, nil, "there is none beside it"},
		{"alpha 0", adapters.MLX, q("base_model.model.q"), peftText("0"), "it would change nothing"},
		{"two adapters", adapters.MLX, append(pair(t, "q.lora_A.a.weight", "q.lora_B.a.weight", 4, 8, 8), pair(t, "k.lora_A.b.weight", "k.lora_B.b.weight", 4, 8, 8)...), nil, "several adapters"},
		{"LoKr", adapters.PEFT, []*safetensors.Tensor{tensorOf(t, "lora_unet_double_blocks_0_img_attn_proj.lokr_w1", 2, 2)}, nil, "no names for"},
		{"ranks that differ", adapters.MLX, []*safetensors.Tensor{tensorOf(t, "q.lora_A.weight", 4, 8), tensorOf(t, "q.lora_B.weight", 8, 5)}, nil, "no rank in common"},
		{"names of several models", adapters.Kohya, q("transformer.transformer_blocks.0.attn.to_q"), nil, "the metadata does not say which is meant"},
		{"scales that differ", adapters.Kohya, slices.Concat(q("transformer.single_transformer_blocks.0.proj_out"), q("transformer.transformer_blocks.0.attn.to_q"), q("transformer.transformer_blocks.0.attn.to_k"),
			[]*safetensors.Tensor{scalar(t, "transformer.transformer_blocks.0.attn.to_k.alpha", 2)}), nil, "alpha scales one by"},
	} {
		f, _ := Convert(tt.to)
		_, err := f(inputOf(tt.tensors, nil, tt.beside))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// The data has no errors, and each path is found by itself, with dots and flattened.
func TestGlossary(t *testing.T) {
	n := 0
	for _, list := range glossaryOf().dotted {
		for _, one := range list {
			path := one.path
			for place := 'a'; place <= 'z'; place++ {
				path = strings.ReplaceAll(path, "{"+string(place)+"}", "3")
			}
			for _, flat := range []bool{false, true} {
				m := path
				if flat {
					m = strings.ReplaceAll(path, ".", "_")
				}
				hits := glossaryOf().find(m, flat)
				if !slices.ContainsFunc(hits, func(h hit) bool { return h.rule == one.rule && h.fill(h.path) == path }) {
					t.Errorf("%s is not found as %s", path, m)
				}
			}
			if _, _, err := one.rule.steps(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			n++
		}
	}
	if n < 1000 {
		t.Errorf("%d paths", n)
	}
	for _, text := range []string{"x", "arch a\nlimit b c", "arch a\nmap none"} {
		if _, err := readGlossary(text); err == nil {
			t.Errorf("%q has no error", text)
		}
	}
}

// Whatever names and shapes there are, nothing panics.
func TestHostile(t *testing.T) {
	words := []string{"lora_unet", "double_blocks", "0", "img_attn", "qkv", "lora_down", "lora_up", "weight", "alpha", "lora_A", "lora_B", "default",
		"transformer", "transformer_blocks", "attn", "to_q", "processor", "qkv_lora1", "down", "up", "base_model", "model", "lora_a", "lora_b", "m",
		"dora_scale", "diff", "lokr_w1", "text_encoder", "1", "99999999999", ""}
	random := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		var list []*safetensors.Tensor
		for range 1 + random.IntN(4) {
			prefix := make([]string, random.IntN(5))
			for i := range prefix {
				prefix[i] = words[random.IntN(len(words))]
			}
			stem := strings.Join(prefix, []string{".", "_"}[random.IntN(2)])
			for _, end := range [][2]string{{".lora_down.weight", ".lora_up.weight"}, {".lora_A.weight", ".lora_B.weight"}, {".lora_a", ".alpha"}}[random.IntN(3)] {
				shape := make([]int64, random.IntN(5))
				for i := range shape {
					shape[i] = int64(random.IntN(4))
				}
				list = append(list, tensorOf(t, stem+end, shape...))
			}
		}
		for _, to := range Forms() {
			f, _ := Convert(to)
			out, err := f(inputOf(list, nil, peftText("8")))
			if err == nil && len(out.Tensors) == 0 {
				t.Errorf("nothing is made of %q", list[0].Name)
			}
		}
	}
}
