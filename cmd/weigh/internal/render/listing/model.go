// Models as JSON.

package listing

import (
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
)

// A Model is what is known about a set of weights.
type Model struct {
	Name   string // of the set
	Counts *model.Counts
	Facts  *model.Facts
	Other  *compat.Result // the count of another program, or nil
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
		!m.Facts.Named() && m.Facts.Adapter == nil && m.Other == nil && len(m.notes()) == 0
}

// bounds returns a range for JSON.
func bounds(r model.Range) [2]int64 { return [2]int64{r.Low, r.High} }

// certain returns an exact number, or unknown.
func certain(r model.Range) encode.Known {
	if r.Exact() {
		return encode.Known(r.Low)
	}
	return encode.Unknown
}

// logical is what weights represent, in JSON.
type logical struct {
	Params   encode.Known `json:"params"` // null if inexact
	Bounds   [2]int64     `json:"bounds"`
	Exact    bool         `json:"exact"`
	Unique   encode.Known `json:"unique"`
	Scheme   string       `json:"scheme"`
	Bits     *float64     `json:"bits_per_param"` // null without parameters
	Overhead int64        `json:"overhead"`
	Buffers  int64        `json:"buffers"`
	Rules    int          `json:"rules"`
	Notes    []string     `json:"notes"`
}

// logicalOf sums up models.
func logicalOf(models []Model) *logical {
	if len(models) == 0 {
		return nil
	}
	var params, unique model.Range
	var bytes int64
	var schemes []string
	l := &logical{Rules: model.RulesVersion, Notes: []string{}}
	for i := range models {
		m, n := &models[i], models[i].Counts
		params = model.Range{Low: encode.Add(params.Low, n.Params.Low), High: encode.Add(params.High, n.Params.High)}
		unique = model.Range{Low: encode.Add(unique.Low, n.Unique.Low), High: encode.Add(unique.High, n.Unique.High)}
		bytes = encode.Add(bytes, n.Bytes-n.Buffers)
		l.Overhead, l.Buffers = encode.Add(l.Overhead, n.Overhead), encode.Add(l.Buffers, n.Buffers)
		if n.Scheme != "" && !slices.Contains(schemes, n.Scheme) {
			schemes = append(schemes, n.Scheme)
		}
		for _, note := range m.notes() {
			if len(models) > 1 {
				note = m.Name + ": " + note
			}
			l.Notes = append(l.Notes, note)
		}
	}
	l.Params, l.Bounds, l.Exact, l.Unique = certain(params), bounds(params), params.Exact(), certain(unique)
	l.Scheme = strings.Join(schemes, ", ")
	if params.High > 0 {
		bits := fourDecimals(8 * float64(bytes) / float64(params.High))
		l.Bits = &bits
	}
	return l
}

// fourDecimals rounds to four decimals.
func fourDecimals(n float64) float64 { return math.Round(n*1e4) / 1e4 }

// modelJSON is a model in JSON.
type modelJSON struct {
	Name         string            `json:"name"`
	Logical      *logical          `json:"logical"`
	Components   []componentJSON   `json:"components"`
	Groups       []groupJSON       `json:"groups"`
	Experts      *expertsJSON      `json:"experts"`      // null if none
	Architecture *architectureJSON `json:"architecture"` // null if unknown
	Adapter      *adapterJSON      `json:"adapter"`      // null if not an adapter
	Compat       *compatJSON       `json:"compat,omitempty"`
}

// sums over some tensors.
type sums struct {
	Tensors int          `json:"tensors"`
	Stored  int64        `json:"stored"`
	Params  encode.Known `json:"params"`
	Bounds  [2]int64     `json:"bounds"`
	Bytes   int64        `json:"bytes"`
}

func sumsOf(t *model.Tally) sums {
	return sums{t.Tensors, t.Stored, certain(t.Params), bounds(t.Params), t.Bytes}
}

type componentJSON struct {
	Component string `json:"component"`
	sums
}

type groupJSON struct {
	Rule   string       `json:"rule"`
	Scheme string       `json:"scheme"`
	Dtype  string       `json:"dtype"`
	Bits   encode.Known `json:"bits"` // null if unknown or mixed
	Why    string       `json:"why"`
	First  string       `json:"first"`
	sums
}

type expertsJSON struct {
	Count  encode.Known `json:"count"`
	Chosen encode.Known `json:"chosen"`
	Active encode.Known `json:"active"`
	Bounds *[2]int64    `json:"bounds"` // null if the configuration lacks it
}

type factJSON struct {
	Value any          `json:"value"` // null if unknown
	From  model.Source `json:"from"`
}

type architectureJSON struct {
	Name    factJSON `json:"name"`
	Type    factJSON `json:"type"`
	Layers  factJSON `json:"layers"`
	Hidden  factJSON `json:"hidden"`
	Vocab   factJSON `json:"vocab"`
	Heads   factJSON `json:"heads"`
	KVHeads factJSON `json:"kv_heads"`
}

type adapterJSON struct {
	Kind    string   `json:"kind"`
	Modules int      `json:"modules"`
	Rank    factJSON `json:"rank"`
	Ranks   []int64  `json:"ranks"`
	Alpha   factJSON `json:"alpha"`
	Targets []string `json:"targets"`
	Base    factJSON `json:"base"`
}

type compatJSON struct {
	Name        string           `json:"name"`
	Version     string           `json:"version"`
	Total       encode.Known     `json:"total"` // null if refused
	Dtypes      map[string]int64 `json:"dtypes"`
	Refused     string           `json:"refused"`
	Differences []differenceJSON `json:"differences"`
}

type differenceJSON struct {
	Cause   string `json:"cause"`
	Tensors int    `json:"tensors"`
	Params  int64  `json:"params"`
}

// json returns the model for JSON.
func (m *Model) json() any {
	j := modelJSON{Name: m.Name, Logical: logicalOf([]Model{*m}), Components: []componentJSON{}, Groups: []groupJSON{}}
	for i := range m.Counts.Components {
		p := &m.Counts.Components[i]
		j.Components = append(j.Components, componentJSON{string(p.Key), sumsOf(&p.Tally)})
	}
	for i := range m.Counts.Groups {
		g := &m.Counts.Groups[i]
		j.Groups = append(j.Groups, groupJSON{string(g.Rule), g.Scheme, string(g.Dtype), positive(g.Bits), g.Why,
			typeset.Shortened(g.First), sumsOf(&g.Tally)})
	}
	if x := m.Counts.Experts; x != nil {
		j.Experts = &expertsJSON{Count: positive(x.Count), Chosen: positive(x.Chosen), Active: encode.Unknown}
		if x.Chosen > 0 {
			b := bounds(x.Active)
			j.Experts.Active, j.Experts.Bounds = certain(x.Active), &b
		}
	}
	if f := m.Facts; f.Known() {
		j.Architecture = &architectureJSON{
			nameOf(f.Name), nameOf(f.Type), factOf(f.Layers), factOf(f.Hidden), factOf(f.Vocab), factOf(f.Heads),
			factOf(f.KVHeads),
		}
	}
	if a := m.Facts.Adapter; a != nil {
		j.Adapter = &adapterJSON{
			a.Kind, a.Modules, factOf(a.Rank), append([]int64{}, a.Ranks...), fact(a.Alpha, a.AlphaFrom),
			append([]string{}, a.Targets...), nameOf(a.Base),
		}
	}
	if m.Other != nil {
		j.Compat = compatOf(m.Other)
	}
	return j
}

// compatOf returns the count of another program for JSON.
func compatOf(x *compat.Result) *compatJSON {
	j := &compatJSON{Name: x.Name, Version: x.Version, Total: encode.Known(x.Total), Dtypes: make(map[string]int64),
		Refused: x.Refused, Differences: []differenceJSON{}}
	if x.Refused != "" {
		j.Total = encode.Unknown
	}
	for _, d := range x.Dtypes {
		j.Dtypes[string(d.Dtype)] = d.Params
	}
	for _, d := range x.Differences {
		j.Differences = append(j.Differences, differenceJSON(d))
	}
	return j
}

// positive returns n, or unknown for 0.
func positive(n int64) encode.Known {
	if n > 0 {
		return encode.Known(n)
	}
	return encode.Unknown
}

// fact returns a fact for JSON.
func fact[T comparable](value T, from model.Source) factJSON {
	if value == *new(T) {
		return factJSON{nil, from}
	}
	return factJSON{value, from}
}

func factOf(n model.Number) factJSON { return fact(n.Value, n.From) }
func nameOf(t model.Text) factJSON   { return fact(t.Value, t.From) }
