// The files of a configuration, and what they say about the model.

package config

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// MaxSize is the largest configuration file that is parsed, in bytes. Published ones have a few
// kilobytes, or some megabytes if they list every module of a quantized model.
const MaxSize = 32 << 20

// A File is one configuration file. The zero File represents a missing one.
type File struct {
	Name string
	Root Object // nil if the file is missing or invalid
	Err  error  // why the file is invalid: a *jsonscan.SyntaxError if it is not JSON
}

// Parse parses the text of a file. An empty text represents a missing file.
func Parse(name string, text []byte) File {
	f := File{Name: name}
	if len(text) == 0 {
		return f
	}
	if len(text) > MaxSize {
		f.Err = fmt.Errorf("it has more than %v bytes", wording.Grouped(MaxSize))
		return f
	}
	v, err := jsonscan.Parse(jsonscan.WithoutNaN(text))
	if err == nil && v.Kind() != jsonscan.Object {
		err = &jsonscan.SyntaxError{Msg: fmt.Sprintf("expected an object, found %v", v.Kind())}
	}
	if f.Err = err; err == nil {
		f.Root = objectOf(v)
	}
	return f
}

// QuantizeNames are the names of Files.Quantize, in the order in which they are tried.
var QuantizeNames = []string{"quantize_config.json", "quant_config.json"}

// DescriptionNames returns the names that the description by msmodelslim may have, in the order in which they are
// tried: the usual one, and if the weights are "quant_model_weight_w8a8.safetensors", that of older versions,
// "quant_model_description_w8a8.json".
func DescriptionNames(weights string) []string {
	names := []string{"quant_model_description.json"}
	if kind, ok := strings.CutPrefix(weights, "quant_model_weight_"); ok {
		kind, _, _ = strings.Cut(kind, ".")
		kind, _, _ = strings.Cut(kind, "-")
		names = append(names, "quant_model_description_"+kind+".json")
	}
	return names
}

// Files are the configuration files in the folder of a model.
type Files struct {
	Main     File // config.json
	Quantize File // quantize_config.json or quant_config.json, from AutoGPTQ and AutoAWQ
	ModelOpt File // hf_quant_config.json
	Adapter  File // adapter_config.json

	Description File // quant_model_description.json, from msmodelslim
}

// A Config is what the files say about a model.
type Config struct {
	Files
	Text         Object // the part of config.json about the language model, or all of it
	Described    Object // the part with the sizes of layers: Text, or the largest part of a model without text
	outer        []Object
	Quantization // how weights are packed
	Notes        *Notes
}

// New reads the files of a model. It adds a note for each invalid file and for each member of an
// unexpected type.
func New(files Files, notes *Notes) *Config {
	c := &Config{Files: files, Notes: notes}
	for _, f := range []*File{&c.Main, &c.Quantize, &c.ModelOpt, &c.Adapter, &c.Description} {
		if f.Err != nil {
			notes.Add("%s is not used: %v", f.Name, f.Err)
		}
	}
	c.Text, c.outer = languagePart(c.Main.Root)
	c.Described = describedPart(c.Text)
	c.readQuantization()
	return c
}

// Flag returns a member that is true or false, and whether it is set. It counts as not set if the
// language model's part and the whole file contradict each other.
func (c *Config) Flag(name string) (is, ok bool) {
	a, b := c.Text.First(name), c.Main.Root.First(name)
	if a.Kind() == 0 {
		a = b
	}
	if b.Kind() != 0 && a.Kind() != b.Kind() {
		return false, false
	}
	is, ok = a.Bool()
	c.expect(ok, a, "true or false")
	return is, ok
}

// HasProjection reports whether a projection follows the embedding. Then the embedding has another width than the
// hidden layers.
func (c *Config) HasProjection() bool {
	return c.Text.First("embedding_size", "word_embed_proj_dim", "embedding_dim", "emb_size", "trigram_input").Kind() != 0
}

// HasOneStack reports whether the number of layers describes a single stack in which each layer has tensors. It
// does not for an encoder and a decoder, if an architecture search has removed the tensors of some layers, if layers
// run several times, or if they are stages of several blocks.
func (c *Config) HasOneStack() bool {
	two, _ := c.Flag("is_encoder_decoder")
	return !two && c.Text.First("block_configs", "n_recurrent_loops", "num_layers_per_stack", "num_block_repeats",
		"depths").Kind() == 0
}

// Architecture returns the name of the model's class, such as "LlamaForCausalLM", and the model's
// type, such as "llama".
func (c *Config) Architecture() (class, kind string) {
	for e := range c.Main.Root["architectures"].Elements() {
		class, _ = e.Str()
		break
	}
	if class == "" {
		class = c.Main.Root.Text("_class_name")
	}
	return class, c.Main.Root.Text("model_type")
}

// expect adds a note if v is present and not as expected.
func (c *Config) expect(ok bool, v Value, expected string) {
	if k := v.Kind(); !ok && k != 0 && k != jsonscan.Null && (k != jsonscan.Number || expected != "a number") {
		c.Notes.Add("config: %s is %v, expected %s", v.Name, k, expected)
	}
}

// text returns v if it is a string, in lower case.
func (c *Config) text(v Value) string {
	s, ok := v.Str()
	c.expect(ok, v, "a string")
	return s
}

// number returns v if it is a whole number of at least 0, and 0 otherwise.
func (c *Config) number(v Value) int64 {
	n, ok := v.Int()
	c.expect(ok, v, "a number")
	return n
}
