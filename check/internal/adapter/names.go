// Names of adapters that only the trainer knows.

package adapter

import (
	"regexp"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// judgeNames reports names that no loader expects: with the name of the adapter, or without a prefix that tells which
// part of a diffusion model they are about.
func (a *Adapter) judgeNames(m Subject) {
	if labels := a.Labels(); len(labels) == 1 {
		var labeled rule.Tally
		for one := range a.All() {
			for i := range one.Tensors {
				if t := &one.Tensors[i]; t.Name.Label() == labels[0] {
					labeled.Add(t.Info, t.File)
				}
			}
		}
		m.Report(rule.AdapterLabel, &labeled, "has", "have", "%s, the name of the adapter, in the name", wording.Quote("."+labels[0]))
		m.Found(m.ShardPath(labeled.Shard)).Fix(renaming(`\.` + regexp.QuoteMeta(labels[0]) + `(\.|$)=>$1`))
	}
	prefix, bare := a.lacksPrefix()
	if prefix == "" || isControl(m) {
		return
	}
	m.Report(rule.AdapterPrefix, &bare, "is", "are",
		"named as in a diffusion model: ComfyUI expects \"diffusion_model.\" before that, and diffusers \"transformer.\"")
	m.Found(m.ShardPath(bare.Shard)).Fix(renaming("^=>" + prefix))
}

// isControl reports whether an adapter is one of those that Black Forest Labs publish for the control of Flux. They store
// norms, too, by which diffusers knows that their names have no prefix.
func isControl(m Subject) bool {
	return m.Any(func(ti *safetensors.TensorInfo) bool { return strings.HasSuffix(ti.Name, ".query_norm.scale") })
}

// renaming returns the advice to rename the tensors of a set.
func renaming(rename string) string {
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
func (a *Adapter) lacksPrefix() (prefix string, bare rule.Tally) {
	for one := range a.All() {
		if one.Name.Spelling != adapters.Bare || one.Name.Prefix != "" {
			return "", rule.Tally{}
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
			bare.Add(one.Tensors[i].Info, one.Tensors[i].File)
		}
	}
	return prefix, bare
}
