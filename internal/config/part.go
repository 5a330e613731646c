// The parts of config.json: which of them describes the language model.

package config

import "slices"

// languageParts are the members in which multimodal models keep the configuration of the language
// model. Qwen2.5-Omni nests one in another.
var languageParts = []string{"text_config", "llm_config", "language_config", "thinker_config"}

// largeParts are the members with the configuration of the largest part of models without a language model, and
// of pairs of models.
var largeParts = []string{
	"vlm_config", "decoder", "decoder_config", "generator", "encoder", "encoder_config", "vision_config", "audio_config",
	"asr_config", "semantic_config", "global_config", "backbone_config", "model_config", "esmc_config", "detector_config",
	"semantic_model_config",
}

const maxParts = 3 // parts in parts

// languagePart returns the configuration of the language model inside root, or root itself, and the objects
// around it. A model that has only a vision part is described by that.
func languagePart(root Object) (part Object, outer []Object) {
	part = root
	for range maxParts {
		inner := part.firstObject(languageParts...)
		if inner == nil {
			break
		}
		part, outer = inner, append(outer, part)
	}
	vision := root.firstObject("vision_config")
	if vision != nil && outer == nil && !root.has(Layers) && !root.has(Hidden) {
		return vision, []Object{root}
	}
	return part, outer
}

// describedPart returns the part of a configuration that has the sizes of layers: the language model's part, or
// that of the largest part of the model.
func describedPart(part Object) Object {
	for range maxParts {
		inner := part.firstObject(languageParts...)
		if inner == nil && !part.has(Heads) && !part.has(Layers) && !part.has(Hidden) {
			inner = part.firstObject(largeParts...)
		}
		if inner == nil {
			break
		}
		part = inner
	}
	return part
}

func (o Object) has(names []string) bool { return o.Find(names...).Kind() != 0 }

// tieName is the member that says whether the output layer is the embedding.
const tieName = "tie_word_embeddings"

// Tied reports whether the output layer shares its weights with the embedding. Of several parts of a
// configuration that say so, the outermost counts, as in transformers. If they differ, it adds a note.
func (c *Config) Tied() bool {
	tied, from := false, 0
	for _, o := range append(slices.Clone(c.outer), c.Text) {
		v := o.First(tieName)
		is, ok := v.Bool()
		c.expect(ok, v, "true or false")
		switch {
		case !ok:
		case from == 0:
			tied, from = is, 1
		case is != tied:
			c.Notes.Add("config: %s is %v, and %v in the part about the language model; the outer one counts", tieName,
				tied, is)
		}
	}
	return tied
}
