// Words: integers of a few bits in integers of many.

package model

import "github.com/weightools/safetensors/internal/wording"

// countWords counts what GPTQ, AWQ and AutoRound pack. All of them fill words
// without a gap, so the width is all that has to be known; and a shape that proves
// it is worth more than a configuration that says it.
func countWords(m *module, c *config) (values, bool) {
	words, width := m.stored(qweight), m.parts[qweight].width()
	bits, name := m.wordBits(width)
	said := c.width()
	switch {
	case bits > 0 && said > 0 && bits != said && len(c.bits) == 1:
		m.notes.addOf("the configuration says %d bits, and the shapes of %s say %d: the shapes are right", said, wording.Quote(m.name), bits)
	case bits == 0 && said > 0 && said <= 8 && width > 0:
		bits = said
	}
	if name == "" {
		name = c.method
	}
	if bits == 0 || times(words, width)%bits != 0 {
		return values{
			n: Range{times(words, width/8), times(words, width/2)}, name: name,
			why: "neither the shapes nor the configuration say how many bits a value has, from 2 to 8",
		}, true
	}
	return values{n: exactly(ratio(words, width, bits)), bits: bits, name: name}, true
}

// wordBits returns the width of values that the shapes prove, and the scheme that
// they are the shapes of; 0 if they prove none.
//
//	GPTQ       qweight [in·bits/32, out]   qzeros [groups, out·bits/32]   scales [groups, out]   g_idx [in]
//	AWQ, gemm  qweight [in, out·bits/32]   qzeros [groups, out·bits/32]   scales [groups, out]
func (m *module) wordBits(width int64) (bits int64, name string) {
	q, s, z := m.shape(qweight), m.shape(scales), m.shape(zeros)
	if len(q) != 2 || len(s) != 2 || q[0] <= 0 || q[1] <= 0 || s[1] <= 0 {
		return 0, ""
	}
	byRows := s[1] == q[1]
	if index := m.shape(groupIndex); byRows && len(index) == 1 && index[0] > 0 {
		return exactWidth(q[0], width, index[0]), "gptq"
	}
	if len(z) == 2 && z[0] == s[0] && m.parts[zeros].kind&isInteger != 0 {
		bits = exactWidth(z[1], m.parts[zeros].width(), s[1])
	}
	switch {
	case byRows:
		return bits, "gptq"
	case bits > 0 && exactWidth(q[1], width, s[1]) == bits:
		return bits, "awq"
	}
	return 0, ""
}

// exactWidth returns how many bits each of n values has that fill so many words, 0
// if it is no number from 1 to 8.
func exactWidth(words, width, n int64) int64 {
	all := times(words, width)
	if all%n != 0 || all/n > 8 {
		return 0
	}
	return all / n
}

// countRows counts what compressed-tensors packs row by row, into ceil(n·bits/32)
// words for each row.
func countRows(m *module, c *config) (values, bool) {
	p := m.shape(packed)
	if len(p) == 0 {
		return values{}, false
	}
	width := m.parts[packed].width()
	rows, words := product(p[:len(p)-1]), p[len(p)-1]
	bits := c.width()
	if shape, ok := m.readShape(); ok {
		if v, ok := m.rowsOf(shape, rows, words, width, bits); ok {
			return v, true
		}
		m.notes.addOf("weight_shape of %s is %v, which its packed rows of %d words cannot be", wording.Quote(m.name), shape, words)
	}
	if index := m.shape(groupIndex); len(index) == 1 {
		if v, ok := m.rowsOf([]int64{rows, index[0]}, rows, words, width, bits); ok {
			return v, true
		}
	}
	low, high := bits, bits
	why := "weight_shape was not read, so the last word of each row may not be full"
	if bits == 0 || bits > 8 {
		low, high = c.leastBits(1), c.mostBits(8)
		why = "weight_shape was not read, and the configuration does not say how many bits a value has"
		bits = 0
	}
	return values{
		// A word less, and one value more, is the least that takes so many words; and
		// the wider the values, the fewer they are.
		n:    Range{times(rows, sum(ratio(max(words-1, 0), width, high), min(words, 1))), times(rows, ratio(words, width, low))},
		bits: bits, why: why,
	}, true
}

// rowsOf counts the values of a weight of a shape, if its rows fill so many words.
func (m *module) rowsOf(shape []int64, rows, words, width, said int64) (values, bool) {
	if len(shape) == 0 || product(shape[:len(shape)-1]) != rows {
		return values{}, false
	}
	n := shape[len(shape)-1]
	for bits := int64(1); bits <= 8; bits++ {
		if (said == 0 || said == bits) && ceil(times(n, bits), width) == words {
			v := values{n: exactly(product(shape)), bits: bits}
			if said == 0 && n > 0 && ceil(times(n, bits+1), width) == words {
				v.bits = 0 // a short row does not tell
			}
			return v, true
		}
	}
	return values{}, false
}

// Two widths in one configuration are common: groups of modules have their own, and
// name these by regular expressions, which are a stranger's and so are not run.

// leastBits and mostBits are the least and the greatest width that the
// configuration says, or what they are given if it says none.
func (c *config) leastBits(otherwise int64) int64 {
	if len(c.bits) == 0 {
		return otherwise
	}
	least := c.bits[0]
	for _, n := range c.bits {
		least = min(least, n)
	}
	return max(least, 1)
}

func (c *config) mostBits(otherwise int64) int64 {
	if len(c.bits) == 0 {
		return otherwise
	}
	most := c.bits[0]
	for _, n := range c.bits {
		most = max(most, n)
	}
	return min(most, 8)
}
