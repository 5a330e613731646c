// Adapters: their base model by the modules that they modify.

package identity

import (
	"cmp"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/adapters"
)

// isModel reports whether what has the parts of an adapter is a model of its own: a ControlNet, an IP-Adapter.
func isModel(kind string) bool { return kind == "Control-LoRA" || kind == "IP-Adapter" }

// adapter describes an adapter by the modules of its base model, for which signatures of kind Adapter have names:
// "down_blocks.0.attentions.0.proj_in.weight" with the inputs and outputs of the module. Modules of text encoders
// begin with "text_encoder." and the like.
func (id *Identity) adapter(m *model.Model, s *Signatures) {
	v := modulesOf(m)
	id.Part = merged(v.parts(s, func(one *Signature) bool { return one.Kind == Adapter }))
	id.Kind, id.Tensors = Adapter, 0
	for i := range m.Files {
		id.Tensors += len(m.Files[i].Header.Tensors)
	}
	for i, e := range id.Evidence {
		if e.Tensor != nil {
			id.Evidence[i] = Evidence{Text: "it changes " + e.String()}
		}
	}
	if id.Status == Unknown {
		id.Status = Known // the kind is
		id.Notes = append(id.Notes, "no signature fits the names of the modules, so the base model is unknown")
	}
}

// modulesOf returns the modules of an adapter as the tensors of its base model.
func modulesOf(m *model.Model) *inventory {
	var set adapters.Set
	for i := range m.Files {
		h := m.Files[i].Header
		for t := range h.Tensors {
			set.Add(&h.Tensors[t], i)
		}
	}
	set.Close()
	h := &safetensors.Header{}
	for one := range set.All() {
		name := one.Name.Path + ".weight"
		if c := one.Name.Component; c != adapters.Other && c != adapters.Denoiser {
			name = string(c) + "." + name
		}
		in, out := sizesOf(one)
		if slices.ContainsFunc(h.Tensors[max(len(h.Tensors)-1, 0):], func(t tensorInfo) bool { return t.Name == name }) {
			continue
		}
		h.Tensors = append(h.Tensors, safetensors.TensorInfo{Name: name, Dtype: safetensors.F32, Shape: []int64{out, in}})
	}
	base := &model.Model{Files: []model.File{{Header: h}}}
	for i := range m.Files {
		if data := m.Files[i].Header.Metadata; len(data) > 0 && h.Metadata == nil {
			h.Metadata = data
		}
	}
	return inventoryOf(base)
}

// sizesOf returns the inputs and outputs of a module, or 0. The product of two matrices shows those of LoHa, and the
// Kronecker product of two matrices, each perhaps a product, those of LoKr.
func sizesOf(m *adapters.Module) (in, out int64) {
	if in, out = m.Sizes(); in > 0 {
		return in, out
	}
	rows, columns := make(map[string]int64), make(map[string]int64)
	for _, t := range m.Tensors {
		if s := t.Info.Shape; len(s) >= 2 {
			word := parts.Last(t.Info.Name)
			rows[word], columns[word] = s[0], s[1]
		}
	}
	if in, out = columns["hada_w1_b"], rows["hada_w1_a"]; in > 0 {
		return in, out
	}
	in = product(cmp.Or(columns["lokr_w1"], columns["lokr_w1_b"]), cmp.Or(columns["lokr_w2"], columns["lokr_w2_b"]))
	out = product(cmp.Or(rows["lokr_w1"], rows["lokr_w1_a"]), cmp.Or(rows["lokr_w2"], rows["lokr_w2_a"]))
	return in, out
}

// product returns a product, or 0 if it is too large.
func product(a, b int64) int64 {
	if a <= 0 || b <= 0 || a > math.MaxInt64/b {
		return 0
	}
	return a * b
}
