// Adapters: rank, alpha and where it stands, targets and base.

package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// peft returns an adapter as PEFT writes it, with the rank that each module has.
func peft(config string, ranks ...int64) *Model {
	var tensors []any
	for i, r := range ranks {
		name := fmt.Sprintf("base_model.model.model.layers.%d.self_attn.%s", i, []string{"q_proj", "v_proj"}[i%2])
		tensors = append(tensors, name+".lora_A.weight", []int64{r, 64}, name+".lora_B.weight", []int64{32, r})
	}
	m := headers("", tensors...)
	m.Adapter = []byte(config)
	return m
}

// kohya returns an adapter as kohya-ss writes it: with an alpha for each module, whose
// data is there.
func kohya(metadata map[string]string, alphas ...float32) *Model {
	const prefix = "lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_"
	h := &safetensors.Header{Metadata: metadata}
	var data bytes.Buffer
	add := func(name string, values []float32, shape ...int64) {
		begin := int64(data.Len())
		binary.Write(&data, binary.LittleEndian, values)
		h.Tensors = append(h.Tensors, safetensors.TensorInfo{
			Name: prefix + name, Dtype: "F32", Shape: append([]int64{}, shape...), Offsets: safetensors.Span{Begin: begin, End: int64(data.Len())},
		})
	}
	for i, alpha := range alphas {
		module := []string{"attn1_to_q", "ff_net_0_proj", "attn2_to_k"}[i%3]
		add(module+".alpha", []float32{alpha})
		add(module+".lora_down.weight", make([]float32, 16*4), 16, 4)
		add(module+".lora_up.weight", make([]float32, 8*16), 8, 16)
	}
	file := append(make([]byte, 8), data.Bytes()...) // as if the header took nothing
	return &Model{Files: []File{{Header: h, Data: bytes.NewReader(file)}}}
}

// inDiffusers returns an adapter of diffusers, with metadata.
func inDiffusers(metadata map[string]string) *Model {
	m := headers("", "transformer.q.lora_A.weight", []int64{4, 8}, "transformer.q.lora_B.weight", []int64{8, 4})
	m.Files[0].Header.Metadata = metadata
	return m
}

// mlx returns an adapter of mlx-lm.
func mlx(config string) *Model {
	m := headers("", "layers.0.q.lora_a", []int64{8, 4}, "layers.0.q.lora_b", []int64{4, 8})
	m.Adapter = []byte(config)
	return m
}

func unread(m *Model) *Model {
	m.Files[0].Data = nil
	return m
}

func TestAdapters(t *testing.T) {
	ss := map[string]string{"ss_network_dim": "16", "ss_network_alpha": "8.0", "ss_base_model_version": "sdxl_base_v1-0", "ss_sd_model_name": "None"}
	for _, tt := range []struct {
		name  string
		model *Model
		want  string
		notes string // part of the only note; "" if there is none
	}{
		{"PEFT", peft(`{"r":16,"lora_alpha":32,"base_model_name_or_path":"org/base","target_modules":["q_proj"]}`, 16, 16),
			"LoRA of 2 modules, rank 16 (headers), alpha 32 (adapter_config.json), [q_proj v_proj] of org/base (adapter_config.json)", ""},
		{"PEFT, headers alone", peft("", 16), "LoRA of 1 modules, rank 16 (headers), alpha 0 (), [q_proj] of  ()", ""},
		{"PEFT, of another rank", peft(`{"r":8,"lora_alpha":32}`, 16), "LoRA of 1 modules, rank 16 (headers), alpha 32 (adapter_config.json), [q_proj] of  ()", "the rank is 8 in adapter_config.json and 16 by the shapes"},
		{"PEFT, of several ranks", peft(`{"r":8,"lora_alpha":32,"rank_pattern":{"x":16}}`, 8, 16), "LoRA of 2 modules, rank 0 (ambiguous), alpha 32 (adapter_config.json), [q_proj v_proj] of  ()", ""},
		{"PEFT, of several alphas", peft(`{"lora_alpha":32,"alpha_pattern":{"x":64}}`, 8), "LoRA of 1 modules, rank 8 (headers), alpha 0 (ambiguous), [q_proj] of  ()", "alpha_pattern"},
		{"PEFT, of the root of the rank", peft(`{"lora_alpha":16.0,"use_rslora":true}`, 8), "LoRA of 1 modules, rank 8 (headers), alpha 16 (adapter_config.json), [q_proj] of  ()", "√rank"},
		{"PEFT, alpha is no number", peft(`{"lora_alpha":"16"}`, 8), "LoRA of 1 modules, rank 8 (headers), alpha 0 (), [q_proj] of  ()", ""},
		{"kohya", kohya(ss, 8, 8, 8), "LoRA of 3 modules, rank 16 (headers), alpha 8 (alpha tensors), [attn1_to_q attn2_to_k ff_net_0_proj] of sdxl_base_v1-0 (metadata)", ""},
		{"diffusers", inDiffusers(map[string]string{"lora_adapter_metadata": `{"transformer.r": 4, "transformer.lora_alpha": 8}`}), "LoRA of 1 modules, rank 4 (headers), alpha 8 (metadata), [q] of  ()", ""},
		{"diffusers, of several alphas", inDiffusers(map[string]string{"lora_adapter_metadata": `{"transformer.lora_alpha": 8, "transformer.alpha_pattern": {"q": 4}}`}), "LoRA of 1 modules, rank 4 (headers), alpha 0 (ambiguous), [q] of  ()", "different alphas: 4, 8"},
		{"mlx-lm", mlx(`{"model": "a/b", "lora_parameters": {"rank": 4, "scale": 2.5}}`), "LoRA of 1 modules, rank 4 (headers), alpha 10 (adapter_config.json), [q] of a/b (adapter_config.json)", "which is alpha 10 at rank 4"},
		{"kohya, of another alpha", kohya(ss, 4, 4), "LoRA of 2 modules, rank 16 (headers), alpha 4 (alpha tensors), [attn1_to_q ff_net_0_proj] of sdxl_base_v1-0 (metadata)", "alpha is 4 in its tensors and 8 in ss_network_alpha"},
		{"kohya, of several alphas", kohya(nil, 4, 8), "LoRA of 2 modules, rank 16 (headers), alpha 0 (ambiguous), [attn1_to_q ff_net_0_proj] of  ()", "modules have different alphas: 4, 8"},
		{"kohya, unread", unread(kohya(ss, 8)), "LoRA of 1 modules, rank 16 (headers), alpha 8 (metadata), [attn1_to_q] of sdxl_base_v1-0 (metadata)", "was not read"},
		{"kohya, unread, no metadata", unread(kohya(nil, 8)), "LoRA of 1 modules, rank 16 (headers), alpha 0 (), [attn1_to_q] of  ()", "was not read"},
		{"kohya, alpha is NaN", kohya(nil, float32(math.NaN())), "LoRA of 1 modules, rank 16 (headers), alpha 0 (), [attn1_to_q] of  ()", "not a finite number"},
		{"half a pair", headers("", "x.lora_A.weight", []int64{4, 8}), "LoRA of 1 modules, rank 0 (), alpha 0 (), [x] of  ()", "one of the two matrices"},
		{"a pair that does not fit", headers("", "x.lora_A.weight", []int64{4, 8}, "x.lora_B.weight", []int64{8, 5}), "LoRA of 1 modules, rank 0 (), alpha 0 (), [x] of  ()", "ranks 4 and 5"},
		{"DoRA", headers("", "x.lora_A.weight", []int64{4, 8}, "x.lora_B.weight", []int64{8, 4}, "x.lora_magnitude_vector", []int64{8}), "DoRA of 1 modules, rank 4 (headers), alpha 0 (), [x] of  ()", ""},
		{"LoHa", headers("", "x.hada_w1_a", []int64{8, 4}, "x.hada_w1_b", []int64{4, 8}, "x.hada_w2_a", []int64{8, 4}, "x.hada_w2_b", []int64{4, 8}), "LoHa of 1 modules, rank 4 (headers), alpha 0 (), [x] of  ()", ""},
		{"diffusers", headers("", "unet.attn1.processor.to_q_lora.down.weight", []int64{4, 8}, "unet.attn1.processor.to_q_lora.up.weight", []int64{8, 4}), "LoRA of 1 modules, rank 4 (headers), alpha 0 (), [to_q] of  ()", ""},
		{"an embedding", headers("", "wte.lora_embedding_A", []int64{4, 100}, "wte.lora_embedding_B", []int64{8, 4}), "LoRA of 1 modules, rank 4 (headers), alpha 0 (), [wte] of  ()", ""},
		{"MLX, inputs first", headers("", "x.lora_a", []int64{8, 4}, "x.lora_b", []int64{4, 16}), "LoRA of 1 modules, rank 4 (headers), alpha 0 (), [x] of  ()", ""},
		{"a name for the adapter", headers("", "x.lora_A.mine.weight", []int64{4, 8}, "x.lora_B.mine.weight", []int64{8, 4}), "LoRA of 1 modules, rank 4 (headers), alpha 0 (), [x] of  ()", ""},
		{"stacked experts", headers("", "x.lora_A.weight", []int64{2, 4, 8}, "x.lora_B.weight", []int64{2, 8, 4}), "LoRA of 1 modules, rank 0 (), alpha 0 (), [x] of  ()", ""},
		{"none", headers("", "x.weight", []int64{4, 8}, "x.alpha", []int64{}), "", ""},
	} {
		f := FactsOf(tt.model)
		got := ""
		if a := f.Adapter; a != nil {
			got = fmt.Sprintf("%s of %d modules, rank %d (%s), alpha %v (%s), %v of %s (%s)", a.Kind, a.Modules, a.Rank.Value, a.Rank.From, a.Alpha, a.AlphaFrom, a.Targets, a.Base.Value, a.Base.From)
		}
		if got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
		switch {
		case tt.notes == "" && len(f.Notes) == 0:
		case tt.notes != "" && len(f.Notes) == 1 && strings.Contains(f.Notes[0], tt.notes):
		default:
			t.Errorf("%s: notes %q, want %q", tt.name, f.Notes, tt.notes)
		}
	}
}

func TestNotesOfAdaptersAreBounded(t *testing.T) {
	var tensors []any
	for i := range 1000 {
		tensors = append(tensors, fmt.Sprintf("x%d.lora_A.weight", i), []int64{4, 8})
	}
	if n := len(FactsOf(headers("", tensors...)).Notes); n > maxNotes {
		t.Errorf("%d notes", n)
	}
}
