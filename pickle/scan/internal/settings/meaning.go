// The keys with a meaning, and the programs that read them.

package settings

import (
	"strings"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// A role says what the strings in an object or an array are.
type role uint8

// The roles.
const (
	noRole  role = iota
	aliens       // classes in modules of the repository: auto_map of Transformers
	pipes        // the same under the key "impl": custom_pipelines of Transformers
	imports      // modules: custom_imports of MMEngine
	types        // classes of Sentence Transformers
	shards       // paths of the shards of a checkpoint
	guards       // conditions of a program of torch.export
	codecs       // of an array of Zarr
)

// roleOf returns the role of the strings in the object or array under a key.
func roleOf(key string) role {
	switch key {
	case "auto_map":
		return aliens
	case "custom_pipelines":
		return pipes
	case "custom_imports":
		return imports
	case "weight_map":
		return shards
	case "guards_code":
		return guards
	}
	return noRole
}

// Holds reports whether the strings in the object or array under a key are names.
func Holds(key string) bool { return roleOf(key) != noRole }

// named reports a string within an object or array with a role.
func (w *Walker) named(f *frame, text []byte, at int64) {
	switch {
	case len(text) == 0:
	case f.in == aliens, f.in == pipes && f.key == "impl", f.object && f.key == "auto_map":
		w.found(Remote, f.key, beginning(text), at)
	case f.in == guards:
		if !expression(string(text), true) {
			w.found(Code, f.key, beginning(text), at)
		}
	case f.in == shards:
		if evidence.Leaves(beginning(text)) {
			w.found(Outside, f.key, beginning(text), at)
		}
	case f.in == codecs:
		if name := beginning(text); (f.key == "id" || f.key == "name") && (name == "pickle" || name == "numcodecs.pickle") {
			w.found(Call, f.key, "numcodecs.pickles.Pickle", at)
		}
	case f.in == types && dotted(beginning(text)):
		w.found(Call, f.key, beginning(text), at)
	case f.in == imports && f.key != "allow_failed_imports":
		w.found(Import, f.key, beginning(text), at)
	}
}

// beginning returns as much of a text as any name has.
func beginning(text []byte) string { return string(text[:min(len(text), 4096)]) }

// A meaning examines the value of a key.
type meaning func(w *Walker, f *frame, text string, str bool, at int64)

// meaningOf returns the meaning of a key, or nil.
func meaningOf(key string) meaning {
	switch key {
	case "_target_", // Hydra, and what copies it
		"py/object", "py/type", "py/class", "py/function", "py/repr", "py/ref", "py/method", "py/mod": // jsonpickle
		return call
	case "class_path", // jsonargparse, and so LightningCLI
		"activation_function", "activation_fn", // Sentence Transformers
		"sbert_ce_default_activation_function", "default_activation_function":
		return dottedCall
	case "target": // Stable Diffusion and NeMo, with "params"
		return target
	case "type": // modules.json of Sentence Transformers
		return typed
	case "parent_library", // auto_mapping of PEFT
		"loader_module": // MLmodel of MLflow
		return imported
	case "custom_pipeline", "custom_generate":
		return remote
	case "_attn_implementation", "attn_implementation", "_attn_implementation_internal":
		return kernel
	case "trust_remote_code", "trust_repo", "enable_unsafe_deserialization":
		return trust
	case "class_name":
		return class
	case "_class_name":
		return pipeline
	}
	return nil
}

// call reports a name that is imported and called.
func call(w *Walker, f *frame, text string, str bool, at int64) {
	if str && text != "" {
		w.found(Call, f.key, text, at)
	}
}

// dottedCall reports a name with a module. Other texts are names in a list.
func dottedCall(w *Walker, f *frame, text string, str bool, at int64) {
	if str && dotted(text) {
		w.found(Call, f.key, text, at)
	}
}

// imported reports a module.
func imported(w *Walker, f *frame, text string, str bool, at int64) {
	if str && text != "" {
		w.found(Import, f.key, text, at)
	}
}

// remote reports code of a repository.
func remote(w *Walker, f *frame, text string, str bool, at int64) {
	if str && text != "" {
		w.found(Remote, f.key, text, at)
	}
}

// kernel reports an implementation that is downloaded from a repository.
func kernel(w *Walker, f *frame, text string, str bool, at int64) {
	if str && strings.ContainsAny(text, "/.:") {
		w.found(Remote, f.key, text, at)
	}
}

// trust reports a setting that is on.
func trust(w *Walker, f *frame, text string, _ bool, at int64) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1", "y":
		w.found(Trust, f.key, text, at)
	}
}

// target records a name that is called if the object has arguments, too.
func target(_ *Walker, f *frame, text string, str bool, at int64) {
	if str && dotted(text) {
		f.fields.target = Finding{Call, f.key, text, at}
	}
}

// typed records a type that is called if the object describes a module.
func typed(_ *Walker, f *frame, text string, str bool, at int64) {
	if str && dotted(text) {
		f.fields.kind = Finding{Call, f.key, text, at}
	}
}

// class records the class of a Keras object.
func class(w *Walker, f *frame, text string, str bool, at int64) {
	if str {
		w.Model = true
		f.fields.class = Finding{Keras, f.key, text, at}
	}
}

// pipeline records that the object is the index of a Diffusers pipeline. Other
// objects have the class of a single model.
func pipeline(_ *Walker, f *frame, text string, str bool, _ int64) {
	f.fields.pipeline = f.fields.pipeline || str && strings.Contains(text, "Pipeline")
}

// note records the keys that give others their meaning.
func (f *frame) note() {
	switch f.key {
	case "params", "init_args", "kwargs", "args":
		f.fields.params = true
	case "path":
		f.fields.path = true
	case "idx":
		f.fields.index = true
	case "inputs":
		f.fields.inputs = true
	case "outputs":
		f.fields.outputs = true
	}
}

// pair records an array of two strings in an object: in model_index.json of Diffusers, a
// module and a class in it.
func (w *Walker) pair(parent, f *frame) {
	const most = 1000
	if len(w.frames) == 1 && f.pair != "" && len(parent.fields.pairs) < most {
		parent.fields.pairs = append(parent.fields.pairs, Finding{Call, parent.key, f.first + "." + f.pair, f.at})
	}
}

// stock are the libraries that a pipeline of Diffusers usually names, and the modules of Diffusers
// itself.
var stock = wordset.Of(`null diffusers transformers onnxruntime optimum tokenizers peft
alt_diffusion animatediff audioldm audioldm2 aura_flow blip_diffusion cogvideo controlnet deepfloyd_if dance_diffusion
flux hunyuandit i2vgen_xl kandinsky kandinsky2_2 kandinsky3 kolors latent_consistency_models latent_diffusion latte
ledits_pp lumina marigold mochi musicldm pag paint_by_example pia pixart_alpha sana semantic_stable_diffusion shap_e
stable_audio stable_cascade stable_diffusion stable_diffusion_3 stable_diffusion_attend_and_excite
stable_diffusion_safe stable_diffusion_sag stable_diffusion_xl stable_video_diffusion t2i_adapter
text_to_video_synthesis unclip unidiffuser versatile_diffusion vq_diffusion wuerstchen`)

// node reports whether an object is a node of a program of torch.export with an operator that may not only compute.
func (f *fields) node() bool { return f.inputs && f.outputs && !operator(f.target.Text) }

// object reports what the members of an object mean together.
func (w *Walker) object(f *frame, outermost bool) {
	if f.fields.target.Text != "" && (f.fields.params || w.Restored || f.fields.node()) {
		w.Found(f.fields.target)
	}
	if f.fields.kind.Text != "" && f.fields.path && (f.fields.index || w.Modules) {
		w.Found(f.fields.kind)
	}
	if f.fields.class.Text != "" {
		w.Found(f.fields.class)
	}
	if !outermost || !f.fields.pipeline && !w.Pipeline {
		return
	}
	for _, p := range f.fields.pairs {
		library, _, _ := strings.Cut(p.Text, ".")
		if stock()[library] {
			continue
		}
		if p.Key == "_class_name" {
			p.Kind = Remote
		}
		w.Found(p)
	}
}
