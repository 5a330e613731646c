// Components: which part of a model a tensor belongs to, by its name.

package model

import (
	"math"
	"strings"
)

// A Component is a part of a model, as people divide models.
type Component string

// The components. What a name does not tell is Other. An adapter, a vision tower
// and the layers that predict several tokens are components as a whole, whatever is
// in them.
const (
	ComponentEmbedding Component = "embedding" // of tokens, positions, patches and time
	ComponentAttention Component = "attention"
	ComponentMLP       Component = "mlp"     // dense and shared feed-forward layers, and routers
	ComponentExperts   Component = "experts" // those among which a router chooses
	ComponentNorm      Component = "norm"
	ComponentHead      Component = "head" // what makes the output, such as lm_head
	ComponentVision    Component = "vision"
	ComponentAudio     Component = "audio"
	ComponentMTP       Component = "mtp"     // layers that predict several tokens at once
	ComponentAdapter   Component = "adapter" // LoRA and its kin
	ComponentOther     Component = "other"
)

// components are in the order in which they are listed.
var components = [...]Component{ComponentEmbedding, ComponentAttention, ComponentMLP, ComponentExperts, ComponentNorm, ComponentHead, ComponentVision, ComponentAudio, ComponentMTP, ComponentAdapter, ComponentOther}

// A place is what a name says of where its tensor is in the model.
type place struct {
	component Component
	stack     string // what stands before the number of the layer; "" if there is none
	layer     int    // -1 if there is none
}

// An atlas tells places. It remembers names without their numbers: of these a
// model has some dozens, however many layers and experts it has.
type atlas struct {
	known map[string]kind
	name  []byte // the name in lower case, a # for each number
	last  int    // the layer of the main stack from which on layers are MTP; -1 if not known
}

// A kind is the component of tensors of one name, which may depend on their rank:
// a norm has one number for each channel, and what is called one and is a matrix
// computes the norm's numbers.
type kind struct{ vector, matrix Component }

// mostKinds bounds what an atlas remembers. No model has as many; a header can.
const mostKinds = 1 << 12

func newAtlas() *atlas { return &atlas{known: make(map[string]kind), last: -1} }

// longestName bounds the names that are looked into. A header can have one of a
// hundred megabytes; published ones have about 150 bytes.
const longestName = 4 << 10

// place returns where in the model a tensor is.
func (a *atlas) place(name string, shape []int64) place {
	p := place{layer: -1, component: ComponentOther}
	if len(name) > longestName {
		return p
	}
	a.name = a.name[:0]
	for i := 0; i < len(name); {
		c := name[i]
		if c-'0' <= 9 {
			end := i
			for end < len(name) && name[end]-'0' <= 9 {
				end++
			}
			if p.layer < 0 && segment(name, i, end) {
				p.stack, p.layer = name[:max(i-1, 0)], number(name[i:end])
			}
			a.name = append(a.name, '#')
			i = end
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		a.name = append(a.name, c)
		i++
	}
	k, ok := a.known[string(a.name)]
	if !ok {
		k = classify(string(a.name))
		if len(a.known) < mostKinds {
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

// segment says whether the digits from begin to end are all that stands between
// two dots of a name.
func segment(name string, begin, end int) bool {
	return (begin == 0 || name[begin-1] == '.') && (end == len(name) || name[end] == '.')
}

// number returns the value of digits.
func number(digits string) int {
	n := 0
	for _, c := range digits {
		if n > math.MaxInt32/10 {
			return math.MaxInt32
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// isVector says whether at most one dimension is not 1.
func isVector(shape []int64) bool {
	long := 0
	for _, d := range shape {
		if d != 1 {
			long++
		}
	}
	return long <= 1
}

// signs are what the names of components have in them, in lower case with a #
// for each number, and in the order in which they are looked for. A sign that
// begins or ends with a dot begins or ends a word there.
//
// What is a component as a whole comes first. Shared experts are dense, so they come
// before experts; norms before all that they are in; and "embed_out", an output layer,
// before "embed".
var signs = []struct {
	component Component
	words     []string
}{
	{ComponentAdapter, []string{"lora_a.", "lora_b.", "lora_up", "lora_down", "lora_mid", "lora_embedding_", "lora_magnitude", "lora.up", "lora.down",
		".lora_unet_", ".lora_te", ".hada_", ".lokr_", ".oft_", "dora_scale", ".ia#_"}},
	{ComponentMTP, []string{".mtp.", ".mtp_", "nextn", ".mtp#."}},
	{ComponentVision, []string{"vision", "visual", ".vit.", "image_encoder", "img_encoder", "multi_modal_projector", "mm_projector", "image_newline"}},
	{ComponentAudio, []string{"audio", "speech"}},
	{ComponentMLP, []string{"shared_expert", "e_score_correction"}},
	{ComponentExperts, []string{".experts.", ".experts_", ".switch_mlp.", ".switch_glu."}},
	{ComponentNorm, []string{"norm", ".ln_", ".ln#.", ".ln."}},
	{ComponentHead, []string{".lm_head.", "embed_out", "unembed", ".output.weight", ".output.bias", "cls.predictions.", ".score.", ".classifier."}},
	{ComponentEmbedding, []string{"embed", ".wte.", ".wpe.", ".shared.weight"}},
	{ComponentAttention, []string{"attn", "attention", ".q_proj.", ".k_proj.", ".v_proj.", ".o_proj.", "qkv", "query_key_value"}},
	{ComponentMLP, []string{"mlp", "ffn", "feed_forward", "feedforward", ".ff.", ".fc#.", "gate_proj", "up_proj", "down_proj", "dense_h_to_#h", "dense_#h_to_h",
		"c_fc", ".intermediate.", ".output.dense.", ".w#.", "moe", ".router."}},
}

// classify returns the kind of tensors of a name.
func classify(name string) kind {
	name = "." + name + "."
	var k kind
	for i := range signs {
		s := &signs[i]
		if !hasAny(name, s.words) {
			continue
		}
		if s.component == ComponentNorm && k.vector == "" {
			k.vector = ComponentNorm // and a matrix is something else
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
