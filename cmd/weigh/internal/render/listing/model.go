// Models as JSON.

package listing

import (
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
	"github.com/weightools/safetensors/model/identity"
)

// A Model is what is known about a set of weights.
type Model struct {
	Name   string // of the set
	Counts *model.Counts
	Facts  *model.Facts
	Other  *compat.Result // the count of another program, or nil

	Identity *identity.Identity
}

// notes returns all notes on the model without duplicates: several readers report the same fault
// of a configuration.
func (m *Model) notes() []string {
	list := []string{}
	for _, note := range slices.Concat(m.Counts.Notes, m.Facts.Notes) {
		if !slices.Contains(list, note) {
			list = append(list, note)
		}
	}
	return list
}

// plain reports whether the totals over tensors say everything about the model.
func (m *Model) plain() bool {
	n := m.Counts
	return n.Scheme == "" && n.Params == model.Range{Low: n.Stored, High: n.Stored} && n.Unique == n.Params &&
		!m.Facts.Named() && m.Facts.Adapter == nil && m.Other == nil && len(m.notes()) == 0 && m.identity() == ""
}

// certain returns an exact number, or unknown.
func certain(r model.Range) encode.Known {
	if r.Exact() {
		return encode.Known(r.Low)
	}
	return encode.Unknown
}

// logicalOf returns for JSON what weights represent, over all models; nil if there are none.
func logicalOf(models []Model) any {
	if len(models) == 0 {
		return nil
	}
	var params, unique model.Range
	var bytes, overhead, buffers int64
	var schemes, notes []string
	for i := range models {
		m, n := &models[i], models[i].Counts
		params = model.Range{Low: encode.Add(params.Low, n.Params.Low), High: encode.Add(params.High, n.Params.High)}
		unique = model.Range{Low: encode.Add(unique.Low, n.Unique.Low), High: encode.Add(unique.High, n.Unique.High)}
		bytes = encode.Add(bytes, n.Bytes-n.Buffers)
		overhead, buffers = encode.Add(overhead, n.Overhead), encode.Add(buffers, n.Buffers)
		if n.Scheme != "" && !slices.Contains(schemes, n.Scheme) {
			schemes = append(schemes, n.Scheme)
		}
		for _, note := range m.notes() {
			if len(models) > 1 {
				note = m.Name + ": " + note
			}
			notes = append(notes, note)
		}
	}
	var bits any // null without parameters, and if their number is not exact
	if params.High > 0 && params.Exact() {
		bits = math.Round(8*float64(bytes)/float64(params.High)*1e4) / 1e4
	}
	return []encode.Member{
		encode.M("params", certain(params)),
		bounds(params),
		encode.M("exact", params.Exact()),
		encode.M("unique", certain(unique)),
		encode.M("scheme", strings.Join(schemes, ", ")),
		encode.M("bits_per_param", bits),
		encode.M("overhead", overhead),
		encode.M("buffers", buffers),
		encode.M("rules", model.RulesVersion),
		encode.M("notes", notes),
	}
}

// json returns the model for JSON.
func (m *Model) json() any {
	members := []encode.Member{
		encode.M("name", m.Name),
		encode.M("logical", logicalOf([]Model{*m})),
		encode.M("without_embedding", certain(m.Counts.WithoutEmbedding())),
		encode.M("components", encode.List(m.Counts.Components, componentJSON)),
		encode.M("groups", encode.List(m.Counts.Groups, groupJSON)),
		encode.M("experts", expertsJSON(m.Counts.Experts)),
		encode.M("architecture", architectureJSON(m.Facts)),
		encode.M("adapter", adapterJSON(m.Facts.Adapter)),
	}
	if m.Other != nil {
		members = append(members, encode.M("compat", compatJSON(m.Other)))
	}
	return members
}

// bounds returns the bounds of a number for JSON.
func bounds(r model.Range) encode.Member { return encode.M("bounds", [2]int64{r.Low, r.High}) }

// sums returns the sums over some tensors for JSON.
func sums(t *model.Tally) []encode.Member {
	return []encode.Member{encode.M("tensors", t.Tensors), encode.M("elements", t.Stored),
		encode.M("params", certain(t.Params)), bounds(t.Params), encode.M("bytes", t.Bytes)}
}

func componentJSON(p *model.Part[model.Component]) any {
	return append([]encode.Member{encode.M("component", p.Key)}, sums(&p.Tally)...)
}

func groupJSON(g *model.Group) any {
	return append([]encode.Member{
		encode.M("rule", g.Rule),
		encode.M("scheme", g.Scheme),
		encode.M("dtype", g.Dtype),
		encode.M("bits", positive(g.Bits)), // null if unknown or mixed
		encode.M("why", g.Why),
		encode.M("first", typeset.Shortened(g.First)),
	}, sums(&g.Tally)...)
}

// expertsJSON returns experts for JSON; null if there are none. The active ones are null if the
// configuration does not say how many are chosen.
func expertsJSON(x *model.Routing) any {
	if x == nil {
		return nil
	}
	active, body, within := encode.Unknown, encode.Unknown, encode.M("bounds", nil)
	if x.Chosen > 0 {
		active, body, within = certain(x.Active), certain(x.ActiveBody), bounds(x.Active)
	}
	return []encode.Member{encode.M("count", positive(x.Count)), encode.M("chosen", positive(x.Chosen)),
		encode.M("active", active), within, encode.M("active_without_embedding", body)}
}

// architectureJSON returns the architecture for JSON; null if it is not known.
func architectureJSON(f *model.Facts) any {
	if !f.Known() {
		return nil
	}
	return []encode.Member{
		fact("name", f.Name.Value, f.Name.From),
		fact("type", f.Type.Value, f.Type.From),
		fact("layers", f.Layers.Value, f.Layers.From),
		fact("hidden", f.Hidden.Value, f.Hidden.From),
		fact("vocab", f.Vocab.Value, f.Vocab.From),
		fact("heads", f.Heads.Value, f.Heads.From),
		fact("kv_heads", f.KVHeads.Value, f.KVHeads.From),
		fact("head_size", f.HeadSize.Value, f.HeadSize.From),
		fact("intermediate", f.Intermediate.Value, f.Intermediate.From),
		fact("context", f.Context.Value, f.Context.From),
		fact("rope_factor", f.RopeFactor.Value, f.RopeFactor.From),
		fact("sliding_window", f.Window.Value, f.Window.From),
		fact("experts", f.Experts.Value, f.Experts.From),
		fact("experts_per_token", f.ExpertsPerToken.Value, f.ExpertsPerToken.From),
		fact("file_type", f.FileType.Value, f.FileType.From),
		fact("tokenizer", f.Tokenizer.Value, f.Tokenizer.From),
	}
}

// adapterJSON returns an adapter for JSON; null if the model is none.
func adapterJSON(a *model.Adapter) any {
	if a == nil {
		return nil
	}
	return []encode.Member{
		encode.M("kind", a.Kind),
		encode.M("spelling", a.Spelling),
		encode.M("labels", a.Labels),
		encode.M("components", a.Components),
		encode.M("modules", a.Modules),
		fact("rank", a.Rank.Value, a.Rank.From),
		encode.M("ranks", a.Ranks),
		fact("alpha", a.Alpha, a.AlphaFrom),
		encode.M("targets", a.Targets),
		fact("base", a.Base.Value, a.Base.From),
	}
}

// compatJSON returns the count of another program for JSON. The total is null if it refuses.
func compatJSON(x *compat.Result) any {
	total, dtypes := encode.Known(x.Total), make(map[safetensors.Dtype]int64)
	if x.Refused != "" {
		total = encode.Unknown
	}
	for _, d := range x.Dtypes {
		dtypes[d.Dtype] = d.Params
	}
	return []encode.Member{
		encode.M("name", x.Name),
		encode.M("version", x.Version),
		encode.M("total", total),
		encode.M("dtypes", dtypes),
		encode.M("refused", x.Refused),
		encode.M("differences", encode.List(x.Differences, func(d *compat.Difference) any {
			return []encode.Member{encode.M("cause", d.Cause), encode.M("tensors", d.Tensors), encode.M("params", d.Params)}
		})),
	}
}

// positive returns n, or unknown for 0.
func positive(n int64) encode.Known {
	if n > 0 {
		return encode.Known(n)
	}
	return encode.Unknown
}

// fact returns a fact for JSON. Its value is null if it is not known.
func fact[T comparable](name string, value T, from model.Source) encode.Member {
	var known any
	if value != *new(T) {
		known = value
	}
	return encode.M(name, []encode.Member{encode.M("value", known), encode.M("from", from)})
}
