// Notes: remarks about a configuration, without duplicates.

package config

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
)

// Notes collects remarks about a model. Each text is kept once, and at most 20 in all, because a
// configuration can be wrong in a million places. The zero Notes is empty.
type Notes struct {
	list  []string
	kinds map[string]*kindOfNote
}

// A kindOfNote is a remark about several modules; only the first one is spelled out.
type kindOfNote struct{ index, more int }

const maxNotes = 20

// Add adds a remark.
func (n *Notes) Add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(n.list) < maxNotes && !slices.Contains(n.list, text) {
		n.list = append(n.list, text)
	}
}

// AddModule adds a remark about one module. Later remarks of the same kind are only counted.
func (n *Notes) AddModule(kind, module, text string) {
	if k := n.kinds[kind]; k != nil {
		k.more++
		return
	}
	if n.kinds == nil {
		n.kinds = make(map[string]*kindOfNote)
	}
	n.kinds[kind] = &kindOfNote{index: len(n.list)}
	n.Add("%s: %s", wording.Quote(module), text)
}

// Texts returns the remarks.
func (n *Notes) Texts() []string {
	list := slices.Clone(n.list)
	for _, k := range n.kinds {
		if k.more > 0 && k.index < len(list) {
			list[k.index] += fmt.Sprintf(" (and %v more modules)", wording.Grouped(k.more))
		}
	}
	return list
}
