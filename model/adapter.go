// Adapters: small matrices that modify a model.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// adapter describes an adapter, or returns nil if the model has no adapter's matrices.
func (f *Facts) adapter(p *adapterParts, config config.Object) *Adapter {
	if len(p.modules) == 0 {
		return nil
	}
	a := &Adapter{Modules: len(p.modules), Kind: strings.Join(slices.Sorted(maps.Keys(p.kinds)), ", ")}
	if a.Kind == "LoRA" && p.magnitudes {
		a.Kind = "DoRA"
	}
	f.rank(a, p, config)
	f.alpha(a, p, config)
	a.Targets = p.targets()
	a.Base = p.base(config)
	return a
}

// rank finds the rank by the shapes, and adds a note if the configuration has another one.
func (f *Facts) rank(a *Adapter, p *adapterParts, config config.Object) {
	ranks := make(map[int64]bool)
	for _, name := range slices.Sorted(maps.Keys(p.modules)) {
		one := p.modules[name]
		switch down, up := one.down, one.up; {
		case !down.found || !up.found:
			f.note("one of the two matrices for %s is missing", wording.Quote(name))
		case down.rank <= 0 || up.rank <= 0: // unknown
		case down.rank != up.rank:
			f.note("the two matrices for %s have ranks %d and %d", wording.Quote(name), down.rank, up.rank)
		default:
			ranks[down.rank] = true
		}
		if len(f.Notes) == maxNotes {
			break
		}
	}
	a.Ranks = slices.Sorted(maps.Keys(ranks))
	switch len(a.Ranks) {
	case 0:
	case 1:
		a.Rank = Number{a.Ranks[0], FromHeaders}
	default:
		a.Rank = Number{0, Ambiguous}
	}
	if n, ok := config["r"].Int(); ok && a.Rank.Value > 0 && n != a.Rank.Value {
		f.note("the rank is %d in adapter_config.json and %d by the shapes", n, a.Rank.Value)
	}
}

// maxNotes bounds the remarks, since an adapter can be wrong in every module.
const maxNotes = 20

// targets returns the ends of the names of modules, each once.
func (p *adapterParts) targets() []string {
	ends := make(map[string]bool)
	for name := range p.modules {
		ends[target(name)] = true
	}
	return slices.Sorted(maps.Keys(ends))
}

// target returns the end of a module's name, after the last dot. kohya-ss replaces dots by underscores; there
// it is the part after the last numbered block or layer.
func target(name string) string {
	if !strings.HasPrefix(name, "lora_") && !strings.HasPrefix(name, "lycoris_") {
		// diffusers: "...attn1.processor.to_q"
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	for i := len(name); i > 0; {
		i = strings.LastIndexByte(name[:i], '_')
		if i < 0 {
			break
		}
		// "blocks_0_attn1_to_q": a word and a number come before the underscore.
		digits := len(name[:i]) - len(strings.TrimRight(name[:i], "0123456789"))
		before := name[:i-digits]
		if digits > 0 && (strings.HasSuffix(before, "blocks_") || strings.HasSuffix(before, "layers_") ||
			strings.HasSuffix(before, "attentions_")) {
			return name[i+1:]
		}
	}
	return name
}

// base returns the base model of the adapter.
func (p *adapterParts) base(config config.Object) Text {
	if name := config.Text("base_model_name_or_path"); name != "" {
		return Text{name, FromPEFT}
	}
	for _, key := range []string{"ss_sd_model_name", "ss_base_model_version", "modelspec.architecture"} {
		// Python writes None for a missing value.
		if s := p.metadata[key]; s != "" && s != "None" {
			return Text{s, FromMetadata}
		}
	}
	return Text{}
}

// spread lists numbers as in "8, 16, 32", or names the first and the last of many.
func spread[T cmp.Ordered](sorted []T) string {
	const most = 6
	var words []string
	for _, n := range sorted {
		words = append(words, fmt.Sprint(n))
	}
	if len(words) > most {
		return fmt.Sprintf("%s to %s (%d values)", words[0], words[len(words)-1], len(words))
	}
	return strings.Join(words, ", ")
}
