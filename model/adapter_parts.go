// The tensors of an adapter.

package model

import (
	"strings"

	"github.com/weightools/safetensors"
)

// adapterParts are the tensors of an adapter.
type adapterParts struct {
	modules    map[string]*pair
	kinds      map[string]bool
	alphas     []scalar
	metadata   map[string]string // of the first file that has any
	magnitudes bool              // DoRA
	remote     bool              // alphas are not worth a request each
}

// A pair is the two matrices of a module.
type pair struct{ down, up []int64 }

// A scalar is a tensor of one element.
type scalar struct {
	file *File
	ti   *safetensors.TensorInfo
}

// ends are the ends of names of an adapter's tensors. The down matrix of a pair maps the inputs to as many
// channels as the rank.
//
// PEFT (src/peft/tuners/lora/layer.py at 5d602fd): lora_A [r, in], lora_B [out, r].
// kohya-ss (networks/lora.py): lora_down [r, in, ...], lora_up [out, r, ...], alpha.
// LyCORIS (lycoris/modules): hada_w1_b [r, in], hada_w1_a [out, r]; lokr_w2_b, lokr_w2_a.
var ends = []struct {
	text, kind string
	down       bool
}{
	{".lora_A.weight", "LoRA", true}, {".lora_B.weight", "LoRA", false},
	{".lora_A.default.weight", "LoRA", true}, {".lora_B.default.weight", "LoRA", false},
	{".lora_down.weight", "LoRA", true}, {".lora_up.weight", "LoRA", false},
	{"_lora.down.weight", "LoRA", true}, {"_lora.up.weight", "LoRA", false},
	{".lora.down.weight", "LoRA", true}, {".lora.up.weight", "LoRA", false},
	{".lora_embedding_A", "LoRA", true}, {".lora_embedding_B", "LoRA", false},
	{".hada_w1_b", "LoHa", true}, {".hada_w1_a", "LoHa", false},
	{".lokr_w2_b", "LoKr", true}, {".lokr_w2_a", "LoKr", false},
}

// add adds a tensor, if it is part of an adapter.
func (p *adapterParts) add(f *File, ti *safetensors.TensorInfo) {
	if strings.HasSuffix(ti.Name, ".alpha") && ti.Shape != nil && ti.NumElems() == 1 {
		p.alphas = append(p.alphas, scalar{f, ti})
		return
	}
	if strings.Contains(ti.Name, "lora_magnitude_vector") || strings.HasSuffix(ti.Name, ".dora_scale") {
		p.magnitudes = true
		return
	}
	for i := range ends {
		e := &ends[i]
		module, ok := strings.CutSuffix(ti.Name, e.text)
		if !ok || len(ti.Shape) < 2 {
			continue
		}
		if p.modules == nil {
			p.modules, p.kinds = make(map[string]*pair), make(map[string]bool)
		}
		if p.metadata == nil {
			p.metadata = f.Header.Metadata
		}
		one := p.modules[module]
		if one == nil {
			one = new(pair)
			p.modules[module] = one
		}
		if p.kinds[e.kind] = true; e.down {
			one.down = ti.Shape
		} else {
			one.up = ti.Shape
		}
		return
	}
}
