// Adapters and their base.

package adapter

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// A Base is the base of an adapter.
type Base struct {
	adapters.Base
	Name  string // for messages
	Named bool   // the user or adapter_config.json says that it is the base
}

// ReadBase reads the headers of a base, or returns nil if one cannot be read.
func ReadBase(ctx context.Context, name string, sets []*checkpoint.Set) *Base {
	base := &Base{Name: name, Named: true}
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
			base.AddAll(h)
		}
		if object, err := set.OpenBeside(ctx, "config.json"); err == nil {
			text, err := io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), config.MaxSize+1)))
			object.Close()
			base.Parts = base.Parts || err == nil && HasParts(config.Parse("config.json", text).Root)
		}
	}
	return base
}

// AddAll adds the tensors of a file.
func (b *Base) AddAll(h *safetensors.Header) {
	for i := range h.Tensors {
		b.Add(&h.Tensors[i])
	}
}

// HasParts reports whether config.json is about a model of which the language model is one part.
func HasParts(root config.Object) bool {
	return root.First("text_config", "vision_config", "audio_config", "llm_config", "language_config",
		"thinker_config").Kind() != 0
}

// JudgeBase compares an adapter with its base.
func (a *Adapter) JudgeBase(m Subject, base *Base) {
	match, name := a.Match(&base.Base), base.Name
	if !base.Named && (!match.Moved || !match.Fits || a.prefix() == "") {
		return // the other model may be any
	}
	a.judgeMisfits(m, name, &match)
	var outside rule.Tally
	for _, one := range match.Missing {
		if t := one.Tensors[0]; !strings.Contains(one.Name.Path, "experts") { // some loaders stack these
			outside.Add(t.Info, t.File)
		}
	}
	switch {
	case match.Layers == 0:
	case match.Moved:
		m.Found(m.ShardPath(outside.Shard)).Add(rule.AdapterBase, "", safetensors.Span{},
			"none of the modules of the adapter (%d) is in the base %s: the base has them under %s, and the adapter under %s",
			match.Layers, wording.Quote(name), quotePrefix(match.To), quotePrefix(match.From))
		from := a.prefix() + match.From
		m.Found(m.ShardPath(outside.Shard)).Fix(renaming("^" + regexp.QuoteMeta(from) + "=>" + a.prefix() + match.To))
	case match.Foreign && outside.N > 0:
		m.Found(m.ShardPath(outside.Shard)).Add(rule.AdapterBase, outside.First.Name, outside.First.Entry,
			"none of the modules of the adapter (%d) is in the base %s, and no module there has such a name", match.Layers,
			wording.Quote(name))
	case match.Found > 0 && outside.N > 0:
		m.Report(rule.AdapterModule, &outside, "modifies a module that is not", "modify modules that are not",
			"in the base %s", wording.Quote(name))
	}
}

// prefix returns the prefix that most modules have.
func (a *Adapter) prefix() string {
	for one := range a.All() {
		return one.Name.Prefix
	}
	return ""
}

func quotePrefix(prefix string) string {
	if prefix == "" {
		return "no prefix"
	}
	return wording.Quote(strings.TrimSuffix(prefix, "."))
}

// judgeMisfits reports modules whose matrices do not fit the weights of the base.
func (a *Adapter) judgeMisfits(m Subject, name string, match *adapters.Match) {
	if len(match.Misfits) == 0 {
		return
	}
	var misfits rule.Tally
	for i := range match.Misfits {
		t := match.Misfits[i].Module.Tensors[0]
		misfits.Add(t.Info, t.File)
	}
	first := match.Misfits[0]
	m.Report(rule.AdapterShape, &misfits, "modifies a module that does not fit", "modify modules that do not fit",
		"the base %s: the first is for %v inputs and %v outputs, and %s has the shape %s", wording.Quote(name),
		wording.Grouped(first.In), wording.Grouped(first.Out), wording.Quote(first.Weight.Name), first.Weight.ShapeString())
}
