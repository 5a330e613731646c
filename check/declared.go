// Declarations: whether the configuration says of packed weights that they are, and in which dtype plain ones are.

package check

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// scales are the companions without which no loader unpacks a weight. (Some schemes have others.)
var scales = parts.SetOf(parts.Scale, parts.ScaleInv, parts.Scales, parts.Absmax, parts.ColumnMax, parts.Scale2,
	parts.GlobalScale)

// inHeader are keys of the metadata of files whose loaders find the quantization there.
var inHeader = []string{"quantization_config", "tensor_names"}

// packedMaps are files that say which modules are packed. (optimum-quanto: QuantizedTransformersModel,
// QuantizedDiffusersModel.)
var packedMaps = []string{"quanto_qmap.json", "quantization_map.json"}

// judgeDeclared compares the declaration of a quantization with the weights.
func (p *packed) judgeDeclared(m *subject) {
	if !m.described {
		return
	}
	var all tally
	scale := parts.Extra // of the first
	for i := range p.Modules {
		one := &p.Modules[i]
		holder, companion := first(one.Have, parts.Weight, parts.Extra), first(one.Have&scales, parts.Extra, parts.Count)
		if holder == parts.Extra || companion == parts.Count {
			continue
		}
		if all.N == 0 {
			scale = companion
		}
		ti, shard := p.Get(one, holder)
		all.Add(ti, shard)
	}
	switch {
	case all.N > 0 && m.Quant == nil && m.Method == "" && len(m.Ascend) == 0 && !m.saysQuantized():
		m.reportSet(RuleQuantUndeclared, &all, "is packed", "are packed", "(the first as %s, with %s), but %s has no "+
			"quantization_config: loaders take the packed values for the weights", all.First.Dtype, scale, quote(m.main.Path))
	case all.N == 0 && len(p.Modules) == 0 && m.complete && m.Main.Root != nil && m.needsPacked():
		at := m.Main.Root.First("quantization_config")
		m.found(m.main.Path).Add(RuleQuantUnused, "", spanOf(at), "quantization_config has quant_method %s, but no weight of "+
			"%s is packed: loaders look for the scales of packed weights", quote(m.Method), quote(path.Base(m.set.Name)))
	}
}

// first returns the first role of a set from one role to before another, or the latter if there is none.
func first(set parts.Set, from, to parts.Role) parts.Role {
	for ; from < to && !set.Has(from); from++ {
	}
	return from
}

// saysQuantized reports whether something besides the usual declaration says that weights are packed: another member
// of the configuration, which the code of the model may read, a file, or the header.
func (s *subject) saysQuantized() bool {
	for name := range s.Main.Root {
		if strings.Contains(name, "quant") && s.Main.Root.First(name).Kind() != 0 {
			return true
		}
	}
	for _, name := range packedMaps {
		if s.has(s.beside(name)) {
			return true
		}
	}
	return slices.ContainsFunc(s.shards, func(one shard) bool {
		return one.header != nil && slices.ContainsFunc(inHeader, func(key string) bool {
			_, ok := one.header.Metadata[key]
			return ok
		})
	})
}

// stored are the methods whose declaration means that the weights in the files are packed. Others also quantize plain
// weights when they are loaded.
var stored = []string{"gptq", "awq", "fp8", "mxfp4", "bitsandbytes", "compressed-tensors", "auto-round", "modelopt", "aqlm",
	"spqr", "vptq", "hqq"}

// needsPacked reports whether the quantization in config.json means that some weights are packed. That of a cache for
// keys and values does not.
func (s *subject) needsPacked() bool {
	q := s.Main.Root.First("quantization_config").Object()
	if q == nil || !slices.Contains(stored, s.Method) {
		return false
	}
	switch s.Method {
	case "compressed-tensors":
		groups := q.First("config_groups").Object()
		status := q.Text("quantization_status")
		return s.Format != "dense" && (status == "" || status == "compressed") && len(groups) > 0 && len(s.Bits) > 0
	case "modelopt":
		return s.Algorithm != ""
	}
	return true
}

// dtypes counts the elements of each dtype of floats.
type dtypes struct {
	elems map[safetensors.Dtype]int64
	first map[safetensors.Dtype]end
}

func (d *dtypes) look(ti *safetensors.TensorInfo, shard int) {
	if parts.KindOf(ti.Dtype) != parts.Float {
		return
	}
	if d.elems == nil {
		d.elems, d.first = make(map[safetensors.Dtype]int64), make(map[safetensors.Dtype]end)
	}
	if d.elems[ti.Dtype] += ti.NumElems(); d.first[ti.Dtype].info == nil {
		d.first[ti.Dtype] = end{ti, shard}
	}
}

// torchDtypes are the names that PyTorch gives to dtypes.
var torchDtypes = map[string]safetensors.Dtype{
	"float32": safetensors.F32, "float16": safetensors.F16, "bfloat16": safetensors.BF16, "float64": safetensors.F64,
}

// judge reports a dtype in the configuration that no weight has.
func (d *dtypes) judge(m *subject, isPacked bool) {
	if !m.described || isPacked || m.Quant != nil || !m.complete || len(d.elems) == 0 {
		return
	}
	of := m.Main.Root.First("dtype", "torch_dtype")
	if of.Kind() == 0 {
		of = m.Text.First("dtype", "torch_dtype")
	}
	name, _ := of.Str()
	want := torchDtypes[strings.TrimPrefix(name, "torch.")]
	if want == "" || d.elems[want] > 0 {
		return
	}
	most := slices.MaxFunc(slices.Collect(maps.Keys(d.elems)), func(a, b safetensors.Dtype) int {
		return cmp.Or(cmp.Compare(d.elems[a], d.elems[b]), cmp.Compare(a, b))
	})
	m.found(m.main.Path).Add(RuleConfigDtype, "", spanOf(of), "%s has %s %s, but no weight is %s: %s are %s, the first in "+
		"tensor %s, and loaders that follow it cast them", quote(m.main.Path), of.Name, quote(name), want,
		count(d.elems[most], "element"), most, quote(d.first[most].info.Name))
}
