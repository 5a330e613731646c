// Sorting folders into sets: what belongs together, and what is counted.

package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// llama returns the tensors of a small model, by the names that most programs
// use. The number is in all bytes.
func llama(dtype safetensors.Dtype, number byte) []tensor {
	return []tensor{
		{"model.embed_tokens.weight", dtype, []int64{100, 8}, number},
		{"model.layers.0.self_attn.q_proj.weight", dtype, []int64{8, 8}, number},
		{"model.layers.0.mlp.up_proj.weight", dtype, []int64{24, 8}, number},
		{"model.norm.weight", dtype, []int64{8}, number},
		{"lm_head.weight", dtype, []int64{100, 8}, number},
	}
}

// mistral returns the same by the names that the model's makers use.
func mistral(dtype safetensors.Dtype, number byte) []tensor {
	return []tensor{
		{"tok_embeddings.weight", dtype, []int64{100, 8}, number},
		{"layers.0.attention.wq.weight", dtype, []int64{8, 8}, number},
		{"layers.0.feed_forward.w3.weight", dtype, []int64{24, 8}, number},
		{"norm.weight", dtype, []int64{8}, number},
		{"output.weight", dtype, []int64{100, 8}, number},
	}
}

func lora(number byte) []tensor {
	return []tensor{
		{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", safetensors.F32, []int64{2, 8}, number},
		{"base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", safetensors.F32, []int64{8, 2}, number},
	}
}

// sharded adds the llama in two shards and their index, all with the given name
// in place of "model".
func sharded(t *testing.T, f folder, stem string, dtype safetensors.Dtype) {
	all := llama(dtype, 1)
	one, two := stem+"-00001-of-00002.safetensors", stem+"-00002-of-00002.safetensors"
	f[one], f[two] = file(t, all[:2]...), file(t, all[2:]...)
	listed := make(map[string][]string)
	for i, one := range all {
		shard := filepath.Base(stem) + "-00001-of-00002.safetensors"
		if i >= 2 {
			shard = filepath.Base(stem) + "-00002-of-00002.safetensors"
		}
		listed[shard] = append(listed[shard], one.name)
	}
	f.index(t, stem+".safetensors.index.json", listed)
}

func TestDiscover(t *testing.T) {
	const f32, f16 = safetensors.F32, safetensors.F16
	for _, test := range []struct {
		name string
		make func(t *testing.T, f folder)
		want []string // "role name: shards", and "= name" of what it is a copy
	}{
		{"one file", func(t *testing.T, f folder) {
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["config.json"] = []byte("{}")
		}, []string{"model model.safetensors: 1"}},

		{"an index, and the same in half precision with an index of its own", func(t *testing.T, f folder) {
			sharded(t, f, "model", f32)
			sharded(t, f, "model.fp16", f16)
			f["model.safetensors.index.fp16.json"] = f["model.fp16.safetensors.index.json"]
			delete(f, "model.fp16.safetensors.index.json")
		}, []string{"model model.safetensors.index.json: 2", "copy model.safetensors.index.fp16.json: 2 = model.safetensors.index.json"}},

		{"an index beside the model in one file, and its makers' form of it", func(t *testing.T, f folder) {
			sharded(t, f, "model", f32)
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["consolidated.safetensors"] = file(t, mistral(f16, 1)...)
		}, []string{
			"model model.safetensors.index.json: 2",
			"copy model.safetensors: 1 = model.safetensors.index.json",
			"copy consolidated.safetensors: 1 = model.safetensors.index.json",
		}},

		{"their form alone is the model", func(t *testing.T, f folder) {
			f["consolidated-00001-of-00002.safetensors"] = file(t, mistral(f16, 1)[:2]...)
			f["consolidated-00002-of-00002.safetensors"] = file(t, mistral(f16, 1)[2:]...)
		}, []string{"model consolidated-*-of-00002.safetensors: 2"}},

		{"a name does not make a copy", func(t *testing.T, f folder) {
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["consolidated.safetensors"] = file(t, tensor{"vision.weight", f32, []int64{40, 8}, 1})
		}, []string{"model *.safetensors: 2"}},

		{"nor do shapes make one", func(t *testing.T, f folder) {
			f["language.safetensors"] = file(t, llama(f32, 1)...)
			f["vision.safetensors"] = file(t, mistral(f32, 1)...)
		}, []string{"model *.safetensors: 2"}},

		{"the sub-folder original", func(t *testing.T, f folder) {
			sharded(t, f, "model", f32)
			f["original/model.safetensors"] = file(t, mistral(f32, 1)...)
			f["metal/model.safetensors"] = file(t, tensor{"blob", f32, []int64{3}, 1})
			f["speech/adapter_model.safetensors"] = file(t, lora(1)...)
		}, []string{
			"model model.safetensors.index.json: 2",
			"other metal/model.safetensors: 1",
			"copy original/model.safetensors: 1 = model.safetensors.index.json",
			"adapter speech/adapter_model.safetensors: 1",
		}},

		{"an earlier version's shards", func(t *testing.T, f folder) {
			sharded(t, f, "model", f32)
			f["model-00002-of-00003.safetensors"] = file(t, llama(f32, 1)[1:2]...)
			f["model-00003-of-00003.safetensors"] = file(t, llama(f32, 1)[2:3]...)
		}, []string{"model model.safetensors.index.json: 2", "other model-*-of-00003.safetensors: 2"}},

		{"an index that is left over", func(t *testing.T, f folder) {
			sharded(t, f, "model", f32)
			delete(f, "model-00001-of-00002.safetensors")
			delete(f, "model-00002-of-00002.safetensors")
			f["model.safetensors"] = file(t, llama(f32, 1)...)
		}, []string{"model model.safetensors: 1"}},

		{"an index alone", func(t *testing.T, f folder) {
			sharded(t, f, "model", f32)
			delete(f, "model-00001-of-00002.safetensors")
			delete(f, "model-00002-of-00002.safetensors")
		}, []string{"model model.safetensors.index.json: 2"}},

		{"variants without an index", func(t *testing.T, f folder) {
			f["diffusion_pytorch_model.safetensors"] = file(t, llama(f32, 1)...)
			f["diffusion_pytorch_model.fp16.safetensors"] = file(t, llama(f16, 1)...)
			f["diffusion_pytorch_model.non_ema.safetensors"] = file(t, llama(f32, 2)...)
		}, []string{
			"model diffusion_pytorch_model.safetensors: 1",
			"copy diffusion_pytorch_model.fp16.safetensors: 1 = diffusion_pytorch_model.safetensors",
			"copy diffusion_pytorch_model.non_ema.safetensors: 1 = diffusion_pytorch_model.safetensors",
		}},

		{"files that are one set, and a copy of one of them", func(t *testing.T, f folder) {
			f["language.safetensors"] = file(t, llama(f32, 1)...)
			f["language.fp16.safetensors"] = file(t, llama(f16, 1)...)
			f["vision.safetensors"] = file(t, tensor{"vision.weight", f32, []int64{40, 8}, 1})
			f["adapter_model.safetensors"] = file(t, lora(1)...)
			f["adapter_model.fp16.safetensors"] = file(t, lora(2)...)
		}, []string{
			"model *.safetensors: 2",
			"copy language.fp16.safetensors: 1 = *.safetensors",
			"copy adapter_model.fp16.safetensors: 1 = adapter_model.safetensors",
			"adapter adapter_model.safetensors: 1",
		}},

		{"a model and its adapter", func(t *testing.T, f folder) {
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["lightning.safetensors"] = file(t, lora(1)...)
		}, []string{"model model.safetensors: 1", "adapter lightning.safetensors: 1"}},

		{"a collection of adapters", func(t *testing.T, f folder) {
			f["style.safetensors"] = file(t, lora(1)...)
			f["other-style.safetensors"] = file(t, lora(2)...)
			f["small-style.safetensors"] = file(t, lora(3)[:1]...)
		}, []string{
			"model other-style.safetensors: 1",
			"model small-style.safetensors: 1",
			"model style.safetensors: 1",
		}},

		{"a collection of models that have some tensors in common", func(t *testing.T, f folder) {
			f["a.safetensors"] = file(t, llama(f32, 1)[:3]...)
			f["b.safetensors"] = file(t, llama(f32, 1)[2:]...)
		}, []string{"model a.safetensors: 1", "model b.safetensors: 1"}},

		{"a pipeline, the whole of it in one file beside it, and a folder that is no part", func(t *testing.T, f folder) {
			f["model_index.json"] = []byte(`{"_class_name":"P","unet":["d","U"],"vae":["d","V"],"scheduler":["d","S"]}`)
			f["v1-5-pruned.safetensors"] = file(t, tensor{"model.diffusion_model.x", f32, []int64{7}, 1})
			f["unet/diffusion_pytorch_model.safetensors"] = file(t, llama(f32, 1)...)
			f["unet/diffusion_pytorch_model.fp16.safetensors"] = file(t, llama(f16, 1)...)
			f["vae/diffusion_pytorch_model.safetensors"] = file(t, llama(f32, 2)...)
			f["text_encoders/clip.safetensors"] = file(t, tensor{"text_model.x", f32, []int64{5}, 1})
		}, []string{
			"model unet/diffusion_pytorch_model.safetensors: 1",
			"model vae/diffusion_pytorch_model.safetensors: 1",
			"copy unet/diffusion_pytorch_model.fp16.safetensors: 1 = unet/diffusion_pytorch_model.safetensors",
			"other v1-5-pruned.safetensors: 1",
			"other text_encoders/clip.safetensors: 1",
		}},

		{"modules of sentence-transformers", func(t *testing.T, f folder) {
			f["modules.json"] = []byte(`[{"idx":0,"path":"","type":"sentence_transformers.models.Transformer"},
				{"idx":1,"path":"1_Pooling"},{"idx":2,"path":"2_Dense"},{"idx":3,"path":"3_Dense"}]`)
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["2_Dense/model.safetensors"] = file(t, tensor{"linear.weight", f32, []int64{4, 8}, 1})
			f["3_Dense/model.safetensors"] = file(t, tensor{"linear.weight", f32, []int64{4, 8}, 2})
			f["onnx/model.safetensors"] = file(t, tensor{"x", f32, []int64{4}, 2})
		}, []string{"model model.safetensors: 1", "module 2_Dense/model.safetensors: 1", "module 3_Dense/model.safetensors: 1",
			"other onnx/model.safetensors: 1"}},

		{"modules of old sentence-transformers, all in folders", func(t *testing.T, f folder) {
			f["modules.json"] = []byte(`[{"idx":0,"path":"0_Transformer"},{"idx":1,"path":"2_Dense"}]`)
			f["0_Transformer/model.safetensors"] = file(t, llama(f32, 1)...)
			f["2_Dense/model.safetensors"] = file(t, tensor{"linear.weight", f32, []int64{4, 8}, 1})
		}, []string{"model 0_Transformer/model.safetensors: 1", "module 2_Dense/model.safetensors: 1"}},

		{"a list of modules that is damaged", func(t *testing.T, f folder) {
			f["modules.json"] = []byte(`[{"path":"2_Dense"`)
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["2_Dense/model.safetensors"] = file(t, tensor{"linear.weight", f32, []int64{4, 8}, 1})
		}, []string{"model model.safetensors: 1", "other 2_Dense/model.safetensors: 1"}},

		{"PaddleNLP's optimizer", func(t *testing.T, f folder) {
			for _, stem := range []string{"model", "master_weights", "optimizer"} {
				sharded(t, f, stem, f32)
			}
		}, []string{"model model.safetensors.index.json: 2", "other master_weights.safetensors.index.json: 2",
			"other optimizer.safetensors.index.json: 2"}},

		{"an optimizer without an index", func(t *testing.T, f folder) {
			f["optimizer.safetensors"] = file(t, tensor{"w/moment1_0", f32, []int64{4}, 1})
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f["optimizer_model.safetensors"] = file(t, llama(f32, 2)...)
		}, []string{"model model.safetensors: 1", "model optimizer_model.safetensors: 1", "other optimizer.safetensors: 1"}},

		{"nothing but an optimizer", func(t *testing.T, f folder) {
			f["optimizer.safetensors"] = file(t, tensor{"w/moment1_0", f32, []int64{4}, 1})
		}, []string{"model optimizer.safetensors: 1"}},

		{"parts in folders, though nothing names them", func(t *testing.T, f folder) {
			f["high_noise_model/model.safetensors"] = file(t, llama(f32, 1)...)
			f["low_noise_model/model.safetensors"] = file(t, llama(f32, 2)...)
		}, []string{"model high_noise_model/model.safetensors: 1", "model low_noise_model/model.safetensors: 1"}},

		{"a pipeline's list without its parts", func(t *testing.T, f folder) {
			f["model_index.json"] = []byte(`{"unet":["d","U"]`)
			f["model.safetensors"] = file(t, llama(f32, 1)...)
		}, []string{"model model.safetensors: 1"}},

		{"an index whose shards are in a folder that the pipeline's list names", func(t *testing.T, f folder) {
			f["model_index.json"] = []byte(`{"unet":["d","U"]}`)
			f["unet/x.safetensors"] = file(t, llama(f32, 1)[:1]...)
			f.index(t, indexName, map[string][]string{"unet/x.safetensors": {"model.embed_tokens.weight"}})
		}, []string{"model model.safetensors.index.json: 1"}},

		{"what begins with a dot is passed over", func(t *testing.T, f folder) {
			f["model.safetensors"] = file(t, llama(f32, 1)...)
			f[".cache/model.safetensors"] = file(t, llama(f32, 1)...)
			f["a/.b/model.safetensors"] = file(t, llama(f32, 1)...)
			f["._model.safetensors"] = []byte("AppleDouble")
		}, []string{"model model.safetensors: 1"}},

		{"a file that is none belongs to the others", func(t *testing.T, f folder) {
			f["a.safetensors"] = file(t, llama(f32, 1)...)
			f["b.safetensors"] = []byte("<html>")
		}, []string{"model *.safetensors: 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			// In a folder of the store it is the same, and its sisters are not seen.
			below := folder{"sister/model.safetensors": file(t, llama(f32, 1)...), "below-not/x.safetensors": nil}
			for name, content := range f {
				below["below/"+name] = content
			}
			if got := discover(t, f, ""); !slices.Equal(got, test.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(test.want, "\n\t"))
			}
			if got := discover(t, below, "below"); !slices.Equal(got, test.want) {
				t.Errorf("in a folder, got\n\t%s", strings.Join(got, "\n\t"))
			}
			opensTheModel(t, f, test.want)
		})
	}
}

// discover returns the sets in a folder, with paths from there.
func discover(t *testing.T, f folder, path string) []string {
	t.Helper()
	s := &spy{Store: f.store()}
	sets, err := checkpoint.Discover(t.Context(), listingSpy{s}, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.open != 0 {
		t.Errorf("%d objects are open after Discover", s.open)
	}
	var said []string
	for _, set := range sets {
		line := fmt.Sprintf("%s %s: %d", set.Role, set.Name, len(set.Shards))
		if set.CopyOf != "" {
			line += " = " + set.CopyOf
		}
		if path != "" {
			line = strings.ReplaceAll(line, path+"/", "")
		}
		said = append(said, line)
	}
	return said
}

// opensTheModel opens a folder and compares with the sets: New must come to the
// same end as Discover, though it reads less.
func opensTheModel(t *testing.T, f folder, sets []string) {
	t.Helper()
	cp, err := checkpoint.New(t.Context(), f.store(), "", nil)
	if len(sets) > 1 && strings.HasPrefix(sets[1], "model ") {
		n := 0
		for _, line := range sets {
			if strings.HasPrefix(line, "model ") {
				n++
			}
		}
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has %d models", n)) {
			t.Errorf("New of several models: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	if got := fmt.Sprintf("model %s: %d", cp.Set().Name, len(cp.Shards())); got != sets[0] {
		t.Errorf("New opened %q, want %q", got, sets[0])
	}
}

// TestIndexMakesOpeningCheap: files that the index does not name are not opened
// before Validate has to judge them.
func TestIndexMakesOpeningCheap(t *testing.T) {
	f := make(folder)
	sharded(t, f, "model", safetensors.F32)
	f["consolidated.safetensors"] = file(t, mistral(safetensors.F32, 1)...)
	s := &spy{Store: f.store()}
	cp := open(t, listingSpy{s}, "", nil)
	if want := []string{indexName}; !slices.Equal(s.opened, want) {
		t.Errorf("opened %q, want %q", s.opened, want)
	}
	if got := rules(validate(t, cp)); got != "two-copies" {
		t.Errorf("rules %s", got)
	}
	slices.Sort(s.opened)
	if want := []string{"consolidated.safetensors", shardOne, shardTwo, indexName}; !slices.Equal(s.opened, want) {
		t.Errorf("opened %q, want each once", s.opened)
	}
}

// TestFound: the caller learns the folders before any header is read.
func TestFound(t *testing.T) {
	f := two(t)
	f["adapter/adapter_model.safetensors"] = file(t, lora(1)...)
	f["text/notes.txt"] = []byte("none")
	for _, tt := range []struct {
		from func(*spy) store.Store
		path string
		want string
	}{
		{func(s *spy) store.Store { return listingSpy{s} }, "", "[ adapter] true []"},
		{func(s *spy) store.Store { return listingSpy{s} }, "adapter", "[adapter] true [adapter]"},
		{func(s *spy) store.Store { return s }, "", "[] false [" + indexName + "]"},
		{func(s *spy) store.Store { return s }, indexName, "[] false [" + indexName + "]"},
		{func(s *spy) store.Store { return s }, shardOne, ""},
	} {
		s := &spy{Store: f.store()}
		got := ""
		opts := checkpoint.Options{Found: func(folders []string, listed bool) {
			got += fmt.Sprint(folders, listed, s.opened)
		}}
		if _, err := checkpoint.Discover(t.Context(), tt.from(s), tt.path, &opts); err != nil || got != tt.want {
			t.Errorf("%q: %v, %q, want %q", tt.path, err, got, tt.want)
		}
	}
}

func TestDiscoverFile(t *testing.T) {
	s := &spy{Store: two(t).store()}
	for _, path := range []string{shardOne, indexName} {
		sets, err := checkpoint.Discover(t.Context(), listingSpy{s}, path, nil)
		if err != nil || len(sets) != 1 || sets[0].Name != path || !sets[0].Counted() {
			t.Errorf("%s: %v, %v", path, names(sets), err)
		}
	}
	if s.open != 0 {
		t.Errorf("%d objects are open", s.open)
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "model.safetensors")
	if err := os.WriteFile(name, file(t, f32("a", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{dir: "", dir + "/": "", name: "model.safetensors"} {
		from, path, err := checkpoint.Locate(t.Context(), ref, nil)
		if err != nil || path != want {
			t.Errorf("%s: path %q, %v, want %q", ref, path, err, want)
			continue
		}
		for e, err := range from.(store.Lister).List(t.Context(), "") {
			if err != nil || e.Name != "model.safetensors" {
				t.Errorf("%s: the store has %v, %v", ref, e, err)
			}
		}
	}
	if _, _, err := checkpoint.Locate(t.Context(), "ftp://host/x", nil); err == nil {
		t.Error("a scheme that there is not")
	}
}
