// Handlers of imports and persistent IDs.

package machine

import (
	"unicode/utf8"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// global is GLOBAL: two lines. C loaders require UTF-8 and non-empty lines.
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

// tooLongName reports a name that is too long to be analyzed. No real name is; only a circular one that wants to be
// overlooked.
func (m *Machine) tooLongName() {
	m.danger(Computed, "%s at %d has a name of more than %d bytes, which is not analyzed",
		m.Token.Code, m.Token.Off, opcode.MaxText)
	m.push(m.AddUnknown())
}

// stackGlobal is STACK_GLOBAL: it imports the name given by the two strings on top of the stack.
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
	for _, r := range []heap.Ref{module, name} {
		n := m.At(r)
		if (n.Kind == heap.KindCall || n.Kind == heap.KindGlobal) && !m.judge.IsString(r) {
			m.Fail(NotString, "STACK_GLOBAL at %d has a name that is a %s", m.Token.Off, n.Kind)
			continue
		}
		switch n.Kind {
		case heap.KindStr:
		case heap.KindCall, heap.KindGlobal, heap.KindPersistent, heap.KindUnknown:
			m.danger(Computed, "STACK_GLOBAL at %d imports the result of a %s", m.Token.Off, n.Kind)
		default:
			m.refuse(NotString, "STACK_GLOBAL at %d has a name of type %s", m.Token.Off, n.Kind)
		}
	}
	m.push(m.AddUnknown())
}

// extension is EXT1, EXT2 and EXT4: a code in a registry outside the pickle.
func (m *Machine) extension() {
	code := int64(m.Token.Num)
	if code <= 0 {
		m.Fail(Parse, "%s at %d has the invalid code %d", m.Token.Code, m.Token.Off, code)
		m.push(m.AddUnknown())
		return
	}
	m.push(m.judge.Extension(code))
}

// persID is PERSID: the ID is a line, in ASCII. A zip archive starts like one, and goes on with other bytes.
func (m *Machine) persID() {
	for _, c := range m.Token.Text {
		if c >= utf8.RuneSelf {
			m.Fail(Parse, "PERSID at %d has an ID that is not ASCII", m.Token.Off)
			break
		}
	}
	m.persistent(m.AddText(heap.KindStr, 0, m.Token.Text, m.Token.TextOff, m.Token.TextLen))
}

// persistent pushes the object with a persistent ID.
func (m *Machine) persistent(id heap.Ref) {
	r := m.Add(heap.Node{Kind: heap.KindPersistent, A: uint64(id)})
	if !m.isStorageID(id) {
		m.judge.Persistent(id)
	}
	m.push(r)
}

// throughSource unwraps a class that old files of PyTorch modules store together with its source. It returns other
// values unchanged.
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

// isStorageID reports whether an ID is one that torch.save writes: ("storage", class, key, location, number of
// elements), in old files with a view; or a class with its source, ("module", class, file, text).
func (m *Machine) isStorageID(id heap.Ref) bool {
	n := m.At(id)
	if n.Kind != heap.KindTuple {
		return false
	}
	items := m.ItemsOf(id)
	switch tag, _ := m.Value(items0(items)).Str(); tag {
	case "storage":
		if len(items) != 5 && len(items) != 6 {
			return false
		}
		for i, kind := range [...]heap.Kind{heap.KindStr, heap.KindGlobal, heap.KindStr, heap.KindStr, heap.KindInt} {
			if !m.Is(items[i], kind) {
				return false
			}
		}
		return len(items) == 5 || m.Is(items[5], heap.KindNone) || m.Is(items[5], heap.KindTuple)
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

// Is reports whether a value is of a kind.
func (m *Machine) Is(r heap.Ref, k heap.Kind) bool { return m.At(r).Kind == k }
