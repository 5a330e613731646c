// Facts: a value, and what proves it.

package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// A Source says what proves a fact.
type Source string

// The sources. Several prove a fact together if they agree; the source is then the
// first of them.
const (
	Unknown      Source = ""
	Ambiguous    Source = "ambiguous" // sources contradict each other, and a note says how
	FromConfig   Source = "config.json"
	FromHeaders  Source = "headers"
	FromPEFT     Source = "adapter_config.json"
	FromMetadata Source = "metadata"
	FromTensors  Source = "alpha tensors"
)

// A Number is a size that is a fact. Its Value is 0 if it is Unknown or Ambiguous.
type Number struct {
	Value int64
	From  Source
}

// A Text is a name that is a fact.
type Text struct {
	Value string
	From  Source
}

// Facts are what is known of a model. A fact that nothing proves is zero.
type Facts struct {
	Name Text // of the architecture, such as "LlamaForCausalLM"
	Type Text // of the model, such as "llama"

	Layers  Number // of the main stack
	Hidden  Number // channels
	Vocab   Number // tokens that there is an embedding for
	Heads   Number // of attention, for queries
	KVHeads Number // of attention, for keys and values

	Stacks  []Stack  // the stacks of layers, by name
	Adapter *Adapter // nil if the model is none

	Notes []string
}

// A Stack is numbered layers, as the headers have them.
type Stack struct {
	Name   string // what names have before the number, as in "model.layers"
	Layers int64  // how many numbers there are
}

// Known says whether anything is known of the architecture.
func (f *Facts) Known() bool {
	return f.Named() || f.Layers.From != "" || f.Hidden.From != "" || f.Vocab.From != "" || f.Heads.From != ""
}

// Named says whether the architecture has a name.
func (f *Facts) Named() bool { return f.Name.Value != "" || f.Type.Value != "" }

// FactsOf returns what is known of a model.
func FactsOf(m *Model) *Facts {
	f := new(Facts)
	root := f.parse("config.json", m.Config)
	top := root.Pick("text_config", "architectures", "_class_name", "model_type")
	inner := top[0]
	if inner.Kind() != jsonscan.Object {
		inner = root
	}
	f.Name = textIn(FromConfig, first(top[1]), top[2])
	f.Type = textIn(FromConfig, top[3])
	said := inner.Pick("num_attention_heads", "n_head", "num_key_value_heads", "num_hidden_layers", "n_layer", "num_layers",
		"hidden_size", "n_embd", "d_model", "vocab_size")
	f.Heads = numberIn(said[0], said[1])
	f.KVHeads = numberIn(said[2])
	seen := look(m.Files)
	f.Stacks = seen.stacks()
	f.Layers = f.layers(numberIn(said[3:6]...))
	f.Hidden = f.agree("hidden size", numberIn(said[6:9]...), seen.hidden)
	f.Vocab = f.vocab(numberIn(said[9]), seen.vocab)
	f.Adapter = f.adapter(m, &seen.adapter, f.parse("adapter_config.json", m.Adapter))
	return f
}

// note adds a remark.
func (f *Facts) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// parse returns the object that a text is. That it is none is said by others, who
// need it more.
func (f *Facts) parse(name string, text []byte) jsonscan.Value {
	if len(text) == 0 || len(text) > MaxConfig {
		return jsonscan.Value{}
	}
	v, err := jsonscan.Parse(jsonscan.WithoutNaN(text))
	if err != nil {
		f.note("%s is not read: %v", name, err)
		return jsonscan.Value{}
	}
	return v
}

// first returns the first element of an array.
func first(v jsonscan.Value) jsonscan.Value {
	for e := range v.Elements() {
		return e
	}
	return jsonscan.Value{}
}

// textIn returns the first of some members that is a string.
func textIn(from Source, members ...jsonscan.Value) Text {
	for _, m := range members {
		if s, ok := m.Str(); ok && s != "" {
			return Text{s, from}
		}
	}
	return Text{}
}

// numberIn returns the first of some members of a configuration that is a number.
func numberIn(members ...jsonscan.Value) Number {
	for _, m := range members {
		if n, ok := m.Int(); ok && n > 0 {
			return Number{n, FromConfig}
		}
	}
	return Number{}
}

// agree returns what a configuration and the headers say together.
func (f *Facts) agree(what string, config, headers Number) Number {
	switch {
	case config.From == Unknown:
		return headers
	case headers.Value != 0 && headers.Value != config.Value:
		f.note("the %s is %v by config.json, and %v by the headers", what, wording.Grouped(config.Value), wording.Grouped(headers.Value))
		return Number{0, Ambiguous}
	}
	return config
}

// vocab returns the size of the vocabulary. An embedding often has more rows than
// there are tokens, since a round number of them is faster, but never fewer.
func (f *Facts) vocab(config, headers Number) Number {
	if config.Value > 0 && headers.Value > config.Value {
		return config
	}
	return f.agree("vocabulary", config, headers)
}

// layers returns the number of layers: what the configuration says, if a stack has as
// many, or one more for each layer that predicts further tokens; without it, that of
// the only stack there is.
func (f *Facts) layers(config Number) Number {
	switch {
	case config.From == Unknown && len(f.Stacks) == 1:
		return Number{f.Stacks[0].Layers, FromHeaders}
	case config.From == Unknown && len(f.Stacks) > 1:
		return Number{0, Ambiguous}
	case config.From == Unknown || len(f.Stacks) == 0:
		return config
	}
	if slices.ContainsFunc(f.Stacks, func(s Stack) bool { return s.Layers >= config.Value }) {
		return config
	}
	most := slices.MaxFunc(f.Stacks, func(a, b Stack) int { return cmp.Compare(a.Layers, b.Layers) })
	f.note("there are %v layers by config.json, and the headers have %v", config.Value, most.Layers)
	return Number{0, Ambiguous}
}
