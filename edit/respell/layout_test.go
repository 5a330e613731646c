package respell

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// Each layout, there and back: all tensors, and all bytes.
func TestLayoutsThereAndBack(t *testing.T) {
	for i := range layouts() {
		l := &layouts()[i]
		t.Run(l.file, func(t *testing.T) {
			tensors := tensorsOf(t, l)
			for _, prefix := range []string{"", "_orig_mod.", "module."} {
				there := respelled(t, l.other[0], tensors, prefix)
				back := respelled(t, l.own[0], there, l.containerAt(0))
				if len(back) != len(tensors) {
					t.Fatalf("%d tensors became %d", len(tensors), len(back))
				}
				for _, x := range tensors {
					j := slices.IndexFunc(back, func(y *safetensors.Tensor) bool { return y.Name == x.Name })
					if j < 0 || !slices.Equal(back[j].Shape, x.Shape) {
						t.Fatalf("%s is not there again", x.Name)
					}
					was, _ := x.Bytes()
					if is, err := back[j].Bytes(); err != nil || !bytes.Equal(is, was) {
						t.Errorf("%s has other bytes: %v", x.Name, err)
					}
				}
			}
		})
	}
}

// containerAt returns a container, or "" if there are none.
func (l *layout) containerAt(i int) string {
	if len(l.containers) == 0 {
		return ""
	}
	return l.containers[i]
}

// respelled gives tensors, with a prefix, the names of a form.
func respelled(t *testing.T, form string, tensors []*safetensors.Tensor, prefix string) (list []*safetensors.Tensor) {
	t.Helper()
	arrange, err := To(form)
	if err != nil {
		t.Fatal(err)
	}
	in := &edit.Input{Beside: func(name string) ([]byte, error) {
		if name != "params.json" {
			return nil, fs.ErrNotExist
		}
		return []byte(`{"n_heads": 4, "n_kv_heads": 2}`), nil
	}}
	for _, x := range tensors {
		in.Tensors = append(in.Tensors, x.Rename(prefix+x.Name))
	}
	out, err := arrange(in)
	if err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	for _, one := range out.Tensors {
		list = append(list, one.Tensor)
	}
	return list
}

// tensorsOf returns tensors in the own form of a layout, of small shapes.
func tensorsOf(t *testing.T, l *layout) (tensors []*safetensors.Tensor) {
	text, err := data.ReadFile("data/" + l.file + ".map")
	if err != nil {
		t.Fatal(err)
	}
	sourced := false
	for line := range strings.Lines(string(text)) {
		sourced = sourced || strings.HasPrefix(line, "# source: ")
		from, to, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok || to == "-" || strings.Contains(from, "LAST") { // the rules for other blocks make it, too
			continue
		}
		for _, pattern := range strings.Split(from, " + ") {
			shape := []int64{16, 8}
			switch {
			case strings.Contains(pattern, ".k_proj."), strings.Contains(pattern, ".v_proj."):
				if strings.HasPrefix(pattern, "model.") {
					shape[0] = 8
				}
			case strings.Contains(pattern, "proj_mlp"):
				shape[0] = 64
			}
			name := strings.ReplaceAll(pattern, "{*}", "weight")
			for n := range 2 {
				one := strings.ReplaceAll(name, "{n}", fmt.Sprint(n))
				for x := range 3 {
					tensors = append(tensors, filled(t, strings.ReplaceAll(one, "{x}", fmt.Sprint(x)), shape))
					if !strings.Contains(one, "{x}") {
						break
					}
				}
				if one == name {
					break
				}
			}
		}
	}
	if !sourced {
		t.Errorf("%s names no source", l.file)
	}
	return tensors
}

// filled returns a tensor whose bytes depend on its name.
func filled(t *testing.T, name string, shape []int64) *safetensors.Tensor {
	b := make([]byte, 2*shape[0]*shape[1])
	for i := range b {
		b[i] = byte(i*31) ^ name[i%len(name)]
	}
	x, err := safetensors.TensorAt(name, safetensors.BF16, shape, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The last block of Stable Diffusion 3 has a norm whose halves are exchanged, and the others do not.
func TestLastBlock(t *testing.T) {
	var tensors []*safetensors.Tensor
	for i := range 24 {
		tensors = append(tensors, filled(t, fmt.Sprintf("transformer_blocks.%d.norm1_context.linear.weight", i), []int64{4, 2}))
	}
	tensors = append(tensors, filled(t, "pos_embed.proj.weight", []int64{4, 2}))
	for i, x := range respelled(t, "original", tensors, "")[:24] {
		want, _ := tensors[i].Bytes()
		if i == 23 {
			want = append(want[8:16:16], want[:8]...)
		}
		if is, err := x.Bytes(); err != nil || !bytes.Equal(is, want) ||
			x.Name != fmt.Sprintf("joint_blocks.%d.context_block.adaLN_modulation.1.weight", i) {
			t.Errorf("%s: %v, want %v (%v)", x.Name, is, want, err)
		}
	}
}

// Models whose names are in the tables get the container of single files, too.
func TestContainerOfTables(t *testing.T) {
	var tensors []*safetensors.Tensor
	for _, name := range []string{"x_embedder.weight", "context_embedder.weight", "norm_out.linear.weight", "proj_out.weight",
		"double_stream_modulation_img.linear.weight", "single_transformer_blocks.0.attn.to_qkv_mlp_proj.weight"} {
		tensors = append(tensors, filled(t, name, []int64{4, 2}))
	}
	there := respelled(t, "checkpoint", tensors, "")
	if there[0].Name != "model.diffusion_model.img_in.weight" {
		t.Errorf("got %s", there[0].Name)
	}
	for i, x := range respelled(t, "diffusers", there, "") {
		want, _ := tensors[i].Bytes()
		if is, err := x.Bytes(); err != nil || x.Name != tensors[i].Name || !bytes.Equal(is, want) {
			t.Errorf("%s is %s, or has other bytes: %v", tensors[i].Name, x.Name, err)
		}
	}
}
