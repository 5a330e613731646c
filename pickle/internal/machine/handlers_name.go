// Handlers: imports, and objects that the loader is to find.

package machine

import (
	"unicode/utf8"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// global is GLOBAL: two lines. A loader in C asks for UTF-8, and for a byte in
// each.
func (m *Machine) global() {
	module, name := m.Token.Text, m.Token.Text2
	m.Work += 4 + int64(len(module)+len(name))/32
	if len(module) == 0 || len(name) == 0 || !utf8.Valid(module) || !utf8.Valid(name) {
		m.malformed()
		m.push(m.AddUnknown())
		return
	}
	if m.Token.TextLen > opcode.MaxText || len(name) > opcode.MaxText {
		m.tooLongName()
		return
	}
	m.push(m.judge.Global(module, name))
}

// tooLongName notes a name that is not looked at. There is none so long, but for
// those that go in circles to be overlooked.
func (m *Machine) tooLongName() {
	m.danger(Computed, "the %s at %d has a name of more than %d bytes, which is not looked at", m.Token.Code, m.Token.Off, opcode.MaxText)
	m.push(m.AddUnknown())
}

// stackGlobal is STACK_GLOBAL: the two strings on top of the stack, wherever they
// came from.
func (m *Machine) stackGlobal() {
	name, module := m.pop(), m.pop()
	mt, nt := m.At(module), m.At(name)
	if mt.Kind == heap.KindStr && nt.Kind == heap.KindStr {
		s, ok := m.Value(module).Str()
		t, also := m.Value(name).Str()
		if !ok || !also {
			m.tooLongName()
			return
		}
		m.push(m.judge.StackGlobal(s, t))
		return
	}
	for _, n := range []*heap.Node{mt, nt} {
		switch n.Kind {
		case heap.KindStr:
		case heap.KindCall, heap.KindGlobal, heap.KindPersistent, heap.KindUnknown:
			m.danger(Computed, "the STACK_GLOBAL at %d imports what a %s gives", m.Token.Off, n.Kind)
		default:
			m.refuse(NotString, "the STACK_GLOBAL at %d is given a name of type %s", m.Token.Off, n.Kind)
		}
	}
	m.push(m.AddUnknown())
}

// extension is EXT1, EXT2 and EXT4: a number in a registry that the pickle does
// not hold.
func (m *Machine) extension() {
	code := int64(m.Token.Num)
	if code <= 0 {
		m.Fail(Parse, "the %s at %d has the number %d, which is none of the registry's", m.Token.Code, m.Token.Off, code)
		m.push(m.AddUnknown())
		return
	}
	m.push(m.judge.Extension(code))
}

// persID is PERSID: the id is the line.
func (m *Machine) persID() {
	m.persistent(m.AddText(heap.KindStr, 0, m.Token.Text, m.Token.TextOff, m.Token.TextLen))
}

// persistent pushes what the loader finds under an id.
func (m *Machine) persistent(id heap.Ref) {
	r := m.Add(heap.Node{Kind: heap.KindPersistent, A: uint64(id)})
	if !m.isStorageID(id) {
		m.judge.Persistent(id)
	}
	m.push(r)
}

// throughSource returns the class of a persistent object that is one with its
// source, in old files of whole PyTorch modules, and anything else as it is.
func (m *Machine) throughSource(r heap.Ref) heap.Ref {
	n := m.At(r)
	if n.Kind != heap.KindPersistent || !m.isStorageID(heap.Ref(n.A)) {
		return r
	}
	id := m.Value(heap.Ref(n.A))
	if tag, _ := id.Item(0).Str(); tag == "module" {
		return id.Item(1).Ref
	}
	return r
}

// isStorageID is whether an id is one that torch.save writes: of a storage, as
// ("storage", class, key, location, number of elements) and in old files a view
// of it, or of the source of a class, as ("module", class, file, text).
func (m *Machine) isStorageID(id heap.Ref) bool {
	n := m.At(id)
	if n.Kind != heap.KindTuple {
		return false
	}
	items := m.ItemsOf(id)
	switch tag, _ := m.Value(items0(items)).Str(); tag {
	case "storage":
		return (len(items) == 5 || len(items) == 6) && m.Is(items[1], heap.KindGlobal) && m.Is(items[2], heap.KindStr) &&
			m.Is(items[3], heap.KindStr) && m.Is(items[4], heap.KindInt) && (len(items) == 5 || m.Is(items[5], heap.KindNone) || m.Is(items[5], heap.KindTuple))
	case "module":
		return len(items) == 4 && m.Is(items[1], heap.KindGlobal)
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

// Is is whether a value is of a kind.
func (m *Machine) Is(r heap.Ref, k heap.Kind) bool { return m.At(r).Kind == k }
