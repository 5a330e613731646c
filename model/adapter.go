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
	"github.com/weightools/safetensors/model/adapters"
)

// adapterParts are the tensors of an adapter.
type adapterParts struct {
	adapters.Set
	files  []File
	remote bool // alphas are not worth a request each
}

// adapter describes an adapter, or returns nil if the model has none.
func (f *Facts) adapter(p *adapterParts, config config.Object) *Adapter {
	p.Close()
	if p.Kind() == "" {
		return nil
	}
	a := &Adapter{Modules: p.Len(), Kind: p.Kind(), Spelling: p.Spelling(), Labels: p.Labels(),
		Components: p.Components()}
	f.rank(a, p, config)
	f.alpha(a, p, config)
	a.Targets = p.targets()
	a.Base = base(p.metadata(), config)
	return a
}

// metadata returns the metadata of the first file with tensors of the adapter that has any.
func (p *adapterParts) metadata() map[string]string {
	for i := range p.files {
		if m := p.files[i].Header.Metadata; m != nil && p.Has(i) {
			return m
		}
	}
	return nil
}

// rank finds the rank by the shapes, and adds a note if the configuration has another one.
func (f *Facts) rank(a *Adapter, p *adapterParts, config config.Object) {
	ranks := make(map[int64]bool)
	for m := range p.All() {
		switch down, up := m.Ranks(); {
		case m.IsHalf():
			f.note("one of the two matrices for %s is missing", wording.Quote(m.Name.Module()))
		case down > 0 && up > 0 && down != up:
			f.note("the two matrices for %s have ranks %d and %d", wording.Quote(m.Name.Module()), down, up)
		case m.Rank() > 0:
			ranks[m.Rank()] = true
		}
		if len(f.Notes) == maxNotes {
			break
		}
	}
	said := configuredRank(config)
	a.Ranks = slices.Sorted(maps.Keys(ranks))
	switch len(a.Ranks) {
	case 0:
		if said > 0 {
			a.Rank = Number{said, FromPEFT}
		}
	case 1:
		a.Rank = Number{a.Ranks[0], FromHeaders}
	default:
		a.Rank = Number{0, Ambiguous}
	}
	if said > 0 && a.Rank.Value > 0 && said != a.Rank.Value {
		f.note("the rank is %d in adapter_config.json and %d by the shapes", said, a.Rank.Value)
	}
}

// configuredRank returns the rank in adapter_config.json of PEFT, or of mlx_lm (tuner/utils.py at 0.32.2).
func configuredRank(config config.Object) int64 {
	if n, ok := config["r"].Int(); ok {
		return n
	}
	n, _ := config["lora_parameters"].Object()["rank"].Int()
	return n
}

// maxNotes bounds the remarks, since an adapter can be wrong in every module.
const maxNotes = 20

// targets returns the ends of the names of modules, each once.
func (p *adapterParts) targets() []string {
	ends := make(map[string]bool)
	for m := range p.All() {
		ends[m.Target()] = true
	}
	return slices.Sorted(maps.Keys(ends))
}

// base returns the base model of the adapter.
func base(metadata map[string]string, config config.Object) Text {
	if name := config.Text("base_model_name_or_path"); name != "" {
		return Text{name, FromPEFT}
	}
	if name := config.Text("model"); name != "" && len(config["lora_parameters"].Object()) > 0 { // mlx-lm
		return Text{name, FromPEFT}
	}
	for _, key := range []string{"ss_sd_model_name", "ss_base_model_version", "modelspec.architecture"} {
		// Python writes None for a missing value.
		if s := metadata[key]; s != "" && s != "None" {
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
