// The memo: values by index.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// A memo stores values by index. Picklers count from 0, so entries are in an array. Entries with other indexes are in a
// map: memory grows with the number of entries and not with their indexes.
type memo struct {
	dense  []heap.Ref // heap.Unknown for missing entries
	sparse map[uint64]heap.Ref
	live   int // number of entries
}

// reset removes all entries.
func (m *memo) reset() {
	m.dense, m.live = m.dense[:0], 0
	clear(m.sparse)
}

// put stores a value. It reports whether the index is far beyond the number of entries; the C loader allocates an array
// up to the largest index.
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

// at returns an entry, heap.Unknown if it is missing.
func (m *memo) at(i uint64) heap.Ref {
	if i < uint64(len(m.dense)) {
		return m.dense[i]
	}
	return m.sparse[i]
}

// memory returns the number of bytes that the entries use.
func (m *memo) memory() int64 { return int64(len(m.dense))*8 + int64(len(m.sparse))*48 }
