// Facts: what a model is, and the source of each fact.

package model

import (
	"cmp"
	"slices"

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
	f.Heads, f.KVHeads = numberOf(c, config.Heads), numberOf(c, config.KVHeads)
	seen := survey(m.Files)
	seen.adapter.remote = m.Remote
	f.Stacks = seen.list()
	f.Layers = f.layers(numberOf(c, config.Layers), c.HasOneStack())
	if c.HasProjection() {
		seen.hidden = Number{}
	}
	f.Hidden = f.agree("hidden size", numberOf(c, config.Hidden), seen.hidden)
	f.Vocab = f.vocab(numberOf(c, config.Vocab), seen.vocab)
	f.Adapter = f.adapter(&seen.adapter, c.Adapter.Root)
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

// numberOf returns a size from config.json.
func numberOf(c *config.Config, names []string) Number {
	if n := c.Size(names); n > 0 {
		return Number{n, FromConfig}
	}
	return Number{}
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
	case config.From == Unknown && len(f.Stacks) > 1:
		return Number{0, Ambiguous}
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
