// Kinds of models.

package identity

import "slices"

// A Kind is what a model is, whatever its family.
type Kind string

// The kinds.
const (
	Checkpoint         Kind = "checkpoint" // a diffusion model with a VAE or text encoders
	DiffusionModel     Kind = "diffusion model"
	VAE                Kind = "VAE"
	TextEncoder        Kind = "text encoder"
	VisionEncoder      Kind = "vision encoder"
	CLIP               Kind = "CLIP" // a text and a vision encoder
	ControlNet         Kind = "ControlNet"
	T2IAdapter         Kind = "T2I adapter"
	IPAdapter          Kind = "IP-Adapter"
	StyleModel         Kind = "style model"
	MotionModule       Kind = "motion module"
	Upscaler           Kind = "upscaler"
	Restorer           Kind = "restorer"  // of faces, noisy images and the like, at the same size
	Adapter            Kind = "adapter"   // LoRA and similar
	Embedding          Kind = "embedding" // textual inversion
	Hypernetwork       Kind = "hypernetwork"
	LanguageModel      Kind = "language model"
	VisionLanguage     Kind = "vision-language model"
	EmbeddingModel     Kind = "embedding model"
	Classifier         Kind = "classifier" // and rerankers
	SpeechModel        Kind = "speech model"
	AudioModel         Kind = "audio model"
	VisionModel        Kind = "vision model" // classifiers, detectors, depth and segmentation of images
	OptimizerState     Kind = "optimizer state"
	EMA                Kind = "EMA weights"
	TrainingCheckpoint Kind = "training checkpoint"
	Pipeline           Kind = "pipeline" // several models in one folder
)

// kinds are all kinds, in the order of documents.
var kinds = []Kind{
	Pipeline, Checkpoint, DiffusionModel, VAE, TextEncoder, VisionEncoder, CLIP, ControlNet, T2IAdapter, IPAdapter,
	StyleModel, MotionModule, Upscaler, Restorer, Adapter, Embedding, Hypernetwork, LanguageModel, VisionLanguage,
	EmbeddingModel, Classifier, SpeechModel, AudioModel, VisionModel, OptimizerState, EMA, TrainingCheckpoint,
}

// Kinds returns all kinds.
func Kinds() []Kind { return slices.Clone(kinds) }

// contains reports whether models of the kind have parts that are models.
func (k Kind) contains() bool { return k == Checkpoint || k == TrainingCheckpoint || k == Pipeline }
