// Copies: what is known to make one set a copy of another.
//
// Names and shapes alone do not: the steps of a training, and the models that
// were made from one, have them in common, and differ in every number. Who takes
// one for a copy of the other loses weights. So a copy needs evidence.

package checkpoint

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

// Evidence is by what a set is known to be a copy of another; "" is by nothing.
type evidence string

const (
	asVariant evidence = "variant"  // model.fp16.safetensors beside model.safetensors
	asWhole   evidence = "whole"    // model.safetensors beside model.safetensors.index.json
	asMakers  evidence = "makers'"  // consolidated.safetensors or original/ beside model.safetensors
	asEqual   evidence = "the same" // byte for byte
)

// nameParts is what the name of a set says. A folder of a thousand sets has half a
// million pairs, so names are taken apart once.
type nameParts struct {
	folder, stem  string
	base, variant string // of the stem
	precise       bool   // the variant is a precision
	home          string // the folder, or that in which the one called original is
	original      bool   // it lies in one called original, or below
	consolidated  bool   // it is called that, with or without the number that Llama's makers put after it
	oneFile       bool   // without an index, and without numbers
}

// nameParts returns what the set's name says. The caller has the folder's turn.
func (s *Set) nameParts() *nameParts {
	if s.named == nil {
		n := &nameParts{folder: naming.Folder(s.file()), stem: naming.Stem(s.file())}
		n.base, n.variant = naming.CutVariant(n.stem)
		n.precise = naming.IsPrecision(n.variant)
		n.home, n.original = beforeOriginal(n.folder)
		first, _, _ := strings.Cut(n.stem, ".")
		n.consolidated = first == "consolidated"
		_, _, isShard := naming.Numbered(s.file())
		n.oneFile = s.Index == "" && len(s.Shards) == 1 && !isShard
		s.named = n
	}
	return s.named
}

// byName returns what the names say of s, if it has the tensors of m. They are
// those that the libraries diffusers and transformers give, and Llama's and
// Mistral's makers. It reads nothing.
func byName(s, m *Set) evidence {
	a, b := s.nameParts(), m.nameParts()
	switch {
	case a.folder == b.folder && a.isVariantOf(b):
		return asVariant
	case a.folder == b.folder && a.stem == b.stem && a.oneFile && m.Index != "":
		return asWhole
	case a.home == b.folder && (a.original || a.consolidated) && !b.consolidated && (m.Index != "" || b.base == "model"):
		return asMakers
	}
	return ""
}

// isVariantOf says whether two names are one but for a variant. One in another
// precision may stand for any other. Any other variant, as the average of a
// training that diffusers calls ema, stands for the one without a variant alone,
// which is what diffusers loads when none is asked for.
func (n *nameParts) isVariantOf(m *nameParts) bool {
	return n.base == m.base && n.variant != m.variant && (m.variant == "" || n.precise && m.precise)
}

// beforeOriginal returns the folder in which that called original is, and whether
// dir is that or one below it; otherwise dir.
func beforeOriginal(dir string) (string, bool) {
	names := strings.Split(dir, "/")
	i := slices.Index(names, "original")
	if i < 0 {
		return dir, false
	}
	return strings.Join(names[:i], "/"), true
}
