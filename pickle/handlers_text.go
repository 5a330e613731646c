// Handlers: numbers and strings.

package pickle

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/weightools/safetensors/internal/pylit"
	"github.com/weightools/safetensors/pickle/internal/guise"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// odd notes a literal that no pickler writes so.
func (m *machine) odd() {
	m.warn(RuleLiteral, m.t.Off, "the %s at %d is not written as any pickler writes it", m.t.Code, m.t.Off)
}

// malformed notes a literal that loaders refuse.
func (m *machine) malformed() {
	if m.resume == 0 {
		m.resume = m.t.Off + 1 // what it took for its lines may be something else
	}
	m.fail(RuleParse, "the %s at %d is none that a loader can read", m.t.Code, m.t.Off)
}

// tooLong is whether a line is longer than what is looked at, and notes it.
func (m *machine) tooLong() bool {
	if m.t.TextLen <= opcode.MaxText {
		return false
	}
	m.warn(RuleResource, m.t.Off, "the %s at %d has %d digits", m.t.Code, m.t.Off, m.t.TextLen)
	m.push(m.unknown())
	return true
}

// int is INT: a line that is an int, or a bool.
func (m *machine) int() {
	if m.tooLong() {
		return
	}
	n := pylit.Int(m.t.Text)
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
func (m *machine) long() {
	if !m.tooLong() {
		m.pushNumber(pylit.Long(m.t.Text))
	}
}

// pushNumber pushes the int that a line was read as. One that does not fit 64 bits
// stays text.
func (m *machine) pushNumber(n pylit.Number) {
	m.work += 4 + int64(len(m.t.Text))/8
	switch {
	case !n.OK:
		m.malformed()
		m.push(m.unknown())
		return
	case n.Big:
		digits := n.Text
		if n.Base != 10 {
			m.work += int64(len(digits)*len(digits)) / 512 // it is worked out
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
func (m *machine) float() {
	m.work += 4 + int64(len(m.t.Text))/8
	f, odd, ok := pylit.Float(m.t.Text)
	if !ok || m.t.TextLen > opcode.MaxText {
		m.malformed()
		m.push(m.unknown())
		return
	}
	if odd {
		m.odd()
	}
	m.push(m.Add(heap.Node{Kind: heap.KindFloat, A: math.Float64bits(f)}))
}

// binLong is LONG1 and LONG4: two's complement, little-endian.
func (m *machine) binLong() {
	b := m.t.Text
	switch n := len(b); {
	case n == 0:
		m.pushInt(0)
	case n <= 8 && m.t.TextLen == int64(n):
		var wide [8]byte
		if b[n-1] >= 0x80 {
			wide = [8]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
		}
		copy(wide[:], b)
		m.pushInt(int64(binary.LittleEndian.Uint64(wide[:])))
	default:
		m.push(m.AddText(heap.KindInt, heap.LittleEndian, b, m.t.TextOff, m.t.TextLen))
	}
}

// get and put have their numbers as text.
func (m *machine) get() {
	if i, ok := m.index(); ok {
		m.recall(i)
		return
	}
	m.push(m.unknown())
}

// put is PUT.
func (m *machine) put() {
	if i, ok := m.index(); ok {
		m.memorize(i)
	}
}

// index reads the number of GET and PUT.
func (m *machine) index() (uint64, bool) {
	n := pylit.Index(m.t.Text[:min(len(m.t.Text), opcode.MaxText)])
	switch {
	case n.Big || m.t.TextLen > opcode.MaxText:
		m.warn(RuleResource, m.t.Off, "the number of the %s at %d is larger than any memo", m.t.Code, m.t.Off)
		m.fail(RuleParse, "the number of the %s at %d is larger than any memo", m.t.Code, m.t.Off)
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
func (m *machine) pushText(k heap.Kind, flags uint8) {
	m.work += int64(len(m.t.Text)) / 64
	r := m.AddText(k, flags, m.t.Text, m.t.TextOff, m.t.TextLen)
	if guise.MayBe(m.t.Text) {
		m.sniff(r, m.t.Text, m.t.TextOff, m.t.TextLen)
	}
	m.push(r)
}

// unicode is UTF-8. Of a text that is left in the file, only the head is checked.
func (m *machine) unicode() {
	if m.t.TextLen <= opcode.MaxText && !pylit.ValidUTF8(m.t.Text) {
		m.fail(RuleParse, "the %s at %d is no UTF-8", m.t.Code, m.t.Off)
	}
	m.pushText(heap.KindStr, 0)
}

// rawUnicode is a line with escapes.
func (m *machine) rawUnicode() {
	m.pushLine(0, func(line []byte) ([]byte, bool, bool) {
		s, ok := pylit.RawUnicode(line)
		return s, false, ok
	})
}

// quoted is a line in quotes, with escapes.
func (m *machine) quoted() { m.pushLine(heap.Bytes8, pylit.String) }

// pushLine pushes the str that a line stands for. One too long to be looked at is
// left in the file as it stands there, escapes and all.
func (m *machine) pushLine(flags uint8, decode func([]byte) (value []byte, odd, ok bool)) {
	m.work += 4 + int64(len(m.t.Text))/8
	if m.t.TextLen > opcode.MaxText {
		m.push(m.AddText(heap.KindStr, flags, m.t.Text, m.t.TextOff, m.t.TextLen))
		return
	}
	s, odd, ok := decode(m.t.Text)
	switch {
	case !ok:
		m.malformed()
	case odd:
		m.odd()
	}
	m.t.Text, m.t.TextLen = s, int64(len(s))
	r := m.AddText(heap.KindStr, flags, s, m.t.TextOff, int64(len(s)))
	if guise.MayBe(s) {
		m.sniffDecoded(r, s)
	}
	m.push(r)
}
