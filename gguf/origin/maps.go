// The map of names.

package origin

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/weightools/safetensors/model/names"
)

// A source is where the values of a tensor are from.
type source struct {
	name string // in the checkpoint, with # for the layer and * for the expert; "-" if it is not in there
	how  string // the transform; "" if the values are the same
}

// A table is the map of an architecture: for each name in GGUF files, with # for the layer, the possible sources.
type table map[string][]source

// prediction are the tensors of layers that predict further tokens, for architectures whose map lacks them.
var prediction = table{
	"blk.#.nextn.eh_proj.weight":          {{name: "model.layers.#.eh_proj.weight"}},
	"blk.#.nextn.embed_tokens.weight":     {{name: "model.layers.#.embed_tokens.weight"}},
	"blk.#.nextn.enorm.weight":            {{name: "model.layers.#.enorm.weight"}},
	"blk.#.nextn.hnorm.weight":            {{name: "model.layers.#.hnorm.weight"}},
	"blk.#.nextn.shared_head_head.weight": {{name: "model.layers.#.shared_head.head.weight"}},
	"blk.#.nextn.shared_head_norm.weight": {{name: "model.layers.#.shared_head.norm.weight"}},
}

// sources returns what the map has for a name. Biases that it lacks are arranged as the weights of their module.
func (t table) sources(name string) []source {
	if list := t[name]; list != nil {
		return list
	}
	module, isBias := strings.CutSuffix(name, ".bias")
	if !isBias {
		return prediction[name]
	}
	var list []source
	for _, s := range t[module+".weight"] {
		if from, ok := strings.CutSuffix(s.name, ".weight"); ok {
			list = append(list, source{from + ".bias", s.how})
		}
	}
	return list
}

// tables parses the map.
var tables = sync.OnceValue(func() map[string]table {
	all := make(map[string]table)
	var t table
	for line := range strings.Lines(names.MapsOfGGUF()) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=':
			arch, _, _ := strings.Cut(line[2:], " ")
			t = make(table)
			all[arch] = t
		default:
			name, rest, _ := strings.Cut(line, " = ")
			from, how, _ := strings.Cut(rest, " ")
			t[name] = append(t[name], source{from, how})
		}
	}
	return all
})

// pattern replaces the first element of a name that is a number, which is the layer. It returns the number, too, "" if
// there is none.
func pattern(name string) (pattern, layer string) {
	for begin := 0; begin < len(name); {
		end := begin
		for end < len(name) && name[end] != '.' {
			end++
		}
		if word := name[begin:end]; word != "" && strings.Trim(word, "0123456789") == "" {
			return name[:begin] + "#" + name[end:], word
		}
		begin = end + 1
	}
	return name, ""
}

// plain returns a name as the map has it: without the part that multimodal models have in the names of their language
// model, and with the words of PyTorch for those of TensorFlow in old checkpoints of BERT.
func plain(name string) string {
	name = strings.Replace(name, "language_model.", "", 1)
	if norm, ok := strings.CutSuffix(name, ".gamma"); ok {
		return norm + ".weight"
	}
	if norm, ok := strings.CutSuffix(name, ".beta"); ok {
		return norm + ".bias"
	}
	return name
}

// predicted renames the modules of Qwen's layers that predict further tokens, whose numbers begin at 0 again.
var predicted = map[string]string{"fc.weight": "eh_proj.weight", "pre_fc_norm_embedding.weight": "enorm.weight",
	"pre_fc_norm_hidden.weight": "hnorm.weight", "norm.weight": "shared_head.norm.weight"}

// continued returns a name of such a layer as if it were one of the others. Layers is how many others there are.
func continued(name string, layers int64) string {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "model."), "mtp.")
	if !ok {
		return name
	}
	if module := predicted[rest]; module != "" {
		return fmt.Sprintf("model.layers.%d.%s", layers, module)
	}
	number, module, _ := strings.Cut(strings.TrimPrefix(rest, "layers."), ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return name
	}
	return fmt.Sprintf("model.layers.%d.%s", layers+int64(n), module)
}

// bases are the names that models with a head have for the model without it, which is also saved alone.
var bases = map[string]bool{"model": true, "transformer": true, "gpt_neox": true, "backbone": true, "bert": true,
	"distilbert": true, "roberta": true}

// bare returns a name without the base of a model.
func bare(name string) string {
	if base, rest, ok := strings.Cut(name, "."); ok && bases[base] {
		return rest
	}
	return name
}
