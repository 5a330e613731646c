// Checks of imports and persistent IDs.

package pickle

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/machine"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Global checks the import of a GLOBAL or INST.
func (m *judge) Global(module, name []byte) heap.Ref {
	g, known := m.found.names[nameKey{string(module), string(name), m.Proto < 3}] // does not allocate
	if known {
		return m.imports(g)
	}
	return m.StackGlobal(string(module), string(name))
}

// StackGlobal checks the import of a STACK_GLOBAL.
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

// imports counts an import and returns its value.
func (m *judge) imports(g *global) heap.Ref {
	g.Count++
	return m.nodeOf(g)
}

// nodeOf returns the node of an import. A stream has one node for each import.
func (m *judge) nodeOf(g *global) heap.Ref {
	if g.node == heap.Unknown {
		g.node = m.AddName(g)
	}
	return g.node
}

// judgeName checks a name that is new to the stream. It returns nil for implausible names in data that may not be a
// pickle.
func (m *judge) judgeName(module, name string) *global {
	if (m.Failed || m.Guessing) && !names.Plausible(module, name) {
		return nil
	}
	resolved := names.Imported(module, name)
	if m.Proto < 3 {
		resolved.ResolvedModule, resolved.ResolvedName = names.Rename(module, name)
	}
	g := m.newGlobal(resolved)
	switch {
	case m.Failed && !m.ProtoFirst && g.Verdict == Suspicious:
		return nil // in data that may not be a pickle, an unknown name means nothing
	case m.found.listFull(len(m.found.globals), g.Verdict):
		return m.found.other(g)
	}
	m.found.keep(g, nameKey{module, name, m.Proto < 3})
	return g
}

// newGlobal returns an import with the verdict of the policy and the use that it permits.
func (m *judge) newGlobal(im names.Import) *global {
	m.Work += costName
	j := m.found.policy.Judge(im)
	g := &global{full: names.Join(im.ResolvedModule, im.ResolvedName)}
	g.Import = Import{
		Module: im.Module, Name: im.Name, ResolvedModule: im.ResolvedModule, ResolvedName: im.ResolvedName,
		Offset: m.Token.Off, Opcode: Opcode(m.Token.Code),
		Verdict: verdictOf(j.Level), Rule: Rule(j.Reason), Entry: j.Text,
	}
	if e := j.Entry; e != nil {
		needed, optional, _ := strings.Cut(e.Signature, "|")
		g.use, g.letters, g.least = e.Use, needed+optional, len(needed)
	}
	return g
}

// IsString reports whether an import or the result of a call may be a str. Results of allowed names are not if their
// use says what they are: an array, a container, or an object with a state. If an unknown class, or an object of one,
// is a str after all, the unknown name is still suspicious. The answer is exact only for the second reading of files of
// joblib: in the pickles with the elements of arrays, other loaders look up memo numbers in the outer pickle.
func (m *judge) IsString(value heap.Ref) bool {
	if !m.plain {
		return true
	}
	v := m.Value(value)
	c, called := v.Called()
	g := m.imported(v)
	if called {
		g = m.imported(c.Callee())
		if g != nil && g.use.Creates() {
			g = m.imported(c.Args().Item(0))
			return g == nil || g.use == names.Plain
		}
	}
	if g == nil {
		return true
	}
	switch g.use {
	case names.Array, names.Rebuild, names.Tensor, names.Container, names.Factory, names.Sized, names.Value, names.Class,
		names.Instance:
		return g.Verdict != Safe
	case names.None:
		return called && c.Opcode() != opcode.NewObj || !called && !names.IsClass(g.ResolvedName)
	}
	return called || g.use == names.Constant || g.Verdict != Safe
}

// Extension checks the import of a code of the extension registry.
func (m *judge) Extension(code int64) heap.Ref {
	m.Work += machine.CostNote
	name := fmt.Sprintf("EXT %d", code)
	g, known := m.found.names[nameKey{"", name, false}]
	if !known {
		im := Import{Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: Suspicious, Rule: RuleExtension}
		if m.Work += costName; len(m.found.globals) >= m.found.most {
			return m.imports(m.found.other(&global{Import: im}))
		}
		im.Name, im.ResolvedName = name, name
		g = &global{full: name, Import: im}
		m.found.keep(g, nameKey{"", name, false})
		m.warn(RuleExtension, m.Token.Off, "%s at %d imports code %d of the extension registry",
			m.Token.Code, m.Token.Off, code)
	}
	return m.imports(g)
}

// Persistent checks a persistent ID.
func (m *judge) Persistent(id heap.Ref) {
	if m.o.PersistentID == nil || !m.o.PersistentID(Value{m.Value(id)}) {
		m.warn(RulePersistentID, m.Token.Off, "%s at %d has the ID %s, which is not a PyTorch storage",
			m.Token.Code, m.Token.Off, m.summary(id))
	}
}

// imported returns the import that v is, or nil.
func (m *judge) imported(v heap.Value) *global {
	if n := m.At(v.Ref); n.Kind == heap.KindGlobal {
		return m.NameOf(n).(*global)
	}
	return nil
}
