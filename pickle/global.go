// Imports during the analysis.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A global is an import during the analysis.
type global struct {
	Import
	full    string // module and name as Python 3 resolves them
	use     names.Use
	letters string // the signature, for uses that have one
	least   int    // number of required arguments
	key     nameKey
	node    heap.Ref // the value in the current stream
	good    int      // number of calls that match the use
	soft    Verdict  // the worst verdict on what those calls return
	misused bool     // there was another use
	listed  int      // index of its safe calls in the list of calls, plus 1
}

// Label returns the name for messages. A name without a module is usually our own description, such as "EXT 5", but a
// pickle can also have an empty module.
func (g *global) Label() string {
	ours := g.Module == "" && names.Plausible("m", strings.ReplaceAll(g.full, " ", "_"))
	if ours || names.Plausible(g.ResolvedModule, g.ResolvedName) {
		return g.full
	}
	return wording.Quote(g.full)
}

// Resolved returns the name as Python 3 resolves it.
func (g *global) Resolved() (module, name string) { return g.ResolvedModule, g.ResolvedName }

// conditional reports whether the name is dangerous unless it is used as its use requires.
func (g *global) conditional() bool { return g.use.Conditional() }

// callVerdict returns the verdict on a call of the import without further findings.
func (g *global) callVerdict() Verdict {
	if g.conditional() && !g.misused {
		return g.soft
	}
	return g.Verdict
}

// uses counts a call of a conditional name that its use permits, and whose result has the verdict v.
func (g *global) uses(v Verdict) {
	g.good++
	g.soft = max(g.soft, v)
}

// final returns the verdict on an import once all its uses are known.
func (g *global) final() Verdict {
	if g.conditional() && g.good > 0 && !g.misused {
		return g.soft
	}
	return g.Verdict
}

// A nameKey is a name as written, and whether Python 3 renames it.
type nameKey struct {
	module, name string
	renamed      bool
}
