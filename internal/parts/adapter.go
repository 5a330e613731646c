// Adapters: the tensors that modify a module, by their names and shapes.

package parts

import (
	_ "embed"
	"strings"
	"sync"
)

// An AdapterRole is which of the tensors of an adapter a tensor is.
type AdapterRole uint8

// The roles of an adapter's tensors.
const (
	NoAdapter        AdapterRole = iota
	AdapterDown                  // maps the inputs to as many channels as the rank
	AdapterUp                    // maps these to the outputs
	AdapterMid                   // between the two, of convolutions
	AdapterAlpha                 // the scalar that scales the module by alpha / rank
	AdapterMagnitude             // the lengths that DoRA learns
	AdapterRank                  // a vector with as many elements as the rank
	AdapterOther                 // another tensor of the kind
)

// An AdapterPart is what a tensor of an adapter is by its name.
type AdapterPart struct {
	Kind   string // "LoRA", "LoHa" and so on; "" if several kinds have such a tensor
	Role   AdapterRole
	Module string // the module that the adapter modifies, with the prefix of the trainer
	Word   string // what makes it a part of an adapter: "lora_A", "lora.down", "_lora.down" or "lora_linear_layer.down"
	Label  string // the name of the adapter among several, such as "default"; usually ""
	Leaf   string // "weight", "bias" or ""
	In     bool   // the inputs come first, as in MLX: [in, rank] and [rank, out]
	Weak   bool   // other models have such names, too
}

//go:embed adapter_words.txt
var adapterWordsText string

// A word is a line of adapter_words.txt.
type word struct {
	kind     string
	role     AdapterRole
	in, weak bool
}

var adapterRoles = map[string]AdapterRole{"down": AdapterDown, "up": AdapterUp, "mid": AdapterMid,
	"alpha": AdapterAlpha, "magnitude": AdapterMagnitude, "rank": AdapterRank, "part": AdapterOther}

// adapterWords are the words by which tensors of adapters are recognized.
var adapterWords = sync.OnceValue(func() map[string]word {
	words := make(map[string]word)
	for line := range strings.Lines(adapterWordsText) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		var w word
		role, weak := strings.CutPrefix(f[2], "?")
		role, in := strings.CutPrefix(role, "in-")
		w.role, w.in, w.weak = adapterRoles[role], in, weak
		if w.kind = strings.TrimPrefix(f[1], "-"); w.kind == strings.ToLower(w.kind) {
			w.kind = strings.ReplaceAll(w.kind, "-", " ") // "prompt tuning"
		}
		words[f[0]] = w
	}
	return words
})

// IsFlattened reports whether a module has the name of a trainer that replaces dots by underscores: "lora_unet_…",
// "lora_te1_…", "lycoris_…".
func IsFlattened(module string) bool {
	return (strings.HasPrefix(module, "lora_") || strings.HasPrefix(module, "lycoris_")) &&
		strings.IndexByte(module, '.') < 0
}

// IsAdapter reports whether a tensor may belong to an adapter, by its name.
func IsAdapter(name string) bool {
	if strings.Contains(name, "lora") || strings.Contains(name, "hada_") || strings.Contains(name, "lokr_") {
		return true
	}
	p, ok := AdapterOf(name)
	return ok && !p.Weak
}

// AdapterOf returns which part of an adapter a tensor is by its name, and whether it may be one.
func AdapterOf(name string) (p AdapterPart, ok bool) {
	rest := name
	if leaf := Last(rest); leaf == "weight" || leaf == "bias" {
		p.Leaf, rest = leaf, strings.TrimSuffix(rest[:len(rest)-len(leaf)], ".")
	}
	if p.find(rest) {
		return p, true
	}
	// Between the word and the end may be the name of the adapter, or the number of one of several.
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 || !p.find(rest[:dot]) || p.Weak {
		return AdapterPart{}, false
	}
	p.Label = rest[dot+1:]
	return p, true
}

// find splits a name that ends with a word.
func (p *AdapterPart) find(name string) bool {
	last := Last(name)
	if last == "down" || last == "up" {
		return p.findDotted(name, last)
	}
	w, ok := adapterWords()[last]
	if !ok {
		at := strings.LastIndex(last, "_lora_") // "to_q_lora_A"
		if at < 0 {
			return false
		}
		if w, ok = adapterWords()[last[at+1:]]; !ok {
			return false
		}
		last = last[at:]
	}
	p.Kind, p.Role, p.In, p.Word = w.kind, w.role, w.in, last
	p.Module = strings.TrimSuffix(name[:len(name)-len(last)], ".")
	p.Weak = w.weak && !IsFlattened(p.Module)
	return true
}

// findDotted splits a name in which a dot separates "lora" from "down" or "up":
//
//   - diffusers: "to_q.lora.down"; before version 0.22 "processor.to_q_lora.down" and, in text encoders,
//     "q_proj.lora_linear_layer.down" (loaders/lora_conversion_utils.py)
//   - XLabs: "processor.qkv_lora1.down" (diffusers, _convert_xlabs_flux_lora_to_diffusers)
func (p *AdapterPart) findDotted(name, last string) bool {
	rest := strings.TrimSuffix(name[:len(name)-len(last)], ".")
	before := Last(rest)
	module := strings.TrimSuffix(rest[:len(rest)-len(before)], ".")
	switch {
	case before == "lora" || before == "lora_linear_layer":
		p.Module, p.Word = module, before+"."+last
	case strings.HasSuffix(before, "_lora"):
		p.Module, p.Word = strings.TrimSuffix(rest, "_lora"), "_lora."+last
	case strings.HasSuffix(before, "_lora1") || strings.HasSuffix(before, "_lora2"):
		p.Module, p.Word = rest, "."+last
	default:
		return false
	}
	p.Kind, p.Role = "LoRA", AdapterDown
	if last == "up" {
		p.Role = AdapterUp
	}
	return true
}

// A Matrix is one of the two matrices of an adapter for one module. The down matrix maps the inputs to as many
// channels as the rank, and the up matrix maps these to the outputs.
type Matrix struct {
	AdapterPart
	Pair string // the same for both, and for no other matrix
	Down bool
}

// MatrixOf returns the matrix that a tensor is by its name, and whether it is one.
func MatrixOf(name string) (m Matrix, ok bool) {
	p, ok := AdapterOf(name)
	if !ok || p.Role != AdapterDown && p.Role != AdapterUp || p.Weak {
		return Matrix{}, false
	}
	pair := p.Module + "\n" + p.Label + "\n" + p.Leaf
	if strings.Contains(p.Word, "embedding") {
		pair += "\n" // a module may have both
	}
	return Matrix{AdapterPart: p, Pair: pair, Down: p.Role == AdapterDown}, true
}

// Rank returns the rank by the shape of the matrix, or 0 if the shape does not show it: with three dimensions, the
// first may be the number of experts.
func (p AdapterPart) Rank(shape []int64) int64 {
	switch {
	case len(shape) == 0 || len(shape)%2 != 0:
		return 0
	case (p.Role == AdapterDown) == p.In:
		return shape[1]
	}
	return shape[0]
}
