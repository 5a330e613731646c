// Architectures: which tensors a model has.

package names

import (
	"slices"
	"strings"
)

// A Form is a way to spell the names of an architecture.
type Form string

// The forms. Each architecture has one that is its own, in which its Modules are listed: Transformers or Diffusers.
const (
	Transformers Form = "transformers" // what save_pretrained of transformers writes
	Module       Form = "module"       // the names of a model in memory, if save_pretrained writes others
	Diffusers    Form = "diffusers"    // what save_pretrained of diffusers writes
	Original     Form = "original"     // what the authors published: Meta's LLaMA, CompVis' LDM, Black Forest Labs' Flux
	Mistral      Form = "mistral"      // consolidated.safetensors of Mistral AI
	MLX          Form = "mlx"          // mlx-lm and mlx-vlm
	GGUF         Form = "gguf"         // llama.cpp
	ComfyUI      Form = "comfyui"      // single files for ComfyUI
	Megatron     Form = "megatron"     // Megatron-Core, and NeMo behind its prefix
)

// A Need says whether a model must have a tensor.
type Need uint8

// The needs.
const (
	Required Need = iota // each model has it, in each layer
	Tied                 // it is shared with another tensor by default, and then usually not saved
	Some                 // some layers have it, or models of some configurations
	Buffer               // it is saved, but computed, not trained; old files may have it or not
)

var needs = [...]string{"required", "tied", "some", "buffer"}

// String returns the word for a need that the data files use.
func (n Need) String() string { return needs[n] }

// A Role says what a tensor is for, as far as rules need to know.
type Role uint8

// The roles.
const (
	Other     Role = iota
	Embedding      // the input embedding
	Head           // the output layer
	Norm           // the last norm
	Layer          // a part of a layer
)

var roles = [...]string{"other", "embedding", "head", "norm", "layer"}

// String returns the name of a role.
func (r Role) String() string { return roles[r] }

// A Tensor is a tensor of an architecture, or as many as have its name with other numbers.
type Tensor struct {
	// Name has a placeholder for each number that differs: {n} for a layer, {x} for an expert, and {m}, {l}, {k} for
	// further ones.
	Name string
	Need Need
	Role Role

	pattern string // of Name
}

// Split reports whether there is one tensor for each expert.
func (t *Tensor) Split() bool { return strings.Contains(t.Name, "{x}") }

// A Class is a class of models. The classes of an architecture share its tensors; some have others besides, or lack
// some.
type Class struct {
	Name   string
	Prefix string   // before the names of the body: "model." of LlamaForCausalLM, "" of LlamaModel
	Adds   []string // tensors that Architecture.Tensors does not list: "score.weight"
	Lacks  []string // tensors of it that the class does not have; a name that ends with * means all that begin so
}

// Has reports whether the class has a tensor that Architecture.Tensors lists.
func (c *Class) Has(name string) bool {
	return !slices.ContainsFunc(c.Lacks, func(lack string) bool {
		begin, all := strings.CutSuffix(lack, "*")
		return name == lack || all && strings.HasPrefix(name, begin)
	})
}

// An Architecture is what models of one type have in common.
type Architecture struct {
	Type    string // model_type of transformers, or _class_name of diffusers
	Form    Form   // of Tensors
	Source  string // project, version and class that the tensors come from
	Classes []Class
	// Prefix is what the model without a head lacks in the names of Tensors: "model." of llama. It is empty if no name
	// or not each name has it.
	Prefix  string
	Ties    bool     // its configurations tie the head to the embedding unless they say otherwise
	Tensors []Tensor // sorted by name

	id int
}

// Tensor returns the tensor with a name, or with its pattern, and whether there is one.
func (a *Architecture) Tensor(name string) (*Tensor, bool) {
	key := Pattern(name)
	for i := range a.Tensors {
		if a.Tensors[i].pattern == key {
			return &a.Tensors[i], true
		}
	}
	return nil, false
}

// Class returns the class with a name, and whether the architecture has it.
func (a *Architecture) Class(name string) (Class, bool) {
	i := slices.IndexFunc(a.Classes, func(c Class) bool { return c.Name == name })
	if i < 0 {
		return Class{}, false
	}
	return a.Classes[i], true
}

// Find returns the architecture of a model_type of transformers or a _class_name of diffusers, otherwise the one that
// has the class; nil if there is none. Either may be empty.
func Find(modelType, class string) *Architecture {
	t := tables()
	if a := t.types[modelType]; a != nil {
		return a
	}
	return t.classes[class]
}

// All returns all architectures, sorted by type. The caller must not change them.
func All() []*Architecture { return tables().all }
