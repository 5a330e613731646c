// Facts: what a model is, and the source of each fact.

package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// A Source is where a fact comes from.
type Source string

// The sources. If several agree, the source is the first of them.
const (
	Unknown      Source = ""
	Ambiguous    Source = "ambiguous" // sources contradict each other, and a note says how
	FromConfig   Source = "config.json"
	FromHeaders  Source = "headers"
	FromPEFT     Source = "adapter_config.json"
	FromMetadata Source = "metadata"
	FromTensors  Source = "alpha tensors"
)

// A Number is a size and its source. The Value is 0 if the source is Unknown or Ambiguous.
type Number struct {
	Value int64
	From  Source
}

// A Text is a name and its source.
type Text struct {
	Value string
	From  Source
}

// Facts describe a model. Unknown facts are zero.
type Facts struct {
	Name Text // of the architecture, such as "LlamaForCausalLM"
	Type Text // of the model, such as "llama"

	Layers  Number // of the main stack
	Hidden  Number // channels
	Vocab   Number // tokens that have an embedding
	Heads   Number // of attention, for queries
	KVHeads Number // of attention, for keys and values

	Stacks  []Stack  // the stacks of layers, by name
	Adapter *Adapter // nil if the model is not an adapter

	Notes []string
}

// A Stack is a sequence of numbered layers in the names of tensors.
type Stack struct {
	Name   string // the part of the names before the number, as in "model.layers"
	Layers int64  // how many different numbers there are
}

// Known reports whether anything is known about the architecture.
func (f *Facts) Known() bool {
	return f.Named() || f.Layers.From != "" || f.Hidden.From != "" || f.Vocab.From != "" || f.Heads.From != ""
}

// Named reports whether the name of the architecture is known.
func (f *Facts) Named() bool { return f.Name.Value != "" || f.Type.Value != "" }

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

// note adds a remark.
func (f *Facts) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
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
		f.note("the %s is %v in config.json and %v in the headers", what, wording.Grouped(config.Value), wording.Grouped(headers.Value))
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
