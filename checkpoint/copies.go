// Evidence for copies.
//
// Names and shapes of tensors are not enough: the steps of a training run, and models derived from
// one model, have them in common and differ in every number.

package checkpoint

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

// Evidence is the reason why a set is a copy of another, "" if it is not.
type evidence string

const (
	asVariant evidence = "variant"  // model.fp16.safetensors and model.safetensors
	asWhole   evidence = "whole"    // model.safetensors and model.safetensors.index.json
	asMakers  evidence = "makers'"  // consolidated.safetensors or original/, and model.safetensors
	asEqual   evidence = "the same" // byte for byte
)

// nameParts is the name of a set, taken apart once: a folder of a thousand sets has half a million
// pairs.
type nameParts struct {
	folder, stem  string
	base, variant string // of the stem
	precise       bool   // the variant is a precision
	home          string // the folder, or the parent of the one called original
	original      bool   // it is in a folder called original, or below one
	consolidated  bool   // the name is consolidated, with or without a number, as for Llama
	oneFile       bool   // without an index, and without numbers
}

// nameParts returns the parts of the set's name. The caller has the turn of the folder.
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

// byName returns the evidence of names that s is a copy of m, as the libraries diffusers and
// transformers, Llama and Mistral name copies. It reads nothing.
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

// isVariantOf reports whether two names differ only in the variant. A name with a precision can be
// a variant of any other. A name with another variant, such as ema, can only be a variant of the
// name without one, which diffusers loads by default.
func (n *nameParts) isVariantOf(m *nameParts) bool {
	return n.base == m.base && n.variant != m.variant && (m.variant == "" || n.precise && m.precise)
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
