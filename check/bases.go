// Adapters and their base.

package check

import (
	"context"
	"path"

	"github.com/weightools/safetensors/check/internal/adapter"
)

// judgeBases compares the adapters with their bases.
func (r *repository) judgeBases(ctx context.Context) {
	for _, m := range r.weights {
		if !m.isAdapter() || !m.complete || m.adapter.Tensors() == 0 || ctx.Err() != nil {
			continue
		}
		if base := r.baseOf(ctx, m); base != nil && base.Len() > 0 {
			m.adapter.JudgeBase(&m.subject, base)
		}
	}
}

// baseOf returns the base of an adapter, or nil if it is unknown or cannot be read. It is that of Options.Base, or
// another model of the repository: one that adapter_config.json names, otherwise the only one.
func (r *repository) baseOf(ctx context.Context, m *weights) *adapter.Base {
	folder, said := folderOf(m.File()), m.Main.Root.Text("base_model_name_or_path")
	if r.opts.Base != nil {
		if name, sets := r.opts.Base(ctx, folder, said); len(sets) > 0 {
			return adapter.ReadBase(ctx, name, sets)
		}
	}
	named, others := &adapter.Base{Name: said, Named: true}, &adapter.Base{}
	folders := make(map[string]bool)
	for _, other := range r.weights {
		at := folderOf(other.set.Name)
		if other == m || !other.set.Counted() || !other.complete || other.isAdapter() {
			continue
		}
		if said != "" && at != folder && (at == path.Join(folder, said) || at != "" && path.Base(at) == path.Base(said)) {
			other.addTo(named)
		}
		folders[at] = true
		others.Name = other.File()
		other.addTo(others)
	}
	switch {
	case named.Len() > 0:
		return named
	case len(folders) == 1:
		return others
	}
	return nil
}

// addTo adds a set of the repository to a base.
func (m *weights) addTo(b *adapter.Base) {
	for _, s := range m.shards {
		b.AddAll(s.header)
	}
	b.Parts = b.Parts || adapter.HasParts(m.Main.Root)
}
