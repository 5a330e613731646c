// Handlers of numbers and strings.

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

// odd reports a literal that no pickler writes this way.
func (m *Machine) odd() {
	m.warn(Literal, m.Token.Off, "%s at %d has a literal that no pickler writes", m.Token.Code, m.Token.Off)
}

// malformed reports a literal that loaders refuse.
func (m *Machine) malformed() {
	if m.Resume == 0 {
		m.Resume = m.Token.Off + 1 // its lines may have been something else
	}
	m.Fail(Parse, "%s at %d has an invalid argument", m.Token.Code, m.Token.Off)
}

// tooLong reports whether a line is too long to be parsed, and notes it.
func (m *Machine) tooLong() bool {
	if m.Token.TextLen <= opcode.MaxText {
		return false
	}
	m.warn(Resource, m.Token.Off, "%s at %d has %d digits", m.Token.Code, m.Token.Off, m.Token.TextLen)
	m.push(m.AddUnknown())
	return true
}

// int is INT: an int or bool in a line.
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

// long is LONG: an int of any size in a line.
func (m *Machine) long() {
	if !m.tooLong() {
		m.pushNumber(pylit.Long(m.Token.Text))
	}
}

// pushNumber pushes a parsed int. One that does not fit into 64 bits is stored as digits.
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
			m.Work += int64(len(digits)*len(digits)) / 512 // the cost of converting it
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

// float is FLOAT: a float in a line.
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

// binLong is LONG1 and LONG4: little-endian two's complement.
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

// get is GET: it reads a memo index from a line.
func (m *Machine) get() {
	if i, ok := m.index(); ok {
		m.recall(i)
		return
	}
	m.push(m.AddUnknown())
}

// put is PUT, the counterpart of get.
func (m *Machine) put() {
	if i, ok := m.index(); ok {
		m.memorize(i)
	}
}

// index parses the memo index of GET and PUT.
func (m *Machine) index() (uint64, bool) {
	n := pylit.Index(m.Token.Text[:min(len(m.Token.Text), opcode.MaxText)])
	switch {
	case n.Big || m.Token.TextLen > opcode.MaxText:
		m.warn(Resource, m.Token.Off, "%s at %d has an index larger than any memo", m.Token.Code, m.Token.Off)
		m.Fail(Parse, "%s at %d has an index larger than any memo", m.Token.Code, m.Token.Off)
		return 0, false
	case !n.OK || n.Value < 0:
		m.malformed()
		return 0, false
	case n.Odd:
		m.odd()
	}
	return uint64(n.Value), true
}

// pushText pushes a text without decoding it.
func (m *Machine) pushText(k heap.Kind, flags uint8) {
	m.Work += int64(len(m.Token.Text)) / 64
	r := m.AddText(k, flags, m.Token.Text, m.Token.TextOff, m.Token.TextLen)
	if guise.MayBe(m.Token.Text) {
		m.judge.Text(r, m.Token.Text, m.Token.TextOff, m.Token.TextLen)
	}
	m.push(r)
}

// unicode pushes UTF-8. If the text stays in the file, only its head is validated.
func (m *Machine) unicode() {
	if m.Token.TextLen <= opcode.MaxText && !pylit.ValidUTF8(m.Token.Text) {
		m.Fail(Parse, "%s at %d has invalid UTF-8", m.Token.Code, m.Token.Off)
	}
	m.pushText(heap.KindStr, 0)
}

// rawUnicode pushes a line with Unicode escapes.
func (m *Machine) rawUnicode() {
	m.pushLine(0, func(line []byte) ([]byte, bool, bool) {
		s, ok := pylit.RawUnicode(line)
		return s, false, ok
	})
}

// quoted pushes a quoted line with escapes.
func (m *Machine) quoted() { m.pushLine(heap.Bytes8, pylit.String) }

// pushLine pushes the str that a line represents. A line that is too long to decode stays in the file, with its
// escapes.
func (m *Machine) pushLine(flags uint8, decode func([]byte) (value []byte, odd, ok bool)) {
	m.Work += 4 + int64(len(m.Token.Text))/8
	if m.Token.TextLen > opcode.MaxText {
		m.push(m.AddText(heap.KindStr, flags|heap.Escaped, m.Token.Text, m.Token.TextOff, m.Token.TextLen))
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
