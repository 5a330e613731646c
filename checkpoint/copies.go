// Copies, by their names.
//
// Names and shapes of tensors are not enough: the steps of a training run, and models derived from
// one model, have them in common and differ in every number.

package checkpoint

import (
	"github.com/weightools/safetensors/checkpoint/internal/contents"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

// byName returns the evidence of names that s is a copy of m, as the libraries diffusers and
// transformers, Llama and Mistral name copies. It reads nothing.
func byName(s, m *Set) contents.Evidence {
	a, b := s.parts(), m.parts()
	switch {
	case a.Folder == b.Folder && a.IsVariantOf(b):
		return contents.Variant
	case a.Folder == b.Folder && a.Stem == b.Stem && s.isOneFile() && m.Index != "":
		return contents.Whole
	case a.Home == b.Folder && (a.Original || a.Consolidated) && !b.Consolidated && (m.Index != "" || b.Base == "model"):
		return contents.Makers
	}
	return ""
}

// parts returns the parts of the set's name. They are computed once: a folder of a thousand sets has
// half a million pairs. The caller has the turn of the folder.
func (s *Set) parts() *naming.Parts {
	if s.named == nil {
		s.named = naming.PartsOf(s.file())
	}
	return s.named
}

// isOneFile reports whether the set is one file without an index and without numbers.
func (s *Set) isOneFile() bool { return s.Index == "" && len(s.Shards) == 1 && !s.parts().Numbered }
