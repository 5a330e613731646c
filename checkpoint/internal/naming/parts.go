// The parts of a name that tell copies of a model from each other.

package naming

import (
	"slices"
	"strings"
)

// Parts are the parts of the path of a weight file or an index.
type Parts struct {
	Folder, Stem string
	Base         string // the stem without the variant
	Home         string // the folder, or the parent of the one called original
	Original     bool   // the path is in a folder called original, or below one
	Consolidated bool   // the name is consolidated, with or without a number, as for Llama
	Numbered     bool   // the name has a number

	variant string // of the stem
}

// PartsOf takes a path apart.
func PartsOf(path string) *Parts {
	p := &Parts{Folder: Folder(path), Stem: Stem(path)}
	p.Base, p.variant = CutVariant(p.Stem)
	p.Home, p.Original = beforeOriginal(p.Folder)
	first, _, _ := strings.Cut(p.Stem, ".")
	p.Consolidated = first == "consolidated"
	_, _, p.Numbered = Numbered(path)
	return p
}

// IsVariantOf reports whether two names differ only in the variant. A name with a precision can be
// a variant of any other. A name with another variant, such as ema, can only be a variant of the
// name without one, which diffusers loads by default.
func (p *Parts) IsVariantOf(of *Parts) bool {
	return p.Base == of.Base && p.variant != of.variant &&
		(of.variant == "" || IsPrecision(p.variant) && IsPrecision(of.variant))
}

// Rank returns how likely the files are the model rather than a copy. Lower is likelier.
func (p *Parts) Rank() int {
	n := 0
	switch {
	case strings.HasPrefix(p.Stem, "adapter_model"):
		n = 4
	case strings.HasPrefix(p.Stem, "consolidated"):
		n = 2
	}
	if p.variant != "" {
		n++
	}
	return n
}

// beforeOriginal returns the parent of the folder called original, and true if dir is that folder
// or below it, and otherwise dir.
func beforeOriginal(dir string) (string, bool) {
	names := strings.Split(dir, "/")
	i := slices.Index(names, "original")
	if i < 0 {
		return dir, false
	}
	return strings.Join(names[:i], "/"), true
}
