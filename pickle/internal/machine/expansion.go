// Expansion: values that are small in memory and endless when written out.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// maxExpansion is how many values something may have when it is written out, if
// that is also a thousand times what it has in memory.
const maxExpansion = 10_000_000

// CheckExpansion notes a result that would take very long to print, compare or
// copy, because its parts refer to each other again and again: ten lists of ten
// times the same list, ten levels deep, are a hundred references and ten billion
// values. It is asked only where containers were used again.
func (m *Machine) CheckExpansion() {
	if m.reused < 16 {
		return
	}
	m.Work += int64(m.Size() - int(m.First))
	sizes := make([]float32, m.Size()-int(m.First)) // 0 is not known yet, and -1 is under way
	total := m.expand(m.Result, sizes)
	for _, r := range m.stack {
		total = max(total, m.expand(r, sizes))
	}
	if total > maxExpansion && total > 1000*float32(len(sizes)) {
		m.warn(Expansion, m.Token.Off, "the result is %d values in memory, and %.3g written out", len(sizes), total)
	}
}

// expand returns how many values r is, written out. What contains itself is
// counted once, and what is of another stream as one.
func (m *Machine) expand(r heap.Ref, sizes []float32) float32 {
	if r < m.First {
		return 1
	}
	most := int(m.maxMemory / 24) // values that wait: as many as could be kept
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
			m.judge.Limit(m.Token.Off, "the budget of memory is spent: the values refer to more others than can be counted")
		}
		todo = todo[:len(todo)-1]
		if *size > 0 {
			continue
		}
		*size = 1 // all that is in it is known, or is around it
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

// unsized appends what is in r and is not sized yet to todo. What holds nothing is sized.
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
