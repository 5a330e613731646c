// Facts and their sources.

package model

import (
	"fmt"

	"github.com/weightools/safetensors/model/adapters"
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

// A Factor is a ratio and its source.
type Factor struct {
	Value float64
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

	Layers       Number // of the main stack
	Hidden       Number // channels
	Intermediate Number // channels inside of feed-forward layers
	Vocab        Number // tokens that have an embedding

	Heads    Number // of attention, for queries
	KVHeads  Number // of attention, for keys and values
	HeadSize Number // channels of a head

	Context    Number // tokens that the model was made for
	RopeFactor Factor // by which rotary embeddings are stretched for a longer context
	Window     Number // tokens that layers with sliding windows attend to

	Experts, ExpertsPerToken Number // routed experts in each layer

	// What a GGUF file says about itself.
	FileType  Text // the mixture of types, such as "Q4_K_M"
	Tokenizer Text // with the number of tokens, and whether there is a chat template

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

// An Adapter describes an adapter.
type Adapter struct {
	Kind       string               // "LoRA", "DoRA", "LoHa", "LoKr", "OFT" and so on
	Spelling   adapters.Spelling    // whose names its tensors have
	Labels     []string             // names of adapters that are part of tensors' names, such as "default"
	Components []adapters.Component // the parts of a diffusion model that it modifies
	Modules    int                  // the number of modules that it modifies

	// Rank is the rank of all modules, Ambiguous if they differ. Ranks lists the different ranks.
	Rank  Number
	Ranks []int64

	// Alpha scales the adapter by alpha / rank. It is zero if its source is Unknown or Ambiguous.
	Alpha     float64
	AlphaFrom Source

	Targets []string // the modules that it modifies, by the ends of their names
	Base    Text     // the model that it is for
}

// note adds a remark.
func (f *Facts) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}
