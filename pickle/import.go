// Handlers: imports, and objects that the loader is to find.

package pickle

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
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

// Label returns the name as part of a message.
func (g *global) Label() string {
	if g.Module == "" || plausible(g.ResolvedModule, g.ResolvedName) {
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

// global is GLOBAL: two lines. A loader in C asks for UTF-8, and for a byte in
// each.
func (m *machine) global() {
	module, name := m.t.Text, m.t.Text2
	m.work += 4 + int64(len(module)+len(name))/32
	if len(module) == 0 || len(name) == 0 || !utf8.Valid(module) || !utf8.Valid(name) {
		m.malformed()
		m.push(m.unknown())
		return
	}
	if m.t.TextLen > opcode.MaxText || len(name) > opcode.MaxText {
		m.tooLongName()
		return
	}
	g, known := m.found.names[nameKey{string(module), string(name), m.proto < 3}] // without a copy
	if known {
		m.pushImport(g)
		return
	}
	m.importName(string(module), string(name))
}

// tooLongName notes a name that is not looked at. There is none so long, but for
// those that go in circles to be overlooked.
func (m *machine) tooLongName() {
	m.danger(RuleComputed, "the %s at %d has a name of more than %d bytes, which is not looked at", m.t.Code, m.t.Off, opcode.MaxText)
	m.push(m.unknown())
}

// stackGlobal is STACK_GLOBAL: the two strings on top of the stack, wherever they
// came from.
func (m *machine) stackGlobal() {
	name, module := m.pop(), m.pop()
	mt, nt := m.At(module), m.At(name)
	if mt.Kind == heap.KindStr && nt.Kind == heap.KindStr {
		s, ok := m.Value(module).Str()
		t, also := m.Value(name).Str()
		if !ok || !also {
			m.tooLongName()
			return
		}
		m.importName(s, t)
		return
	}
	for _, n := range []*heap.Node{mt, nt} {
		switch n.Kind {
		case heap.KindStr:
		case heap.KindCall, heap.KindGlobal, heap.KindPersistent, heap.KindUnknown:
			m.danger(RuleComputed, "the STACK_GLOBAL at %d imports what a %s gives", m.t.Off, n.Kind)
		default:
			m.refuse(RuleNotString, "the STACK_GLOBAL at %d is given a name of type %s", m.t.Off, n.Kind)
		}
	}
	m.push(m.unknown())
}

// importName pushes an import.
func (m *machine) importName(module, name string) {
	g, known := m.found.names[nameKey{module, name, m.proto < 3}]
	if !known {
		g = m.judge(module, name)
	}
	if g == nil {
		m.push(m.unknown())
		return
	}
	m.pushImport(g)
}

// pushImport pushes the value of an import.
func (m *machine) pushImport(g *global) {
	g.Count++
	m.push(m.nodeOf(g))
}

// nodeOf returns the node of an import: one for the stream, for it is one object.
func (m *machine) nodeOf(g *global) heap.Ref {
	if g.node == heap.Unknown {
		g.node = m.AddName(g)
	}
	return g.node
}

// judge judges a name that is new to the stream. It returns nil for a name that
// none has, if what is read need not be a pickle at all.
func (m *machine) judge(module, name string) *global {
	if (m.failed || m.guessing) && !plausible(module, name) {
		return nil
	}
	m.work += costName
	g := &global{Import: Import{Module: module, Name: name, ResolvedModule: module, ResolvedName: name, Offset: m.t.Off, Opcode: Opcode(m.t.Code)}}
	if m.proto < 3 {
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
	case m.failed && !m.protoFirst && g.Verdict == Suspicious:
		return nil // of bytes that need not be a pickle, what is not known means nothing
	case m.found.noPlace(len(m.found.globals), g.Verdict):
		return m.found.other(g)
	}
	m.found.keep(g, nameKey{module, name, m.proto < 3})
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

// extension is EXT1, EXT2 and EXT4: a number in a registry that the pickle does
// not hold.
func (m *machine) extension() {
	code := int64(m.t.Num)
	if code <= 0 {
		m.fail(RuleParse, "the %s at %d has the number %d, which is none of the registry's", m.t.Code, m.t.Off, code)
		m.push(m.unknown())
		return
	}
	m.work += costFinding
	name := fmt.Sprintf("EXT %d", code)
	g, known := m.found.names[nameKey{"", name, false}]
	if !known {
		if m.work += costName; len(m.found.globals) >= m.found.most {
			m.pushImport(m.found.other(&global{Import: Import{Offset: m.t.Off, Opcode: Opcode(m.t.Code), Verdict: Suspicious, Rule: RuleExtension}}))
			return
		}
		g = &global{full: name, Import: Import{Name: name, ResolvedName: name, Offset: m.t.Off, Opcode: Opcode(m.t.Code), Verdict: Suspicious, Rule: RuleExtension}}
		m.found.keep(g, nameKey{"", name, false})
		m.warn(RuleExtension, m.t.Off, "the %s at %d imports what the registry has under %d", m.t.Code, m.t.Off, code)
	}
	m.pushImport(g)
}

// persID is PERSID: the id is the line.
func (m *machine) persID() {
	m.persistent(m.AddText(heap.KindStr, 0, m.t.Text, m.t.TextOff, m.t.TextLen))
}

// persistent pushes what the loader finds under an id.
func (m *machine) persistent(id heap.Ref) {
	r := m.Add(heap.Node{Kind: heap.KindPersistent, A: uint64(id)})
	if !m.isStorageID(id) && (m.o == nil || m.o.PersistentID == nil || !m.o.PersistentID(Value{m.Value(id)})) {
		m.warn(RulePersistentID, m.t.Off, "the %s at %d has the id %s, which is not one of PyTorch's storages", m.t.Code, m.t.Off, m.summary(id))
	}
	m.push(r)
}

// isStorageID is whether an id is one that torch.save writes: of a storage, as
// ("storage", class, key, location, number of elements) and in old files a view
// of it, or of the source of a class, as ("module", class, file, text).
func (m *machine) isStorageID(id heap.Ref) bool {
	n := m.At(id)
	if n.Kind != heap.KindTuple {
		return false
	}
	items := m.ItemsOf(id)
	switch tag, _ := m.Value(items0(items)).Str(); tag {
	case "storage":
		return (len(items) == 5 || len(items) == 6) && m.is(items[1], heap.KindGlobal) && m.is(items[2], heap.KindStr) &&
			m.is(items[3], heap.KindStr) && m.is(items[4], heap.KindInt) && (len(items) == 5 || m.is(items[5], heap.KindNone) || m.is(items[5], heap.KindTuple))
	case "module":
		return len(items) == 4 && m.is(items[1], heap.KindGlobal)
	}
	return false
}

// items0 returns the first item.
func items0(items []heap.Ref) heap.Ref {
	if len(items) == 0 {
		return heap.Unknown
	}
	return items[0]
}

// is is whether a value is of a kind.
func (m *machine) is(r heap.Ref, k heap.Kind) bool { return m.At(r).Kind == k }
