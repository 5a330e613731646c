// Checks of names that are dangerous unless used in a specific way, such as getattr and PyTorch's loader of bytes.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// checkGetAttr checks getattr. With a class and a constant name it is how picklers write bound methods; it then returns
// the attribute as an import.
func (m *judge) checkGetAttr(g *global, args heap.Value) heap.Ref {
	attribute, ok := args.Item(1).Str()
	owner := m.owner(args.Item(0))
	if !ok || owner == nil || owner.Module == "" || owner.conditional() ||
		args.Len() > 3 || args.Len() == 3 && m.imported(args.Item(2)) != nil {
		g.misused = true
		return heap.Unknown
	}
	r, found := m.importNamed(names.Import{Module: owner.Module, Name: owner.Name + "." + attribute,
		ResolvedModule: owner.ResolvedModule, ResolvedName: owner.ResolvedName + "." + attribute})
	g.uses(min(found.Verdict, Suspicious)) // a dangerous attribute is an import of its own
	if strings.Contains(attribute, "__") && found.Verdict == Dangerous {
		m.danger(RuleDunderString, "%s at %d accesses %s", m.Token.Code, m.Token.Off, found.Label())
	}
	return r
}

// owner returns the class that v is or that v is an instance of.
func (m *judge) owner(v heap.Value) *global {
	if c, ok := v.Called(); ok && c.Opcode() != opcode.Reduce {
		v = c.Callee()
	}
	return m.imported(v)
}

// importNamed returns what a function looks up by a constant name, as an import.
func (m *judge) importNamed(im names.Import) (heap.Ref, *global) {
	renamed := im.Module != im.ResolvedModule || im.Name != im.ResolvedName
	key := nameKey{im.Module, im.Name, renamed}
	g, known := m.found.names[key]
	if !known {
		g = m.newGlobal(im)
		if m.found.listFull(len(m.found.globals), g.Verdict) {
			g = m.found.other(g)
		} else {
			m.found.keep(g, key)
		}
	}
	g.Count++
	return m.nodeOf(g), g
}

// checkPartial checks functools.partial. It calls nothing itself, and a call of its result is a computed call.
func (m *judge) checkPartial(g *global, args heap.Value) {
	f := m.imported(args.Item(0))
	if f == nil || f.Verdict == Dangerous || f.conditional() {
		g.misused = true
		m.danger(RuleCallableArg, "%s at %d prepares a call of %s",
			m.Token.Code, m.Token.Off, m.summary(args.Item(0).Ref))
		return
	}
	g.uses(Suspicious)
}

// isPartial reports whether v is a functools.partial that prepares the call of a function that is not dangerous.
func (m *judge) isPartial(v heap.Value) bool {
	c, ok := v.Called()
	g := m.imported(c.Callee())
	return ok && g != nil && g.use == names.Partial && !g.misused
}

// checkLoadBytes checks torch.storage._load_from_bytes, whose argument is analyzed as a pickle.
func (m *judge) checkLoadBytes(g *global, args heap.Value) {
	b := args.Item(0)
	n := m.At(b.Ref)
	isBytes := n.Kind == heap.KindBytes || n.Kind == heap.KindStr && n.Flags&heap.Bytes8 != 0 || m.isEncodedBytes(b)
	if args.Len() != 1 || !isBytes || m.found.depth >= m.o.MaxNesting {
		g.misused = true
		m.load(args)
		return
	}
	g.uses(Suspicious)
	m.nest(b, g)
}

// isEncodedBytes reports whether v is how protocols below 3 store bytes: a call of _codecs.encode with a str.
func (m *judge) isEncodedBytes(v heap.Value) bool {
	c, ok := v.Called()
	if !ok {
		return false
	}
	f := m.imported(c.Callee())
	return f != nil && f.use == names.Encode && f.Verdict == Safe
}

// escapes marks conditional names as misused if they occur anywhere except as callees. It runs at the end of a stream.
// If the data is cut off, their use may be missing, and nothing can use them.
func (m *judge) escapes(cut bool) {
	watched := map[heap.Ref]*global{}
	for _, g := range m.found.globals {
		if g.conditional() && !g.misused {
			if cut && g.good == 0 {
				g.uses(Safe)
			}
			g.misused = g.good == 0 || m.Result == g.node
			watched[g.node] = g
		}
	}
	if len(watched) == 0 {
		return
	}
	m.Work += int64(m.Size()-int(m.First)) / 2
	for g := range heap.Escaping(m.Heap, m.First, watched) {
		g.misused = true
	}
}
