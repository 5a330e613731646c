// Facts: what a model is, and the source of each fact.

package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// FactsOf describes a model by its headers and its configuration files. It does not guess: without a
// configuration the name is unknown, and if sources contradict each other, the fact is Ambiguous.
func FactsOf(m *Model) *Facts {
	f := new(Facts)
	notes := new(config.Notes)
	c := config.New(m.configs(), notes)
	class, kind := c.Architecture()
	f.Name, f.Type = textOf(FromConfig, class), textOf(FromConfig, kind)
	seen := survey(m.Files)
	seen.adapter.remote = m.Remote
	f.Stacks = seen.list()
	f.Layers = f.layers(f.configuredLayers(c), c.HasOneStack())
	f.Hidden = f.number(c, "hidden size", config.Hidden)
	f.Vocab = f.number(c, "vocabulary", config.Vocab)
	// An embedding has another width if a projection follows, or in a model whose tokens are not its input.
	if f.Hidden.Value > 0 && f.Vocab.Value == 0 || c.HasProjection() || seen.hasProjection(f.Hidden.Value) {
		seen.hidden = Number{}
	}
	f.Hidden = f.agree("hidden size", f.Hidden, seen.hidden)
	f.Vocab = f.vocab(f.Vocab, seen.vocab)
	f.attention(c)
	f.Intermediate = f.number(c, "intermediate size", config.Intermediate)
	f.Experts = f.number(c, "experts per layer", config.Experts)
	f.ExpertsPerToken = f.number(c, "experts per token", config.ActiveExperts)
	if strings.HasSuffix(class, "ForCausalLM") && c.Tied() && seen.embedding != "" && !seen.hasHead {
		f.note("the output layer is tied to %s (tie_word_embeddings) and not stored: weigh edit --untie writes it as a tensor",
			wording.Quote(seen.embedding))
	}
	f.Adapter = f.adapter(&seen.adapter, c.Adapter.Root)
	if c.Main.Name == config.GGUFName {
		f.ofGGUF(m)
	}
	f.Notes = append(notes.Texts(), f.Notes...)
	return f
}

// textOf returns a name, which is Unknown if it is empty.
func textOf(from Source, text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{text, from}
}

// number returns a size from config.json. If layers have different sizes, it is unknown, and a note says so.
func (f *Facts) number(c *config.Config, what string, names []string) Number {
	low, high, name := spreadOf(c, names)
	switch {
	case low != high:
		f.note("%s: %v to %v, by layer (%s)", what, wording.Grouped(low), wording.Grouped(high), name)
	case low > 0:
		return Number{low, FromConfig}
	}
	return Number{}
}

// spreadOf returns the least and the largest value that a size in config.json has in layers, and its name.
func spreadOf(c *config.Config, names []string) (low, high int64, name string) {
	v := c.Described.Find(names...)
	if v.Kind() == 0 {
		v = c.Main.Root.Find(names...)
	}
	low, high, _ = v.Spread()
	return low, high, v.Name
}

// sizeOf returns a size that all layers have in common, or 0.
func sizeOf(c *config.Config, names []string) int64 {
	if low, high, _ := spreadOf(c, names); low == high {
		return low
	}
	return 0
}

// configuredLayers returns the number of layers in config.json, or how many the list of their kinds has.
func (f *Facts) configuredLayers(c *config.Config) Number {
	n := f.number(c, "layers", config.Layers)
	if n.From == Unknown {
		for range c.Described.First(config.LayerLists...).Elements() {
			n = Number{n.Value + 1, FromConfig}
		}
	}
	return n
}

// agree combines what a configuration and the headers say.
func (f *Facts) agree(what string, config, headers Number) Number {
	switch {
	case config.From == Unknown:
		return headers
	case headers.Value != 0 && headers.Value != config.Value:
		f.note("the %s is %v in config.json and %v in the headers", what, wording.Grouped(config.Value),
			wording.Grouped(headers.Value))
		return Number{0, Ambiguous}
	}
	return config
}

// vocab returns the size of the vocabulary. An embedding may have more rows than there are tokens, because
// a round number of them is faster, but not fewer.
func (f *Facts) vocab(config, headers Number) Number {
	if config.Value > 0 && headers.Value > config.Value {
		return config
	}
	return f.agree("vocabulary", config, headers)
}

// layers returns the number of layers: the configured one, if a stack has as many or more (layers that predict
// further tokens are extra), or else the number in the only stack. One reports whether the configuration
// is about a single stack.
func (f *Facts) layers(config Number, one bool) Number {
	switch {
	case config.From == Unknown && len(f.Stacks) == 1:
		return Number{f.Stacks[0].Layers, FromHeaders}
	case config.From == Unknown || len(f.Stacks) == 0 || !one:
		return config
	}
	if slices.ContainsFunc(f.Stacks, func(s Stack) bool { return s.Layers >= config.Value }) {
		return config
	}
	most := slices.MaxFunc(f.Stacks, func(a, b Stack) int { return cmp.Compare(a.Layers, b.Layers) })
	f.note("config.json has %v layers and the headers have %v", config.Value, most.Layers)
	return Number{0, Ambiguous}
}
