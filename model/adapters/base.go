// Bases: whether the modules that an adapter modifies are in its base, and where.

package adapters

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// A Base is the modules of a base model.
type Base struct {
	// Parts reports that the language model is one part of several, such as beside a vision tower. Then its modules
	// have other names in memory than some files have.
	Parts bool

	weights map[string]*safetensors.TensorInfo // by module; the entry of a module without a plain weight is nil
	tails   map[string][]string                // the prefixes before a tail, as in "model." before "layers.0.mlp.up_proj"
	words   map[string]bool                    // the ends of modules' names
}

// Add adds a tensor of the base.
func (b *Base) Add(ti *safetensors.TensorInfo) {
	if b.weights == nil {
		b.weights, b.tails = make(map[string]*safetensors.TensorInfo), make(map[string][]string)
		b.words = make(map[string]bool)
	}
	module, role := parts.Split(ti.Name)
	plain := role == parts.Weight && parts.KindOf(ti.Dtype)&(parts.Float|parts.Float8) != 0
	if rest, ok := strings.CutSuffix(module, ".bias"); ok {
		module, plain = rest, false
	}
	old, known := b.weights[module]
	switch {
	case known && plain:
		b.weights[module] = ti
		return
	case known:
		b.weights[module] = old
		return
	case plain:
		b.weights[module] = ti
	default:
		b.weights[module] = nil
	}
	b.words[parts.Last(module)] = true
	if prefix, tail := cutTail(module); tail != "" {
		b.tails[tail] = append(b.tails[tail], prefix)
	}
}

// Len returns the number of modules.
func (b *Base) Len() int { return len(b.weights) }

// cutTail cuts the name of a module before the stack of its first numbered layer: "model.layers.0.mlp" into "model."
// and "layers.0.mlp". The tail is "" if there is no such layer.
func cutTail(module string) (prefix, tail string) {
	stack, n, _ := parts.Layer(module)
	if n < 0 || stack == "" {
		return module, ""
	}
	at := strings.LastIndexByte(stack, '.') + 1
	return module[:at], module[at:]
}

// A Match is how the modules of an adapter relate to those of a base.
type Match struct {
	Layers  int       // modules of numbered layers
	Found   int       // of these, that are in the base
	Missing []*Module // of these, that are not, if others are
	Misfits []Misfit

	// If no module is in the base, and the base has all of them behind another prefix: the prefix in the adapter and
	// that in the base, such as "model." and "language_model.model.".
	From, To string
	Moved    bool
	Fits     bool // and the matrices fit weights there, as far as these are not packed

	Foreign bool // the base has no module of any layer whose name ends like one of the adapter's
}

// A Misfit is a module whose matrices do not fit its weight in the base.
type Misfit struct {
	Module  *Module
	In, Out int64
	Weight  *safetensors.TensorInfo
}

// Match compares the adapter with a base. It knows names that have dots; names in which underscores replace them do not
// tell modules with certainty, so nothing is compared then.
func (s *Set) Match(b *Base) Match {
	var match Match
	moves := make(map[[2]string]int)
	matched := false
	for m := range s.All() {
		prefix, tail := cutTail(m.Name.Path)
		if tail == "" || !m.Name.isPlain() {
			continue
		}
		match.Layers++
		matched = matched || b.words[parts.Last(tail)]
		if name, ok := b.find(prefix, tail); ok {
			match.Found++
			if w := b.weights[name]; w != nil {
				match.fit(m, w)
			}
			continue
		}
		match.Missing = append(match.Missing, m)
		if to, ok := b.elsewhere(m, tail); ok {
			moves[[2]string{prefix, to}]++
			in, _ := m.Sizes()
			match.Fits = match.Fits || in > 0 && b.weights[to+tail] != nil
		}
	}
	match.Foreign = match.Layers > 0 && !matched
	for move, n := range moves {
		if n == match.Layers {
			match.From, match.To, match.Moved = move[0], move[1], true
		}
	}
	return match
}

// isPlain reports whether the path of a module is the one in the base.
func (n *Name) isPlain() bool {
	return n.Spelling == PEFT || n.Spelling == MLX || n.Spelling == Bare && n.Component == Other
}

// find returns the module of the base with a tail, if loaders find it for an adapter with a prefix before the tail.
func (b *Base) find(prefix, tail string) (module string, ok bool) {
	for _, have := range b.tails[tail] {
		if b.sameModule(prefix, have) {
			return have + tail, true
		}
	}
	return "", false
}

// language is the part of names that tells the language model from other parts.
const language = "language_model"

// sameModule reports whether a loader finds modules with a prefix in a base that has another one in its files:
//
//   - a class with a head puts the bare model behind a prefix, and a file of either loads into both
//     (base_model_prefix in transformers/modeling_utils.py, 5.24.0);
//   - the file of a model of several parts has "language_model.model." or "model.", and the model in memory
//     "model.language_model." (transformers/conversion_mapping.py).
func (b *Base) sameModule(adapter, base string) bool {
	if adapter == base {
		return true
	}
	a, c := elements(adapter), elements(base)
	inAdapter, inBase := slices.Contains(a, language), slices.Contains(c, language)
	if inAdapter != inBase && (inBase || !b.Parts) {
		return false
	}
	if len(c) == 0 || len(a) == 0 {
		return true
	}
	isLanguage := func(word string) bool { return word == language }
	a, c = slices.DeleteFunc(a, isLanguage), slices.DeleteFunc(c, isLanguage)
	slices.Sort(a)
	slices.Sort(c)
	return slices.Equal(a, c)
}

func elements(prefix string) []string {
	if prefix = strings.TrimSuffix(prefix, "."); prefix == "" {
		return nil
	}
	return strings.Split(prefix, ".")
}

// elsewhere returns the prefix behind which the base has a module: of several, the one of the language model, or whose
// weight fits.
func (b *Base) elsewhere(m *Module, tail string) (prefix string, ok bool) {
	const most = 16 // parts of a model
	all := b.tails[tail]
	all = slices.Clone(all[:min(len(all), most)])
	slices.SortFunc(all, func(x, y string) int {
		if a, c := strings.Contains(x, language), strings.Contains(y, language); a != c {
			if a {
				return -1
			}
			return 1
		}
		return strings.Compare(x, y)
	})
	for _, p := range all {
		if w := b.weights[p+tail]; w == nil || fits(m, w) {
			return p, true
		}
	}
	return "", false
}

// fit adds a misfit if the matrices of a module do not fit its weight.
func (match *Match) fit(m *Module, w *safetensors.TensorInfo) {
	if in, out := m.Sizes(); !fits(m, w) {
		match.Misfits = append(match.Misfits, Misfit{m, in, out, w})
	}
}

// fits reports whether the matrices of a module fit a weight, or whether that is unknown. GPT-2 and embeddings have
// their inputs first.
func fits(m *Module, w *safetensors.TensorInfo) bool {
	in, out := m.Sizes()
	if in <= 0 || out <= 0 || len(w.Shape) != 2 {
		return true
	}
	return w.Shape[0] == out && w.Shape[1] == in || w.Shape[0] == in && w.Shape[1] == out
}
