// Architectures: models that transformers and diffusers know by a type.

package identity

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/names"
)

// sizes are the sizes that signatures can require.
var sizes = []string{"layers", "hidden", "intermediate", "vocab", "experts"}

// size returns a size of the model, or 0 if it is unknown.
func (v *inventory) size(name string) int64 {
	f := v.facts
	n := map[string]model.Number{"layers": f.Layers, "hidden": f.Hidden, "intermediate": f.Intermediate, "vocab": f.Vocab,
		"experts": f.Experts}[name]
	return n.Value
}

// types returns the types of architectures that the model may have: that of its configuration, or those whose names it
// has.
func (v *inventory) types() (list []string, from string) {
	if v.known == nil {
		v.known = []string{}
		if kind := v.facts.Type.Value; kind != "" {
			v.known, v.knownFrom = []string{kind}, v.typeFrom()
		} else if v.config == nil {
			v.known, v.knownFrom = v.recognized(), "the names are those of "
		}
	}
	return v.known, v.knownFrom
}

// typeFrom says where the type of the model comes from. A GGUF file has it itself.
func (v *inventory) typeFrom() string {
	if slices.ContainsFunc(v.metadata, func(m map[string]string) bool { return m["general.architecture"] != "" }) {
		return "GGUF general.architecture = "
	}
	return "config.json model_type = "
}

// leastPatterns is the least number of different names by which an architecture is recognized.
const leastPatterns = 5

// recognized returns the types of the architectures whose names fit best.
func (v *inventory) recognized() []string {
	const mostPatterns = 20_000 // no architecture has as many names that differ in more than numbers
	list := []string{}
	if len(v.numbered) > mostPatterns {
		return list
	}
	for _, p := range names.Recognize(slices.Values(v.order)).Parts {
		if p.Container != "" && p.Names < len(v.order) {
			continue
		}
		for _, fit := range p.Best() {
			// A handful of names such as "norm.weight" is no evidence, and neither are the names of half a model.
			if fit.Patterns >= leastPatterns && len(fit.Missing) == 0 {
				list = appendNew(list, fit.Architecture.Type)
			}
		}
	}
	return list
}

// checkArchitecture checks whether the model has one of several architectures.
func (v *inventory) checkArchitecture(c *condition) (verdict, Evidence, *tensorInfo) {
	types, from := v.types()
	for _, word := range c.words {
		if slices.Contains(types, word) {
			return yes, Evidence{Text: from + word}, nil
		}
	}
	return no, Evidence{}, nil
}

// heads are the ends of the names of classes that tell the kind of a model.
var heads = []struct {
	end  string
	kind Kind
}{
	{"ForCausalLM", LanguageModel}, {"LMHeadModel", LanguageModel}, {"ForMaskedLM", LanguageModel},
	{"ForConditionalGeneration", LanguageModel}, {"ForPreTraining", LanguageModel},
	{"ForSequenceClassification", Classifier}, {"ForTokenClassification", Classifier}, {"ForMultipleChoice", Classifier},
	{"ForQuestionAnswering", Classifier}, {"ForRewardModeling", Classifier},
	{"ForImageClassification", VisionModel}, {"ForObjectDetection", VisionModel}, {"ForSemanticSegmentation", VisionModel},
	{"ForDepthEstimation", VisionModel}, {"ForMaskGeneration", VisionModel}, {"ForUniversalSegmentation", VisionModel},
	{"ForZeroShotObjectDetection", VisionModel}, {"ForInstanceSegmentation", VisionModel},
	{"ForCTC", SpeechModel}, {"ForSpeechSeq2Seq", SpeechModel}, {"ForAudioClassification", SpeechModel},
	{"ForTextToSpeech", SpeechModel}, {"ForTextToWaveform", SpeechModel}, {"ForAudioFrameClassification", SpeechModel},
	{"TextModel", TextEncoder}, {"EncoderModel", TextEncoder}, {"VisionModel", VisionEncoder},
}

// configured tells what a model is by its configuration alone: its class says the kind, and its type the family.
func (v *inventory) configured(by *Signatures) (p Part, ok bool) {
	kind, class := v.facts.Type.Value, v.facts.Name.Value
	if kind == "" {
		return p, false
	}
	p = Part{Status: Known, Family: kind, Tensors: len(v.order), Kind: v.classKind(class)}
	for _, s := range by.list { // one that has other conditions, too
		if slices.ContainsFunc(s.conditions, func(c condition) bool {
			return c.verb == architecture && slices.Contains(c.words, kind)
		}) {
			p.Family = s.Family
		}
	}
	p.Evidence = []Evidence{{Text: v.typeFrom() + kind}}
	if class != "" {
		p.Evidence = append(p.Evidence, Evidence{Text: "config.json architectures = " + class})
	}
	if p.Kind == "" {
		p.Status = Unknown
		p.Notes = []string{"the class in config.json does not tell the kind"}
	}
	return p, true
}

// classKind returns the kind of a class of transformers, or "".
func (v *inventory) classKind(class string) Kind {
	for _, h := range heads {
		if !strings.HasSuffix(class, h.end) {
			continue
		}
		if h.kind == LanguageModel && v.config.First("vision_config", "visual").Kind() == jsonscan.Object {
			return VisionLanguage
		}
		return h.kind
	}
	return ""
}

// specialize changes the kind of a language model by its head: some classify, and some have no head.
func (v *inventory) specialize(p *Part) {
	if p.Kind != LanguageModel && p.Kind != TextEncoder {
		return
	}
	if v.modules > 0 {
		p.Kind = EmbeddingModel
		p.Evidence = append(p.Evidence, Evidence{Text: "modules of sentence-transformers follow"})
		return
	}
	if kind := v.classKind(v.facts.Name.Value); kind != "" {
		p.Kind = kind
		return
	}
	for _, name := range []string{"score.weight", "classifier.weight", "classifier.out_proj.weight"} {
		if ti := v.names[name]; ti != nil && v.facts.Name.Value == "" {
			p.Kind = Classifier
			p.Evidence = append(p.Evidence, Evidence{Tensor: ti})
			return
		}
	}
}
