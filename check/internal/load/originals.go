// Components of diffusers with the names of the model's authors.

package load

import (
	"context"
	"strings"

	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
)

// originals are beginnings of names that the authors of models use, and no class of diffusers of the kind that its name
// contains.
var originals = []struct{ class, begin string }{
	{"Transformer2DModel", "double_blocks."}, {"Transformer2DModel", "single_blocks."},
	{"Transformer2DModel", "joint_blocks."}, {"Transformer2DModel", "model.diffusion_model."}, {"Transformer3DModel", "model.diffusion_model."},
	{"HunyuanVideoTransformer3DModel", "double_blocks."},
	{"UNet2DConditionModel", "input_blocks."}, {"UNet2DConditionModel", "model.diffusion_model."},
	{"AutoencoderKL", "first_stage_model."}, {"AutoencoderKL", "decoder.up.0."}, {"AutoencoderKL", "encoder.down.0."},
}

// judgeOriginals reports weights of a component under names that its class does not have.
func judgeOriginals(_ context.Context, m *Model) {
	class := m.Main.Root.Text("_class_name")
	known := facts.Diffusers()[class]
	if m.Single || len(m.For(loader.Diffusers)) == 0 || !known.Has("model") {
		return
	}
	n, where := 0, Fault{Rule: rule.NamesOriginal,
		Fix: "Load the file with " + class + ".from_single_file, and save the result."}
	for file, ti := range m.Tensors() {
		for _, one := range originals {
			if (class == one.class || strings.HasSuffix(class, one.class)) && strings.HasPrefix(ti.Name, one.begin) {
				if n++; n == 1 {
					where.File, where.Tensor, where.Span = file, ti.Name, ti.Entry
				}
				break
			}
		}
	}
	if n > 0 {
		m.Add(where, m.For(loader.Diffusers), "%s names of the model's authors, such as %s, which %s does not have",
			counted(n, "has", "have"), wording.Quote(where.Tensor), class)
	}
}
