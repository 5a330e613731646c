// Adapters and their base.

package check

import (
	"context"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// An adapterBase is the base of an adapter.
type adapterBase struct {
	adapters.Base
	name  string // for messages
	named bool   // the user or adapter_config.json says that it is the base
}

// judgeBases compares the adapters with their bases.
func (r *repository) judgeBases(ctx context.Context) {
	for _, m := range r.weights {
		if !m.adapter.isAdapter(&m.subject) || !m.complete || m.adapter.Tensors() == 0 || ctx.Err() != nil {
			continue
		}
		if base := r.baseOf(ctx, m); base != nil && base.Len() > 0 {
			m.adapter.judgeBase(&m.subject, base)
		}
	}
}

// baseOf returns the base of an adapter, or nil if it is unknown or cannot be read. It is that of Options.Base, or
// another model of the repository: one that adapter_config.json names, otherwise the only one.
func (r *repository) baseOf(ctx context.Context, m *weights) *adapterBase {
	folder, said := folderOf(m.file()), m.Main.Root.Text("base_model_name_or_path")
	if r.opts.Base != nil {
		if name, sets := r.opts.Base(ctx, folder, said); len(sets) > 0 {
			return readBase(ctx, name, sets)
		}
	}
	named, others := &adapterBase{name: said, named: true}, &adapterBase{}
	folders := make(map[string]bool)
	for _, other := range r.weights {
		at := folderOf(other.set.Name)
		if other == m || !other.set.Counted() || !other.complete || other.adapter.isAdapter(&other.subject) {
			continue
		}
		if said != "" && at != folder && (at == path.Join(folder, said) || at != "" && path.Base(at) == path.Base(said)) {
			named.addSet(other)
		}
		folders[at] = true
		others.name = other.file()
		others.addSet(other)
	}
	switch {
	case named.Len() > 0:
		return named
	case len(folders) == 1:
		return others
	}
	return nil
}

// addSet adds a set of the repository.
func (b *adapterBase) addSet(m *weights) {
	for _, s := range m.shards {
		b.addAll(s.header)
	}
	b.Parts = b.Parts || hasParts(m.Main.Root)
}

// readBase reads the headers of a base, or returns nil if one cannot be read.
func readBase(ctx context.Context, name string, sets []*checkpoint.Set) *adapterBase {
	base := &adapterBase{name: name, named: true}
	for _, set := range sets {
		if !set.Counted() {
			continue
		}
		cp := set.Open()
		defer cp.Close()
		for _, shard := range set.Shards {
			h, err := cp.Header(ctx, shard)
			if err != nil {
				return nil // the user who checks the base itself learns why
			}
			base.addAll(h)
		}
		if object, err := set.OpenBeside(ctx, "config.json"); err == nil {
			text, err := io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), config.MaxSize+1)))
			object.Close()
			base.Parts = base.Parts || err == nil && hasParts(config.Parse("config.json", text).Root)
		}
	}
	return base
}

func (b *adapterBase) addAll(h *safetensors.Header) {
	for i := range h.Tensors {
		b.Add(&h.Tensors[i])
	}
}

// hasParts reports whether config.json is about a model of which the language model is one part.
func hasParts(root config.Object) bool {
	return root.First("text_config", "vision_config", "audio_config", "llm_config", "language_config",
		"thinker_config").Kind() != 0
}

// judgeBase compares an adapter with its base.
func (a *adapter) judgeBase(m *subject, base *adapterBase) {
	match, name := a.Match(&base.Base), base.name
	if !base.named && (!match.Moved || !match.Fits || a.prefix() == "") {
		return // the other model may be any
	}
	a.judgeMisfits(m, name, &match)
	var outside tally
	for _, one := range match.Missing {
		if t := one.Tensors[0]; !strings.Contains(one.Name.Path, "experts") { // some loaders stack these
			outside.add(t.Info, t.File)
		}
	}
	switch {
	case match.Layers == 0:
	case match.Moved:
		m.found(m.shards[outside.shard].path).Add(RuleAdapterBase, "", safetensors.Span{},
			"none of the modules of the adapter (%d) is in the base %s: the base has them under %s, and the adapter under %s",
			match.Layers, quote(name), quotePrefix(match.To), quotePrefix(match.From))
		from := a.prefix() + match.From
		m.found(m.shards[outside.shard].path).Fix(renaming(m, "^"+regexp.QuoteMeta(from)+"=>"+a.prefix()+match.To))
	case match.Foreign && outside.n > 0:
		m.found(m.shards[outside.shard].path).Add(RuleAdapterBase, outside.first.Name, outside.first.Entry,
			"none of the modules of the adapter (%d) is in the base %s, and no module there has such a name", match.Layers,
			quote(name))
	case match.Found > 0 && outside.n > 0:
		m.report(RuleAdapterModule, &outside, "modifies a module that is not", "modify modules that are not",
			"in the base %s", quote(name))
	}
}

// prefix returns the prefix that most modules have.
func (a *adapter) prefix() string {
	for one := range a.All() {
		return one.Name.Prefix
	}
	return ""
}

func quotePrefix(prefix string) string {
	if prefix == "" {
		return "no prefix"
	}
	return quote(strings.TrimSuffix(prefix, "."))
}

// judgeMisfits reports modules whose matrices do not fit the weights of the base.
func (a *adapter) judgeMisfits(m *subject, name string, match *adapters.Match) {
	if len(match.Misfits) == 0 {
		return
	}
	var misfits tally
	for i := range match.Misfits {
		t := match.Misfits[i].Module.Tensors[0]
		misfits.add(t.Info, t.File)
	}
	first := match.Misfits[0]
	m.report(RuleAdapterShape, &misfits, "modifies a module that does not fit", "modify modules that do not fit",
		"the base %s: the first is for %v inputs and %v outputs, and %s has the shape %s", quote(name),
		wording.Grouped(first.In), wording.Grouped(first.Out), quote(first.Weight.Name), first.Weight.ShapeString())
}
