// Handlers: numbers and strings.

package machine

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/weightools/safetensors/pickle/internal/guise"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
	"github.com/weightools/safetensors/pickle/internal/pylit"
)

// odd notes a literal that no pickler writes so.
func (m *Machine) odd() {
	m.warn(Literal, m.Token.Off, "the %s at %d is not written as any pickler writes it", m.Token.Code, m.Token.Off)
}

// malformed notes a literal that loaders refuse.
func (m *Machine) malformed() {
	if m.Resume == 0 {
		m.Resume = m.Token.Off + 1 // what it took for its lines may be something else
	}
	m.Fail(Parse, "the %s at %d is none that a loader can read", m.Token.Code, m.Token.Off)
}

// tooLong is whether a line is longer than what is looked at, and notes it.
func (m *Machine) tooLong() bool {
	if m.Token.TextLen <= opcode.MaxText {
		return false
	}
	m.warn(Resource, m.Token.Off, "the %s at %d has %d digits", m.Token.Code, m.Token.Off, m.Token.TextLen)
	m.push(m.AddUnknown())
	return true
}

// int is INT: a line that is an int, or a bool.
func (m *Machine) int() {
	if m.tooLong() {
		return
	}
	n := pylit.Int(m.Token.Text)
	if n.Bool {
		m.push(heap.False - heap.Ref(n.Value))
		if n.Odd {
			m.odd()
		}
		return
	}
	m.pushNumber(n)
}

// long is LONG: a line that is an int of any size.
func (m *Machine) long() {
	if !m.tooLong() {
		m.pushNumber(pylit.Long(m.Token.Text))
	}
}

// pushNumber pushes the int that a line was read as. One that does not fit 64 bits
// stays text.
func (m *Machine) pushNumber(n pylit.Number) {
	m.Work += 4 + int64(len(m.Token.Text))/8
	switch {
	case !n.OK:
		m.malformed()
		m.push(m.AddUnknown())
		return
	case n.Big:
		digits := n.Text
		if n.Base != 10 {
			m.Work += int64(len(digits)*len(digits)) / 512 // it is worked out
			if i, ok := new(big.Int).SetString(string(digits), n.Base); ok {
				digits = i.Append(nil, 10)
			}
		}
		m.push(m.AddDigits(digits))
	default:
		m.pushInt(n.Value)
	}
	if n.Odd {
		m.odd()
	}
}

// float is FLOAT: a line.
func (m *Machine) float() {
	m.Work += 4 + int64(len(m.Token.Text))/8
	f, odd, ok := pylit.Float(m.Token.Text)
	if !ok || m.Token.TextLen > opcode.MaxText {
		m.malformed()
		m.push(m.AddUnknown())
		return
	}
	if odd {
		m.odd()
	}
	m.push(m.Add(heap.Node{Kind: heap.KindFloat, A: math.Float64bits(f)}))
}

// binLong is LONG1 and LONG4: two's complement, little-endian.
func (m *Machine) binLong() {
	b := m.Token.Text
	switch n := len(b); {
	case n == 0:
		m.pushInt(0)
	case n <= 8 && m.Token.TextLen == int64(n):
		var wide [8]byte
		if b[n-1] >= 0x80 {
			wide = [8]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
		}
		copy(wide[:], b)
		m.pushInt(int64(binary.LittleEndian.Uint64(wide[:])))
	default:
		m.push(m.AddText(heap.KindInt, heap.LittleEndian, b, m.Token.TextOff, m.Token.TextLen))
	}
}

// get and put have their numbers as text.
func (m *Machine) get() {
	if i, ok := m.index(); ok {
		m.recall(i)
		return
	}
	m.push(m.AddUnknown())
}

// put is PUT.
func (m *Machine) put() {
	if i, ok := m.index(); ok {
		m.memorize(i)
	}
}

// index reads the number of GET and PUT.
func (m *Machine) index() (uint64, bool) {
	n := pylit.Index(m.Token.Text[:min(len(m.Token.Text), opcode.MaxText)])
	switch {
	case n.Big || m.Token.TextLen > opcode.MaxText:
		m.warn(Resource, m.Token.Off, "the number of the %s at %d is larger than any memo", m.Token.Code, m.Token.Off)
		m.Fail(Parse, "the number of the %s at %d is larger than any memo", m.Token.Code, m.Token.Off)
		return 0, false
	case !n.OK || n.Value < 0:
		m.malformed()
		return 0, false
	case n.Odd:
		m.odd()
	}
	return uint64(n.Value), true
}

// pushText pushes the text that was decoded as it is.
func (m *Machine) pushText(k heap.Kind, flags uint8) {
	m.Work += int64(len(m.Token.Text)) / 64
	r := m.AddText(k, flags, m.Token.Text, m.Token.TextOff, m.Token.TextLen)
	if guise.MayBe(m.Token.Text) {
		m.judge.Text(r, m.Token.Text, m.Token.TextOff, m.Token.TextLen)
	}
	m.push(r)
}

// unicode is UTF-8. Of a text that is left in the file, only the head is checked.
func (m *Machine) unicode() {
	if m.Token.TextLen <= opcode.MaxText && !pylit.ValidUTF8(m.Token.Text) {
		m.Fail(Parse, "the %s at %d is no UTF-8", m.Token.Code, m.Token.Off)
	}
	m.pushText(heap.KindStr, 0)
}

// rawUnicode is a line with escapes.
func (m *Machine) rawUnicode() {
	m.pushLine(0, func(line []byte) ([]byte, bool, bool) {
		s, ok := pylit.RawUnicode(line)
		return s, false, ok
	})
}

// quoted is a line in quotes, with escapes.
func (m *Machine) quoted() { m.pushLine(heap.Bytes8, pylit.String) }

// pushLine pushes the str that a line stands for. One too long to be looked at is
// left in the file as it stands there, escapes and all.
func (m *Machine) pushLine(flags uint8, decode func([]byte) (value []byte, odd, ok bool)) {
	m.Work += 4 + int64(len(m.Token.Text))/8
	if m.Token.TextLen > opcode.MaxText {
		m.push(m.AddText(heap.KindStr, flags, m.Token.Text, m.Token.TextOff, m.Token.TextLen))
		return
	}
	s, odd, ok := decode(m.Token.Text)
	switch {
	case !ok:
		m.malformed()
	case odd:
		m.odd()
	}
	m.Token.Text, m.Token.TextLen = s, int64(len(s))
	r := m.AddText(heap.KindStr, flags, s, m.Token.TextOff, int64(len(s)))
	if guise.MayBe(s) {
		m.judge.Decoded(r, s)
	}
	m.push(r)
}
