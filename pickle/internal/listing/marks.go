// Open MARKs.

package listing

import "github.com/weightools/safetensors/pickle/internal/opcode"

// Marks are the offsets of the open MARKs of a stream and of the streams around it. The zero value has none.
type Marks struct {
	open  []int64
	outer [][]int64 // those of the enclosing streams
}

// Len returns the number of open MARKs.
func (m *Marks) Len() int { return len(m.open) }

// Follow updates the MARKs after an instruction at off, after which the stream is within the given number of others and
// open MARKs are left. If the instruction removed a MARK, Follow returns the offset of that.
func (m *Marks) Follow(code opcode.Code, off int64, within, open int) (removed int64, ok bool) {
	switch n := len(m.outer); {
	case within > n:
		m.outer, m.open = append(m.outer, m.open), nil
	case within < n:
		m.open, m.outer = m.outer[n-1], m.outer[:n-1]
	case code == opcode.Mark:
		m.open = append(m.open, off)
	case open < len(m.open):
		removed = m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		return removed, true
	}
	return 0, false
}
