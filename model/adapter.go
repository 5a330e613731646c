// Adapters: small matrices that modify a model.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// An Adapter describes an adapter.
type Adapter struct {
	Kind    string // "LoRA", "DoRA", "LoHa" or "LoKr"
	Modules int    // the number of matrices it modifies

	// Rank is the rank of all modules, Ambiguous if they differ. Ranks lists the different ranks.
	Rank  Number
	Ranks []int64

	// Alpha scales the adapter by alpha / rank. It is zero if its source is Unknown or Ambiguous.
	Alpha     float64
	AlphaFrom Source

	Targets []string // the modules that it modifies, by the ends of their names
	Base    Text     // the model that it is for
}

// adapterParts are the tensors of an adapter.
type adapterParts struct {
	modules    map[string]*pair
	kinds      map[string]bool
	alphas     []scalar
	metadata   map[string]string // of the first file that has any
	magnitudes bool              // DoRA
	remote     bool              // alphas are not worth a request each
}

// A pair is the two matrices of a module.
type pair struct{ down, up []int64 }

// A scalar is a tensor of one element.
type scalar struct {
	file *File
	ti   *safetensors.TensorInfo
}

// ends are the ends of names of an adapter's tensors. The down matrix of a pair maps the inputs to as many
// channels as the rank.
//
// PEFT (src/peft/tuners/lora/layer.py at 5d602fd): lora_A [r, in], lora_B [out, r].
// kohya-ss (networks/lora.py): lora_down [r, in, ...], lora_up [out, r, ...], alpha.
// LyCORIS (lycoris/modules): hada_w1_b [r, in], hada_w1_a [out, r]; lokr_w2_b, lokr_w2_a.
var ends = []struct {
	text, kind string
	down       bool
}{
	{".lora_A.weight", "LoRA", true}, {".lora_B.weight", "LoRA", false},
	{".lora_A.default.weight", "LoRA", true}, {".lora_B.default.weight", "LoRA", false},
	{".lora_down.weight", "LoRA", true}, {".lora_up.weight", "LoRA", false},
	{"_lora.down.weight", "LoRA", true}, {"_lora.up.weight", "LoRA", false},
	{".lora.down.weight", "LoRA", true}, {".lora.up.weight", "LoRA", false},
	{".lora_embedding_A", "LoRA", true}, {".lora_embedding_B", "LoRA", false},
	{".hada_w1_b", "LoHa", true}, {".hada_w1_a", "LoHa", false},
	{".lokr_w2_b", "LoKr", true}, {".lokr_w2_a", "LoKr", false},
}

// add adds a tensor, if it is part of an adapter.
func (p *adapterParts) add(f *File, ti *safetensors.TensorInfo) {
	if strings.HasSuffix(ti.Name, ".alpha") && ti.Shape != nil && ti.NumElems() == 1 {
		p.alphas = append(p.alphas, scalar{f, ti})
		return
	}
	if strings.Contains(ti.Name, "lora_magnitude_vector") || strings.HasSuffix(ti.Name, ".dora_scale") {
		p.magnitudes = true
		return
	}
	for i := range ends {
		e := &ends[i]
		module, ok := strings.CutSuffix(ti.Name, e.text)
		if !ok || len(ti.Shape) < 2 {
			continue
		}
		if p.modules == nil {
			p.modules, p.kinds = make(map[string]*pair), make(map[string]bool)
		}
		if p.metadata == nil {
			p.metadata = f.Header.Metadata
		}
		one := p.modules[module]
		if one == nil {
			one = new(pair)
			p.modules[module] = one
		}
		if p.kinds[e.kind] = true; e.down {
			one.down = ti.Shape
		} else {
			one.up = ti.Shape
		}
		return
	}
}

// adapter describes an adapter, or returns nil if the model has no adapter's matrices.
func (f *Facts) adapter(p *adapterParts, config config.Object) *Adapter {
	if len(p.modules) == 0 {
		return nil
	}
	a := &Adapter{Modules: len(p.modules), Kind: strings.Join(slices.Sorted(maps.Keys(p.kinds)), ", ")}
	if a.Kind == "LoRA" && p.magnitudes {
		a.Kind = "DoRA"
	}
	f.rank(a, p, config)
	f.alpha(a, p, config)
	a.Targets = p.targets()
	a.Base = p.base(config)
	return a
}

// rank finds the rank by the shapes, and adds a note if the configuration has another one.
func (f *Facts) rank(a *Adapter, p *adapterParts, config config.Object) {
	ranks := make(map[int64]bool)
	for _, name := range slices.Sorted(maps.Keys(p.modules)) {
		one := p.modules[name]
		switch {
		case one.down == nil || one.up == nil:
			f.note("one of the two matrices for %s is missing", wording.Quote(name))
		case one.down[0] != one.up[1] || one.down[0] <= 0:
			f.note("the two matrices for %s have ranks %d and %d", wording.Quote(name), one.down[0], one.up[1])
		default:
			ranks[one.down[0]] = true
		}
		if len(f.Notes) == maxNotes {
			break
		}
	}
	a.Ranks = slices.Sorted(maps.Keys(ranks))
	switch len(a.Ranks) {
	case 0:
	case 1:
		a.Rank = Number{a.Ranks[0], FromHeaders}
	default:
		a.Rank = Number{0, Ambiguous}
	}
	if n, ok := config["r"].Int(); ok && a.Rank.Value > 0 && n != a.Rank.Value {
		f.note("the rank is %d in adapter_config.json and %d by the shapes", n, a.Rank.Value)
	}
}

// maxNotes bounds the remarks, since an adapter can be wrong in every module.
const maxNotes = 20

// targets returns the ends of the names of modules, each once.
func (p *adapterParts) targets() []string {
	ends := make(map[string]bool)
	for name := range p.modules {
		ends[target(name)] = true
	}
	return slices.Sorted(maps.Keys(ends))
}

// target returns the end of a module's name, after the last dot. kohya-ss replaces dots by underscores; there
// it is the part after the last numbered block or layer.
func target(name string) string {
	if !strings.HasPrefix(name, "lora_") && !strings.HasPrefix(name, "lycoris_") {
		// diffusers: "...attn1.processor.to_q"
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	for i := len(name); i > 0; {
		i = strings.LastIndexByte(name[:i], '_')
		if i < 0 {
			break
		}
		// "blocks_0_attn1_to_q": a word and a number come before the underscore.
		digits := len(name[:i]) - len(strings.TrimRight(name[:i], "0123456789"))
		before := name[:i-digits]
		if digits > 0 && (strings.HasSuffix(before, "blocks_") || strings.HasSuffix(before, "layers_") || strings.HasSuffix(before, "attentions_")) {
			return name[i+1:]
		}
	}
	return name
}

// base returns the base model of the adapter.
func (p *adapterParts) base(config config.Object) Text {
	if name := config.Text("base_model_name_or_path"); name != "" {
		return Text{name, FromPEFT}
	}
	for _, key := range []string{"ss_sd_model_name", "ss_base_model_version", "modelspec.architecture"} {
		// Python writes None for a missing value.
		if s := p.metadata[key]; s != "" && s != "None" {
			return Text{s, FromMetadata}
		}
	}
	return Text{}
}

// spread lists numbers as in "8, 16, 32", or names the first and the last of many.
func spread[T cmp.Ordered](sorted []T) string {
	const most = 6
	var words []string
	for _, n := range sorted {
		words = append(words, fmt.Sprint(n))
	}
	if len(words) > most {
		return fmt.Sprintf("%s to %s (%d values)", words[0], words[len(words)-1], len(words))
	}
	return strings.Join(words, ", ")
}
