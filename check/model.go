// A model: one set of weights, whose tensors are looked at once for all rules.

package check

import (
	"context"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// A model is a set of weights, with the configuration that is beside it.
type weights struct {
	*repository
	set    *checkpoint.Set
	index  *checkpoint.Index // nil if there is none
	shards []shard
	config *config // never nil
	quant  object  // the quantisation's configuration, nil if there is none

	// whole says that no shard is missing or broken, as far as is known, so that what
	// is not here is nowhere.
	whole bool
	// described says that the configuration is about this set, and not about another
	// beside it.
	described bool

	tensors int
	adapter adapter
	layers  layers
	packed  packed
	ends    ends
	sums    sums
}

// A shard is one file of a model. The header is nil if it cannot be relied on.
type shard struct {
	path   string
	header *safetensors.Header
}

// model returns a set with its headers, which are read if they are not known.
func (r *repository) weights(ctx context.Context, set *checkpoint.Set) *weights {
	m := &weights{repository: r, set: set, whole: set.Role != checkpoint.Other && isComplete(set.Shards)}
	cp := set.Open()
	defer cp.Close()
	m.index = cp.Index()
	for _, p := range set.Shards {
		h, err := cp.Header(ctx, p)
		if err != nil {
			h, m.whole = nil, false // which was told when the shard was judged
		} else {
			m.tensors += len(h.Tensors)
		}
		m.shards = append(m.shards, shard{p, h})
	}
	m.config = new(config)
	if r.isFile() {
		return m
	}
	folder, name := folderOf(m.file()), "config.json"
	if m.isAdapterByName() {
		name = "adapter_config.json"
	}
	m.config = r.config(ctx, folder, name)
	m.quant = r.quantisation(ctx, folder, m.config)
	m.described = m.config.top != nil && set.Counted() && r.isDescribed(set)
	if m.described && r.opts.Described != nil {
		r.opts.Described(m.config.path)
	}
	return m
}

// isComplete says whether there are as many shards as their numbers tell of. Which are
// missing was told with the set.
func isComplete(shards []string) bool {
	totals := make(map[string]int64) // how many shards there are, by what is around their numbers
	for _, p := range shards {
		if before, after, ok := strings.Cut(path.Base(p), "-of-"); ok {
			totals[strings.TrimRight(before, "0123456789")+"-of-"+after]++
		}
	}
	for name, n := range totals {
		_, after, _ := strings.Cut(name, "-of-")
		digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		if total, ok := natural([]byte(digits)); ok && n < total {
			return false
		}
	}
	return true
}

// file returns the path of a file by which the set is known: faults of no tensor
// are reported with it.
func (m *weights) file() string {
	if m.set.Index == "" && len(m.set.Shards) > 0 {
		return m.set.Shards[0]
	}
	return m.set.Index
}

// isDescribed says whether a configuration is about the set: it is the only one that
// is counted in its folder, or has a name that libraries look for.
func (r *repository) isDescribed(set *checkpoint.Set) bool {
	base := path.Base(set.Name)
	for _, usual := range []string{"model.safetensors", "model-", "diffusion_pytorch_model.safetensors", "pytorch_model"} {
		if strings.HasPrefix(base, usual) {
			return true
		}
	}
	return r.counted[folderOf(set.Name)] == 1
}

// judge looks at every tensor, and then judges by what was seen.
func (m *weights) judge() {
	defer func() { m.layers, m.packed = layers{}, packed{} }() // which are large
	extra := m.index != nil && m.tensors != len(m.index.Tensors)
	for i := range m.shards {
		h := m.shards[i].header
		if h == nil {
			continue
		}
		m.sums.begins = h.DataStart()
		for t := range h.Tensors {
			ti := &h.Tensors[t]
			if extra && m.isElsewhere(ti.Name, i) {
				continue // which is reported, and loaders that go by the index do not read it
			}
			m.look(ti, i)
		}
	}
	m.sums.judge(m)
	m.judgeAdapter()
	if m.set.CopyOf != "" || m.isAdapter() {
		return // it is the original that is described
	}
	m.packed.judge(m)
	m.ends.judge(m)
	m.layers.judge(m)
}

// isElsewhere says whether the index puts a tensor into another shard, or nowhere.
func (m *weights) isElsewhere(tensor string, shard int) bool {
	e := m.index.Lookup(tensor)
	return e == nil || path.Join(folderOf(m.set.Index), e.Shard) != m.shards[shard].path
}

// look looks at one tensor.
func (m *weights) look(ti *safetensors.TensorInfo, shard int) {
	n := parse(ti.Name)
	m.sums.look(ti, shard, n)
	m.adapter.look(ti, shard)
	m.packed.look(ti, shard, n)
	if n.layer < 0 {
		m.ends.look(ti, shard, n)
	} else {
		m.layers.look(m, ti, shard, n)
	}
}

// isFloat says whether a dtype is one that weights have which are not packed.
func isFloat(d safetensors.Dtype) bool {
	switch d {
	case safetensors.BF16, safetensors.F16, safetensors.F32, safetensors.F64:
		return true
	}
	return false
}

// isFloat8 says whether a dtype is a float of 8 bits.
func isFloat8(d safetensors.Dtype) bool {
	switch d {
	case safetensors.F8_E4M3, safetensors.F8_E5M2, safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ:
		return true
	}
	return false
}
