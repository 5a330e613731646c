// The memo: values by the numbers that a pickle gives them.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// A memo keeps values by number. Picklers count from 0, so that an array serves;
// what a hostile pickle numbers otherwise is kept in a map, and takes memory by
// the entry and not by the number.
type memo struct {
	dense  []heap.Ref // refUnknown where there is none
	sparse map[uint64]heap.Ref
	live   int // how many entries there are
}

// reset forgets all entries.
func (m *memo) reset() {
	m.dense, m.live = m.dense[:0], 0
	clear(m.sparse)
}

// put stores a value, and returns whether its number is far beyond how many
// there are. The loader in C has an array as long as the largest number.
func (m *memo) put(i uint64, r heap.Ref) (far bool) {
	old := m.at(i)
	if old == heap.Unknown {
		m.live++
	}
	switch {
	case i < uint64(len(m.dense)):
		m.dense[i] = r
	case i < 4*uint64(m.live)+1024:
		for n := uint64(len(m.dense)); n < i; n++ {
			m.dense = append(m.dense, m.sparse[n])
		}
		m.dense = append(m.dense, r)
	default:
		if m.sparse == nil {
			m.sparse = map[uint64]heap.Ref{}
		}
		m.sparse[i] = r
		return i >= 1<<24 && i/16 > uint64(m.live)
	}
	return false
}

// at returns the value of a number, refUnknown if there is none.
func (m *memo) at(i uint64) heap.Ref {
	if i < uint64(len(m.dense)) {
		return m.dense[i]
	}
	return m.sparse[i]
}

// memory returns how many bytes the entries take.
func (m *memo) memory() int64 { return int64(len(m.dense))*8 + int64(len(m.sparse))*48 }
