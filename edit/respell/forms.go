// The forms of names that users can ask for.

package respell

import (
	"cmp"
	"encoding/json"

	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/model/names"
)

// A Form is a way to spell names, by the word that users say.
type Form struct {
	Name string
	What string // in a few words

	forms     []names.Form // of the tables; the first that an architecture has counts
	bare      bool         // without the prefix of the architecture
	contained bool         // with the container that the model has in a file with others
	files     string       // what the names of files begin with; "" leaves them
	metadata  map[string]string
}

// own are the forms in which the tables list architectures.
var own = []names.Form{names.Transformers, names.Diffusers}

// pt is the metadata that transformers and diffusers expect.
var pt = map[string]string{"format": "pt"}

// forms are all forms.
var forms = []Form{
	{Name: "transformers", What: "save_pretrained of transformers", forms: []names.Form{names.Transformers}, files: "model",
		metadata: pt},
	{Name: "bare", What: "the same, without the prefix of the body, such as \"model.\"", forms: own, bare: true},
	{Name: "meta", What: "Meta's Llama", forms: []names.Form{names.Original}, files: "consolidated"},
	{Name: "mistral", What: "Mistral's consolidated.safetensors", forms: []names.Form{names.Mistral}, files: "consolidated"},
	{Name: "mlx", What: "mlx-lm and mlx-vlm", forms: []names.Form{names.MLX}, files: "model",
		metadata: map[string]string{"format": "mlx"}},
	{Name: "megatron", What: "Megatron-Core", forms: []names.Form{names.Megatron}},
	{Name: "diffusers", What: "save_pretrained of diffusers", forms: own, metadata: pt},
	{Name: "original", What: "what the authors published: LDM, Flux and others", forms: []names.Form{names.Original}},
	{Name: "comfyui", What: "single files for ComfyUI", forms: []names.Form{names.ComfyUI, names.Original}},
	{Name: "checkpoint", What: "the same as original, with the prefix that the part has in a file of all parts",
		forms: []names.Form{names.Original}, contained: true},
}

// Forms returns all forms.
func Forms() []Form { return forms }

// Names returns the words for all forms.
func Names() []string {
	list := make([]string, len(forms))
	for i := range forms {
		list[i] = forms[i].Name
	}
	return list
}

// stem returns what the names of files begin with, or "" if they stay as they are.
func (r *respelling) stem() string {
	if r.Name == "diffusers" {
		if r.fit.Architecture.Form == names.Diffusers {
			return "diffusion_pytorch_model"
		}
		return "model"
	}
	return r.files
}

// A configuration is what config.json says of the kind of a model.
type configuration struct {
	ModelType     string   `json:"model_type"`
	Class         string   `json:"_class_name"`
	Architectures []string `json:"architectures"`
}

// configurationOf reads config.json. It is empty if there is none.
func configurationOf(in *edit.Input) (c configuration) {
	text, err := in.Beside("config.json")
	if err != nil || json.Unmarshal(text, &c) != nil {
		return configuration{}
	}
	return c
}

// kindOf returns the _class_name or the model_type of config.json, or "".
func kindOf(in *edit.Input) string {
	c := configurationOf(in)
	return cmp.Or(c.Class, c.ModelType)
}

// configured returns the architecture that config.json names, or nil.
func (r *respelling) configured() *names.Architecture {
	c := configurationOf(r.in)
	if c.Class != "" {
		return names.Find(c.Class, c.Class)
	}
	class := ""
	if len(c.Architectures) > 0 {
		class = c.Architectures[0]
	}
	return names.Find(c.ModelType, class)
}
