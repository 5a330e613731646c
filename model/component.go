// Components: the part of a model that a tensor belongs to, by its name.

package model

import (
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// A Component is a part of a model.
type Component string

// The components. Names that tell nothing belong to ComponentOther. An adapter, a vision tower and the layers
// that predict several tokens are components as a whole, including their attention and norms.
const (
	ComponentEmbedding Component = "embedding" // of tokens, positions, patches and time
	ComponentAttention Component = "attention"
	ComponentMLP       Component = "mlp"     // dense and shared feed-forward layers, and routers
	ComponentExperts   Component = "experts" // routed experts
	ComponentNorm      Component = "norm"
	ComponentHead      Component = "head" // the output layer, such as lm_head
	ComponentVision    Component = "vision"
	ComponentAudio     Component = "audio"
	ComponentMTP       Component = "mtp"     // layers that predict several tokens at once
	ComponentAdapter   Component = "adapter" // LoRA and similar
	ComponentOther     Component = "other"
)

// components lists them in the order in which they are shown.
var components = [...]Component{ComponentEmbedding, ComponentAttention, ComponentMLP, ComponentExperts,
	ComponentNorm, ComponentHead, ComponentVision, ComponentAudio, ComponentMTP, ComponentAdapter, ComponentOther}

// A place is where in the model a tensor is, by its name.
type place struct {
	component Component
	stack     string // the part of the name before the number of the layer, or ""
	layer     int    // -1 if there is none
}

// An atlas finds places. It caches names without their numbers. A model has some dozens of these, however
// many layers and experts it has.
type atlas struct {
	known map[string]kind
	name  []byte // scratch space: the name in lower case, with a # for each number
	last  int    // the first layer of the main stack that is an MTP layer; -1 if unknown
}

// A kind is the component of tensors with one name, which may depend on their rank: a norm is a vector, and
// a matrix that is called a norm computes the values of one.
type kind struct{ vector, matrix Component }

// maxKinds bounds the cache, since a header can have any number of names.
const maxKinds = 1 << 12

func newAtlas() *atlas { return &atlas{known: make(map[string]kind), last: -1} }

// maxName bounds the names that are examined. Published ones have about 150 bytes; a header can have one of
// a hundred megabytes.
const maxName = 4 << 10

// place returns where in the model a tensor is.
func (a *atlas) place(name string, shape []int64) place {
	if len(name) > maxName {
		return place{layer: -1, component: ComponentOther}
	}
	var p place
	p.stack, p.layer, _ = parts.Layer(name)
	a.name = a.name[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c-'0' <= 9:
			if i == 0 || name[i-1]-'0' > 9 {
				a.name = append(a.name, '#')
			}
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		a.name = append(a.name, c)
	}
	k, ok := a.known[string(a.name)]
	if !ok {
		k = classify(string(a.name))
		if len(a.known) < maxKinds {
			a.known[string(a.name)] = k
		}
	}
	if p.component = k.matrix; isVector(shape) {
		p.component = k.vector
	}
	if a.last >= 0 && p.layer >= a.last && (strings.HasSuffix(p.stack, "model.layers") || p.stack == "layers") {
		p.component = ComponentMTP
	}
	return p
}

// isVector reports whether at most one dimension differs from 1.
func isVector(shape []int64) bool {
	long := 0
	for _, d := range shape {
		if d != 1 {
			long++
		}
	}
	return long <= 1
}

// signs are words in the names of components, in lower case with a # for each number, in the order in which
// they are tried. A dot at the beginning or end of a sign marks the beginning or end of a word.
//
// Components that contain others come first. Shared experts are dense, so they come before experts; norms
// come before the layers that contain them, and "embed_out", an output layer, before "embed".
var signs = []struct {
	component Component
	words     []string
}{
	{ComponentAdapter, []string{"lora_a.", "lora_b.", "lora_up", "lora_down", "lora_mid", "lora_embedding_",
		"lora_magnitude", "lora.up", "lora.down",
		".lora_unet_", ".lora_te", ".hada_", ".lokr_", ".oft_", "dora_scale", ".ia#_"}},
	{ComponentMTP, []string{".mtp.", ".mtp_", "nextn", ".mtp#."}},
	{ComponentVision, []string{"vision", "visual", ".vit.", "image_encoder", "img_encoder", "multi_modal_projector",
		"mm_projector", "image_newline"}},
	{ComponentAudio, []string{"audio", "speech"}},
	{ComponentMLP, []string{"shared_expert", "e_score_correction"}},
	{ComponentExperts, []string{".experts.", ".experts_", ".switch_mlp.", ".switch_glu."}},
	{ComponentNorm, []string{"norm", ".ln_", ".ln#.", ".ln."}},
	{ComponentHead, []string{".lm_head.", "embed_out", "unembed", ".output.weight", ".output.bias", "cls.predictions.",
		".score.", ".classifier."}},
	{ComponentEmbedding, []string{"embed", ".wte.", ".wpe.", ".shared.weight"}},
	{ComponentAttention, []string{"attn", "attention", ".q_proj.", ".k_proj.", ".v_proj.", ".o_proj.", "qkv",
		"query_key_value"}},
	{ComponentMLP, []string{"mlp", "ffn", "feed_forward", "feedforward", ".ff.", ".fc#.", "gate_proj", "up_proj",
		"down_proj", "dense_h_to_#h", "dense_#h_to_h",
		"c_fc", ".intermediate.", ".output.dense.", ".w#.", "moe", ".router."}},
}

// classify returns the kind of tensors with a name.
func classify(name string) kind {
	name = "." + name + "."
	var k kind
	for i := range signs {
		s := &signs[i]
		if !hasAny(name, s.words) {
			continue
		}
		if s.component == ComponentNorm && k.vector == "" {
			k.vector = ComponentNorm // and a matrix is classified by the other signs
			continue
		}
		if k.vector == "" {
			k.vector = s.component
		}
		k.matrix = s.component
		return k
	}
	if k.vector == "" {
		k.vector = ComponentOther
	}
	k.matrix = ComponentOther
	return k
}

func hasAny(name string, words []string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
