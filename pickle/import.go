// Imports, and objects that the loader is to find.

package pickle

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/machine"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A global is an import while it is analyzed.
type global struct {
	Import
	full    string // the name as Python 3 resolves it, with its module
	use     names.Use
	letters string // of the signature, for uses that have one
	least   int    // how many of them are needed
	key     nameKey
	node    heap.Ref // the value, within the stream
	good    int      // calls that were as use says
	misused bool     // whether there was another use
	listed  int      // the index of its safe calls among the calls, and 1
}

// Label returns the name as part of a message. Names that the pickle has no module for
// are as a rule our words for something, such as "EXT 5"; but it may have an empty one.
func (g *global) Label() string {
	if plausible(g.ResolvedModule, g.ResolvedName) || g.Module == "" && plausible("m", strings.ReplaceAll(g.full, " ", "_")) {
		return g.full
	}
	return wording.Quote(g.full)
}

// Resolved returns the name as Python 3 resolves it.
func (g *global) Resolved() (module, name string) { return g.ResolvedModule, g.ResolvedName }

// conditional is whether the name is dangerous unless it is used as its use says.
func (g *global) conditional() bool {
	return g.use == names.GetAttr || g.use == names.Partial || g.use == names.LoadBytes
}

// Global judges a name that is imported.
func (m *judge) Global(module, name []byte) heap.Ref {
	g, known := m.found.names[nameKey{string(module), string(name), m.Proto < 3}] // without a copy
	if known {
		return m.imports(g)
	}
	return m.StackGlobal(string(module), string(name))
}

// StackGlobal judges a name that is imported.
func (m *judge) StackGlobal(module, name string) heap.Ref {
	g, known := m.found.names[nameKey{module, name, m.Proto < 3}]
	if !known {
		g = m.judgeName(module, name)
	}
	if g == nil {
		return m.AddUnknown()
	}
	return m.imports(g)
}

// imports counts an import, and returns its value.
func (m *judge) imports(g *global) heap.Ref {
	g.Count++
	return m.nodeOf(g)
}

// nodeOf returns the node of an import: one for the stream, for it is one object.
func (m *judge) nodeOf(g *global) heap.Ref {
	if g.node == heap.Unknown {
		g.node = m.AddName(g)
	}
	return g.node
}

// judgeName judges a name that is new to the stream. It returns nil for a name that
// none has, if what is read need not be a pickle at all.
func (m *judge) judgeName(module, name string) *global {
	if (m.Failed || m.Guessing) && !plausible(module, name) {
		return nil
	}
	m.Work += costName
	g := &global{Import: Import{Module: module, Name: name, ResolvedModule: module, ResolvedName: name, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code)}}
	if m.Proto < 3 {
		g.ResolvedModule, g.ResolvedName = names.Rename(module, name)
	}
	j := m.found.policy.Judge(names.Import{Module: module, Name: name, ResolvedModule: g.ResolvedModule, ResolvedName: g.ResolvedName})
	g.Verdict, g.Rule, g.Entry = Verdict(j.Level), Rule(j.Reason), j.Text
	g.full = names.Join(g.ResolvedModule, g.ResolvedName)
	if j.Entry != nil {
		needed, optional, _ := strings.Cut(j.Entry.Signature, "|")
		g.use, g.letters, g.least = j.Entry.Use, needed+optional, len(needed)
	}
	switch {
	case m.Failed && !m.ProtoFirst && g.Verdict == Suspicious:
		return nil // of bytes that need not be a pickle, what is not known means nothing
	case m.found.noPlace(len(m.found.globals), g.Verdict):
		return m.found.other(g)
	}
	m.found.keep(g, nameKey{module, name, m.Proto < 3})
	return g
}

// plausible is whether a module and a name are spelled as Python's are: as opposed
// to bytes that happen to stand behind what happens to be an opcode.
func plausible(module, name string) bool {
	full := module + "." + name
	for i := range len(full) {
		switch c := full[i]; {
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case c >= '0' && c <= '9' && i > 0 && full[i-1] != '.':
		case c == '.' && i > 0 && full[i-1] != '.' && i+1 < len(full):
		default:
			return false
		}
	}
	return module != "" && name != ""
}

// Extension judges a number of the registry, which turns it into a name.
func (m *judge) Extension(code int64) heap.Ref {
	m.Work += machine.CostNote
	name := fmt.Sprintf("EXT %d", code)
	g, known := m.found.names[nameKey{"", name, false}]
	if !known {
		if m.Work += costName; len(m.found.globals) >= m.found.most {
			return m.imports(m.found.other(&global{Import: Import{Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: Suspicious, Rule: RuleExtension}}))
		}
		g = &global{full: name, Import: Import{Name: name, ResolvedName: name, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: Suspicious, Rule: RuleExtension}}
		m.found.keep(g, nameKey{"", name, false})
		m.warn(RuleExtension, m.Token.Off, "the %s at %d imports what the registry has under %d", m.Token.Code, m.Token.Off, code)
	}
	return m.imports(g)
}

// Persistent judges an id under which the loader is to find something.
func (m *judge) Persistent(id heap.Ref) {
	if m.o == nil || m.o.PersistentID == nil || !m.o.PersistentID(Value{m.Value(id)}) {
		m.warn(RulePersistentID, m.Token.Off, "the %s at %d has the id %s, which is not one of PyTorch's storages", m.Token.Code, m.Token.Off, m.summary(id))
	}
}
