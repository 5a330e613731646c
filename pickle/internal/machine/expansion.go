// Detection of values that are small in memory but huge when printed or copied.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// maxExpansion is the number of values in an expanded result that is reported, if it is also a thousand times the
// number in memory.
const maxExpansion = 10_000_000

// CheckExpansion reports a result that takes very long to print, compare or copy, because its parts are shared many
// times: ten lists of ten references to the same list, nested ten deep, are a hundred references and ten billion
// values. It is called only if containers were reused.
func (m *Machine) CheckExpansion() {
	if m.reused < 16 {
		return
	}
	m.Work += int64(m.Size() - int(m.First))
	sizes := make([]float32, m.Size()-int(m.First)) // 0: unknown; -1: being computed
	total := m.expand(m.Result, sizes)
	for _, r := range m.stack {
		total = max(total, m.expand(r, sizes))
	}
	if total > maxExpansion && total > 1000*float32(len(sizes)) {
		m.warn(Expansion, m.Token.Off, "the result has %d values in memory, and %.3g when expanded", len(sizes), total)
	}
}

// expand returns the number of values in r when expanded. A value that contains itself counts once, a value of another
// stream as one.
func (m *Machine) expand(r heap.Ref, sizes []float32) float32 {
	if r < m.First {
		return 1
	}
	most := int(m.maxMemory / 24) // limit of pending values, from the memory budget
	todo := []heap.Ref{r}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		size := &sizes[r-m.First]
		if *size == 0 {
			*size = -1
			if len(todo) < most {
				todo = m.unsized(todo, r, sizes)
				continue
			}
			m.judge.Limit(m.Token.Off, "the memory budget is exhausted: too many references to count")
		}
		todo = todo[:len(todo)-1]
		if *size > 0 {
			continue
		}
		*size = 1 // everything in it has a known size or contains it
		m.Each(r, func(run []heap.Ref) bool {
			for _, item := range run {
				if item < m.First {
					*size++
				} else {
					*size += max(sizes[item-m.First], 0)
				}
			}
			return true
		})
	}
	return sizes[r-m.First]
}

// unsized appends the parts of r whose sizes are unknown to todo. Values without parts get their size.
func (m *Machine) unsized(todo []heap.Ref, r heap.Ref, sizes []float32) []heap.Ref {
	m.Each(r, func(run []heap.Ref) bool {
		m.Work += int64(len(run))
		for _, item := range run {
			if item < m.First || sizes[item-m.First] != 0 {
				continue
			}
			if m.At(item).Kind < heap.KindTuple || m.At(item).Kind == heap.KindGlobal {
				sizes[item-m.First] = 1
				continue
			}
			todo = append(todo, item)
		}
		return true
	})
	return todo
}
