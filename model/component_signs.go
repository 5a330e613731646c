// Signs: the words in names that tell components.

package model

import "strings"

// A sign is words in the names of a component, in lower case with a # for each number. A dot at the beginning or end
// of a word marks the beginning or end of an element of the name.
type sign struct {
	component Component
	words     []string
}

// containers are components as a whole, and are tried first, in this order. Shared experts are dense, so they come
// before experts.
var containers = []sign{
	{ComponentAdapter, []string{"lora_a.", "lora_b.", "lora_up", "lora_down", "lora_mid", "lora_embedding_",
		"lora_magnitude", "lora.up", "lora.down",
		".lora_unet_", ".lora_te", ".hada_", ".lokr_", ".oft_", "dora_scale", ".ia#_"}},
	{ComponentMTP, []string{".mtp.", ".mtp_", "nextn", ".mtp#."}},
	{ComponentVision, []string{"vision", "visual", ".vit.", "image_encoder", "img_encoder", "multi_modal_projector",
		"mm_projector", "image_newline"}},
	{ComponentAudio, []string{"audio", "speech"}},
	{ComponentMLP, []string{"shared_expert", "share_expert", "shared_mlp", "e_score_correction", "_shexp."}},
	{ComponentExperts, []string{".experts.", ".experts_", ".switch_mlp.", ".switch_glu.", "_exps."}},
}

// signs are the other components. The word that ends nearest to the end of the name counts, and of two that end in the
// same place, the longer.
var signs = []sign{
	{ComponentNorm, []string{"norm", ".ln_", ".ln#.", ".ln."}},
	{ComponentHead, []string{".lm_head.", ".lm_heads.", "embed_out", "unembed", ".output.weight.", ".output.bias.",
		"cls.predictions.", ".score.", ".classifier.", ".qa_outputs.", ".proj_out.",
		"_head.weight.", "_head.bias.", "_head.decoder.", ".output_projection."}},
	{ComponentEmbedding, []string{"embed", "_embd.", ".wte.", ".wpe.", ".shared.weight."}},
	{ComponentAttention, []string{"attn", "attention", ".q_proj.", ".k_proj.", ".v_proj.", ".o_proj.", "qkv",
		"query_key_value", "attention.output.dense.", "attn.output.", ".embed_q.", ".unembed_out."}},
	{ComponentMLP, []string{"mlp", "ffn", "ffw", "feed_forward", "feedforward", ".ff.", ".ff#.", ".fc#.", "gate_proj",
		"up_proj", "down_proj", "dense_h_to_#h", "dense_#h_to_h", "densereludense", "c_fc",
		".intermediate.", ".output.dense.",
		".intermediate_query.", ".output_query.", ".layout_intermediate.", ".layout_output.", "_inter.dense.",
		"lang_output.dense.", "visn_output.dense.", ".w#.", "moe",
		".router.", ".mixer.gate."}},
	{ComponentSSM, []string{"mamba", ".ssm", "ssm.", ".mixer.", ".rg_lru.", ".temporal_block.", ".mlstm_layer.",
		".slstm_layer."}},
}

// classify returns the kind of tensors with a name.
func classify(name string) kind {
	name = "." + name + "."
	for i := range containers {
		if c := &containers[i]; hasAny(name, c.words) {
			return kind{c.component, c.component, c.component == ComponentMLP}
		}
	}
	k := kind{vector: ComponentOther, matrix: ComponentOther}
	nearest, atMatrix := wordAt{}, wordAt{}
	for i := range signs {
		s := &signs[i]
		at := s.last(name)
		if at.end > 0 && s.component == ComponentHead && strings.Contains(name[:at.end-at.length+1], ".#.") {
			continue // the output of a layer
		}
		if at.after(nearest) {
			nearest, k.vector = at, s.component
		}
		if s.component != ComponentNorm && at.after(atMatrix) {
			atMatrix, k.matrix = at, s.component
		}
	}
	return k
}

// A wordAt is where in a name a word was found. The zero wordAt means nowhere.
type wordAt struct{ end, length int }

// after reports whether a word counts more than another.
func (p wordAt) after(other wordAt) bool {
	return p.end > other.end || p.end == other.end && p.length > other.length
}

// last returns where the last of the words ends.
func (s *sign) last(name string) (at wordAt) {
	for _, w := range s.words {
		if i := strings.LastIndex(name, w); i >= 0 {
			if p := (wordAt{i + len(w), len(w)}); p.after(at) {
				at = p
			}
		}
	}
	return at
}

func hasAny(name string, words []string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
