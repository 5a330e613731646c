// Expansion: values that are small in memory and endless when written out.

package pickle

// maxExpansion is how many values something may have when it is written out, if
// that is also a thousand times what it has in memory.
const maxExpansion = 10_000_000

// checkExpansion notes a result that would take very long to print, compare or
// copy, because its parts refer to each other again and again: ten lists of ten
// times the same list, ten levels deep, are a hundred references and ten billion
// values. It is asked only where containers were used again.
func (m *machine) checkExpansion() {
	if m.reused < 16 {
		return
	}
	sizes := make([]float32, m.count) // 0 is not known yet, and -1 is under way
	total := m.expand(m.result, sizes)
	for _, r := range m.stack {
		total = max(total, m.expand(r, sizes))
	}
	if total > maxExpansion && total > 1000*float32(m.count) {
		m.warn(RuleExpansion, m.t.off, "the result is %d values in memory, and %.3g written out", m.count-int(refFirst), total)
	}
}

// expand returns how many values r is, written out. What contains itself is
// counted once.
func (m *machine) expand(r ref, sizes []float32) float32 {
	todo := []ref{r}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		switch {
		case sizes[r] > 0:
			todo = todo[:len(todo)-1]
		case sizes[r] == 0:
			sizes[r] = -1
			m.each(r, func(run []ref) bool {
				for _, item := range run {
					if sizes[item] == 0 {
						todo = append(todo, item)
					}
				}
				return true
			})
		default: // all that is in it is known, or is around it
			size := float32(1)
			m.each(r, func(run []ref) bool {
				for _, item := range run {
					size += max(sizes[item], 0)
				}
				return true
			})
			sizes[r] = size
			todo = todo[:len(todo)-1]
		}
	}
	return sizes[r]
}
