package respell_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/remap"
	"github.com/weightools/safetensors/edit/respell"
	"github.com/weightools/safetensors/model/names"
)

// config has the parameters of all steps.
const config = `{"num_attention_heads": 4, "num_key_value_heads": 4, "qk_nope_head_dim": 2, "v_head_dim": 2, "hidden_size": 16}`

// input returns tensors as the input of an edit.
func input(tensors []*safetensors.Tensor, config string) *edit.Input {
	return &edit.Input{Tensors: tensors, Files: 1, Beside: func(name string) ([]byte, error) {
		if name != "config.json" || config == "" {
			return nil, fs.ErrNotExist
		}
		return []byte(config), nil
	}}
}

// filled returns a tensor whose bytes depend on its name.
func filled(t *testing.T, name string, shape ...int64) *safetensors.Tensor {
	t.Helper()
	n := int64(2)
	for _, dim := range shape {
		n *= dim
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*31) ^ name[i%len(name)]
	}
	x, err := safetensors.TensorAt(name, safetensors.BF16, shape, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// numbered returns names with 0 and 1 for each placeholder.
func numbered(name string) []string {
	i := strings.IndexByte(name, '{')
	if i < 0 {
		return []string{name}
	}
	place := name[i : i+3]
	var list []string
	for n := range 2 {
		list = append(list, numbered(strings.ReplaceAll(name, place, fmt.Sprint(n)))...)
	}
	return list
}

// shapeFor returns a shape to which the steps can be applied.
func shapeFor(steps string) []int64 {
	for _, word := range strings.Fields(steps) {
		name, args, _ := strings.Cut(word, "(")
		switch {
		case name == "axes", name == "transpose" && args != "":
			return []int64{16, 8, 3, 2}[:strings.Count(args, ",")+1]
		case name == "squeeze":
			return append([]int64{16, 8}, slices.Repeat([]int64{1}, strings.Count(args, ",")+1)...)
		case name == "unstack":
			return []int64{2, 16, 8}
		}
	}
	return []int64{16, 8}
}

// Each spelling of the tables, there and back, keeps every tensor, and every byte.
func TestThereAndBack(t *testing.T) {
	tried := 0
	for _, a := range names.All() {
		for _, s := range a.Spellings() {
			if s.Form == names.GGUF { // which is never written
				continue
			}
			tried++
			var rules []remap.Rule
			var tensors []*safetensors.Tensor
			seen := make(map[string]bool)
			for i := range s.Renames {
				r := &s.Renames[i]
				rules = append(rules, remap.Rule{From: r.From, To: r.To, Steps: r.Transform})
				for j, from := range r.From {
					shape := shapeFor(r.Transform)
					if r.Transform == "fuse(0,1,1,1,4)" && j == 3 {
						shape[0] *= 4
					}
					for _, name := range numbered(from) {
						if !seen[name] {
							seen[name] = true
							tensors = append(tensors, filled(t, name, shape...))
						}
					}
				}
			}
			m, err := remap.New(rules, nil)
			if err != nil {
				t.Errorf("%s %s: %v", a.Type, s.Form, err)
				continue
			}
			back, err := m.Reverse()
			if err != nil {
				t.Errorf("%s %s: %v", a.Type, s.Form, err)
				continue
			}
			p := remap.ParamsOf("config.json", []byte(config))
			there, err := m.Apply(tensors, p)
			if err != nil {
				t.Errorf("%s %s: %v", a.Type, s.Form, err)
				continue
			}
			var made []*safetensors.Tensor
			for _, one := range there.Made {
				made = append(made, one.Tensor)
			}
			again, err := back.Apply(made, p)
			if err != nil {
				t.Errorf("%s %s back: %v", a.Type, s.Form, err)
				continue
			}
			if err := equal(tensors, again); err != nil {
				t.Errorf("%s %s: %v", a.Type, s.Form, err)
			}
		}
	}
	if tried == 0 {
		t.Error("no spelling was tried")
	}
}

// equal returns an error if a result does not have the same tensors.
func equal(want []*safetensors.Tensor, got *remap.Result) error {
	if len(got.Made) != len(want) || len(got.Rest) > 0 {
		return fmt.Errorf("%d tensors became %d and %d without a rule", len(want), len(got.Made), len(got.Rest))
	}
	byName := make(map[string]*safetensors.Tensor)
	for _, one := range got.Made {
		byName[one.Name] = one.Tensor
	}
	for _, x := range want {
		y := byName[x.Name]
		if y == nil || !slices.Equal(x.Shape, y.Shape) {
			return fmt.Errorf("%s became %v", x.Name, y)
		}
		was, err := x.Bytes()
		if err != nil {
			return err
		}
		if is, err := y.Bytes(); err != nil || !bytes.Equal(is, was) {
			return fmt.Errorf("%s has other bytes: %v", x.Name, err)
		}
	}
	return nil
}

// llama returns the tensors of a small model, with a prefix.
func llama(t *testing.T, prefix string) (list []*safetensors.Tensor) {
	a := names.Find("llama", "")
	for i := range a.Tensors {
		if one := &a.Tensors[i]; one.Need <= names.Tied {
			for _, name := range numbered(one.Name) {
				list = append(list, filled(t, prefix+name, 16, 8))
			}
		}
	}
	return list
}

// made returns the names that a form makes.
func made(t *testing.T, form string, in *edit.Input) ([]string, error) {
	t.Helper()
	f, err := respell.To(form)
	if err != nil {
		t.Fatal(err)
	}
	out, err := f(in)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, one := range out.Tensors {
		list = append(list, one.Name)
	}
	return list, nil
}

func TestForms(t *testing.T) {
	const model = `{"model_type": "llama", "num_attention_heads": 4}`
	for _, test := range []struct{ prefix, form, has string }{
		{"", "transformers", "model.layers.1.mlp.up_proj.weight"},
		{"_orig_mod.", "transformers", "model.layers.1.mlp.up_proj.weight"},
		{"module.", "transformers", "model.layers.1.mlp.up_proj.weight"},
		{"", "bare", "layers.1.mlp.up_proj.weight"},
		{"base_model.model.", "bare", "lm_head.weight"},
		{"module.", "meta", "layers.1.feed_forward.w3.weight"},
	} {
		list, err := made(t, test.form, input(llama(t, test.prefix), model))
		if err != nil || !slices.Contains(list, test.has) || len(list) != len(llama(t, "")) {
			t.Errorf("%s%s: %v %v", test.prefix, test.form, list, err)
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := respell.To("gguf"); err == nil || !strings.Contains(err.Error(), "no form of names") {
		t.Error(err)
	}
	const model = `{"model_type": "llama", "num_attention_heads": 4}`
	odd := append(llama(t, ""), filled(t, "model.layers.0.extra.weight", 2), filled(t, "visual.x", 2))
	for _, test := range []struct {
		form, want string
		in         *edit.Input
	}{
		{"meta", `no names in the form "meta" are known for "model.layers.0.extra.weight", "visual.x": drop`, input(odd, model)},
		{"diffusers", "", input(llama(t, ""), model)},
		{"comfyui", "", input(llama(t, ""), model)},
		{"transformers", "not those of an architecture", input([]*safetensors.Tensor{filled(t, "a", 2)}, "")},
	} {
		if _, err := made(t, test.form, test.in); test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.form, err, test.want)
		}
	}
	// Without the number of heads, nothing is guessed.
	if _, err := made(t, "meta", input(llama(t, ""), `{"model_type": "llama"}`)); err == nil ||
		!strings.Contains(err.Error(), "heads is not known") {
		t.Error(err)
	}
}

// The parts of packed weights go with their weights where these are only renamed, and are refused where they move.
func TestPacked(t *testing.T) {
	const model = `{"model_type": "llama", "num_attention_heads": 4}`
	tensors := append(llama(t, "module."), filled(t, "module.model.layers.0.mlp.up_proj.weight_scale", 1),
		filled(t, "module.model.layers.0.mlp.up_proj.qzeros", 1))
	list, err := made(t, "meta", input(tensors, model))
	for _, want := range []string{"layers.0.feed_forward.w3.weight_scale", "layers.0.feed_forward.w3.qzeros"} {
		if err != nil || !slices.Contains(list, want) {
			t.Error(list, err)
		}
	}
	scaled := append(llama(t, ""), filled(t, "model.layers.0.self_attn.q_proj.weight_scale", 1))
	if _, err := made(t, "meta", input(scaled, model)); err == nil ||
		!strings.Contains(err.Error(), "part of a packed weight, to which interleave(heads) cannot be applied") {
		t.Error(err)
	}
}

// Wrapped names of each architecture get those of its own form, and a model without its prefix gets that.
func TestOwnForms(t *testing.T) {
	for _, a := range names.All() {
		config := fmt.Sprintf(`{"model_type": %q}`, a.Type)
		form := "transformers"
		if a.Form == names.Diffusers {
			form = "diffusers"
			config = fmt.Sprintf(`{"_class_name": %q}`, a.Type)
		}
		var list []string
		for i := range a.Tensors {
			if one := &a.Tensors[i]; one.Need <= names.Tied {
				list = append(list, numbered(one.Name)...)
			}
		}
		if len(list) < 20 || a.Type == "MMAudioVAE" { // whose own names begin as if it were part of a file
			continue
		}
		for _, prefix := range []string{"", "_orig_mod."} {
			var tensors []*safetensors.Tensor
			for _, name := range list {
				tensors = append(tensors, filled(t, prefix+name, 2))
			}
			got, err := made(t, form, input(tensors, config))
			if err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(list))) {
				t.Errorf("%s with %q: %v", a.Type, prefix, err)
				break
			}
		}
	}
}

// MLX has the names of some architectures in another layout. Its metadata says which of the two a file has.
func TestMLXByMetadata(t *testing.T) {
	a := names.Find("mamba", "")
	var tensors []*safetensors.Tensor
	for i := range a.Tensors {
		if one := &a.Tensors[i]; one.Need <= names.Tied {
			shape := []int64{16, 8}
			if strings.Contains(one.Name, "conv1d.weight") {
				shape = []int64{16, 1, 4}
			}
			for _, name := range numbered(one.Name) {
				tensors = append(tensors, filled(t, name, shape...))
			}
		}
	}
	shapeOf := func(form string, in *edit.Input) (string, *edit.Output) {
		f, err := respell.To(form)
		if err != nil {
			t.Fatal(err)
		}
		out, err := f(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range out.Tensors {
			if strings.Contains(one.Name, "conv1d.weight") {
				return one.ShapeString(), out
			}
		}
		return "", nil
	}
	const config = `{"model_type": "mamba"}`
	there, out := shapeOf("mlx", input(tensors, config))
	if there != "[16, 4, 1]" || out.Set["format"] != "mlx" {
		t.Error(there, out.Set)
	}
	var made []*safetensors.Tensor
	for _, one := range out.Tensors {
		made = append(made, one.Tensor)
	}
	for form, want := range map[string]string{"mlx": "[16, 4, 1]", "transformers": "[16, 1, 4]"} {
		in := input(made, config)
		in.Metadata = map[string]string{"format": "mlx"}
		if got, _ := shapeOf(form, in); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}
