// Names of adapters that only the trainer knows.

package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model/adapters"
)

// judgeNames reports names that no loader expects: with the name of the adapter, or without a prefix that tells which
// part of a diffusion model they are about.
func (a *adapter) judgeNames(m *subject) {
	if labels := a.Labels(); len(labels) == 1 {
		var labeled tally
		for one := range a.All() {
			for i := range one.Tensors {
				if t := &one.Tensors[i]; t.Name.Label() == labels[0] {
					labeled.add(t.Info, t.File)
				}
			}
		}
		m.report(RuleAdapterLabel, &labeled, "has", "have", "%s, the name of the adapter, in the name", quote("."+labels[0]))
		m.found(m.shards[labeled.shard].path).Fix(renaming(m, `\.`+regexp.QuoteMeta(labels[0])+`(\.|$)=>$1`))
	}
	prefix, bare := a.lacksPrefix()
	if prefix == "" || isControl(m) {
		return
	}
	m.report(RuleAdapterPrefix, &bare, "is", "are",
		"named as in a diffusion model: ComfyUI expects \"diffusion_model.\" before that, and diffusers \"transformer.\"")
	m.found(m.shards[bare.shard].path).Fix(renaming(m, "^=>"+prefix))
}

// isControl reports whether an adapter is one of those that Black Forest Labs publish for the control of Flux. They store
// norms, too, by which diffusers knows that their names have no prefix.
func isControl(m *subject) bool {
	for _, s := range m.shards {
		if s.header != nil && slices.ContainsFunc(s.header.Tensors, func(ti safetensors.TensorInfo) bool {
			return strings.HasSuffix(ti.Name, ".query_norm.scale")
		}) {
			return true
		}
	}
	return false
}

// renaming returns the advice to rename the tensors of a set.
func renaming(m *subject, rename string) string {
	return "Rename the tensors: `weigh edit --in-place --rename '" + rename + "' FILE`."
}

// denoiserStacks are the first words of modules' names in diffusion models, and the prefix of the program whose names
// they are: the original names, which ComfyUI uses, and those of diffusers.
var denoiserStacks = map[string]string{
	"double_blocks": "diffusion_model.", "single_blocks": "diffusion_model.", "joint_blocks": "diffusion_model.",
	"input_blocks": "diffusion_model.", "middle_block": "diffusion_model.", "output_blocks": "diffusion_model.",
	"transformer_blocks": "transformer.", "single_transformer_blocks": "transformer.",
	"down_blocks": "unet.", "mid_block": "unet.", "up_blocks": "unet.",
}

// lacksPrefix returns the prefix that the names of an adapter of a diffusion model lack, and the tensors.
func (a *adapter) lacksPrefix() (prefix string, bare tally) {
	for one := range a.All() {
		if one.Name.Spelling != adapters.Bare || one.Name.Prefix != "" {
			return "", tally{}
		}
		first, rest, _ := strings.Cut(one.Name.Path, ".")
		stack := denoiserStacks[first]
		// Vision models have blocks, too. The attention to a text is that of Wan and of models like it.
		if first == "blocks" && strings.Contains(rest, ".cross_attn.") {
			stack = "diffusion_model."
		}
		if stack != "" && prefix == "" {
			prefix = stack
		}
		for i := range one.Tensors {
			bare.add(one.Tensors[i].Info, one.Tensors[i].File)
		}
	}
	return prefix, bare
}
