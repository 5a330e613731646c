// Words: narrow integers packed into wide ones.

package scheme

import (
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// countWords counts weights packed by GPTQ, AWQ and AutoRound. All of them fill words without gaps, so only the
// width is needed. Shapes that prove it take precedence over the configuration.
func countWords(m *Module, c *Context) (Values, bool) {
	words, width := m.stored(parts.QWeight), m.Parts[parts.QWeight].width()
	bits, name := m.wordBits(width)
	said := c.Width()
	switch {
	case bits > 0 && said > 0 && bits != said && len(c.Bits) == 1:
		m.Notes.AddModule("the configuration says %d bits, but the shapes of %s prove %d", said, wording.Quote(m.Name),
			bits)
	case bits == 0 && said > 0 && said <= 8 && width > 0:
		bits = said
	}
	if name == "" {
		name = c.Method
	}
	if bits == 0 || clamp.Mul(words, width)%bits != 0 {
		return Values{
			N: Range{clamp.Mul(words, width/8), clamp.Mul(words, width/2)}, Name: name,
			Why: "neither the shapes nor the configuration show how many bits a value has, from 2 to 8",
		}, true
	}
	return Values{N: exactly(clamp.MulDiv(words, width, bits)), Bits: bits, Name: name}, true
}

// wordBits returns the width of values and the scheme that the shapes prove, or 0.
//
//	GPTQ       qweight [in·bits/32, out]   qzeros [groups, out·bits/32]   scales [groups, out]   g_idx [in]
//	AWQ, gemm  qweight [in, out·bits/32]   qzeros [groups, out·bits/32]   scales [groups, out]
func (m *Module) wordBits(width int64) (bits int64, name string) {
	q, s, z := m.shape(parts.QWeight), m.shape(parts.Scales), m.shape(parts.Zeros)
	if len(q) != 2 || len(s) != 2 || q[0] <= 0 || q[1] <= 0 || s[1] <= 0 {
		return 0, ""
	}
	byRows := s[1] == q[1]
	if index := m.shape(parts.GroupIndex); byRows && len(index) == 1 && index[0] > 0 {
		return exactWidth(q[0], width, index[0]), "gptq"
	}
	if len(z) == 2 && z[0] == s[0] && m.Parts[parts.Zeros].Kinds&parts.Integer != 0 {
		bits = exactWidth(z[1], m.Parts[parts.Zeros].width(), s[1])
	}
	switch {
	case byRows:
		return bits, "gptq"
	case bits > 0 && exactWidth(q[1], width, s[1]) == bits:
		return bits, "awq"
	}
	return 0, ""
}

// exactWidth returns the width at which n values fill so many words, or 0 if it is not from 1 to 8 bits.
func exactWidth(words, width, n int64) int64 {
	all := clamp.Mul(words, width)
	if all%n != 0 || all/n > 8 {
		return 0
	}
	return all / n
}

// countRows counts weights that compressed-tensors packs row by row, into ceil(n·bits/32) words each.
func countRows(m *Module, c *Context) (Values, bool) {
	p := m.shape(parts.Packed)
	if len(p) == 0 {
		return Values{}, false
	}
	width := m.Parts[parts.Packed].width()
	rows, words := clamp.Product(p[:len(p)-1]), p[len(p)-1]
	bits := c.Width()
	if shape, ok := m.readShape(); ok {
		if v, ok := m.rowsOf(shape, rows, words, width, bits); ok {
			return v, true
		}
		m.Notes.AddModule("weight_shape of %s is %v, which does not fit its packed rows of %d words",
			wording.Quote(m.Name), shape, words)
	}
	if index := m.shape(parts.GroupIndex); len(index) == 1 {
		if v, ok := m.rowsOf([]int64{rows, index[0]}, rows, words, width, bits); ok {
			return v, true
		}
	}
	low, high := bits, bits
	why := "weight_shape was not read, so the last word of each row may be partly empty"
	if bits == 0 || bits > 8 {
		low, high = c.LeastBits(1), c.MostBits(8)
		why = "weight_shape was not read, and the configuration does not say how many bits a value has"
		bits = 0
	}
	return Values{
		// The lower bound is one value in the last word, at the greatest width.
		N: Range{clamp.Mul(rows, clamp.Add(clamp.MulDiv(max(words-1, 0), width, high), min(words, 1))),
			clamp.Mul(rows, clamp.MulDiv(words, width, low))},
		Bits: bits, Why: why,
	}, true
}

// rowsOf counts the values of a weight with the given shape, if its rows fill so many words.
func (m *Module) rowsOf(shape []int64, rows, words, width, said int64) (Values, bool) {
	if len(shape) == 0 || clamp.Product(shape[:len(shape)-1]) != rows {
		return Values{}, false
	}
	n := shape[len(shape)-1]
	for bits := int64(1); bits <= 8; bits++ {
		if (said == 0 || said == bits) && clamp.CeilDiv(clamp.Mul(n, bits), width) == words {
			v := Values{N: exactly(clamp.Product(shape)), Bits: bits}
			if said == 0 && n > 0 && clamp.CeilDiv(clamp.Mul(n, bits+1), width) == words {
				v.Bits = 0 // too few values to tell
			}
			return v, true
		}
	}
	return Values{}, false
}
