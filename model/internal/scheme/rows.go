// Rows: what compressed-tensors packs, row by row.

package scheme

import (
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// countRows counts integers that compressed-tensors packs row by row, into ceil(n·bits/32) words each.
//
//	weight_packed I32 [out, words]   weight_scale [out, groups]   weight_shape I64 [2]   weight_g_idx I32 [in]
//	weight_zero_point I32 [out·bits/32, groups]
func countRows(m *Module, c *Context) (Values, bool) {
	t, p := m.Parts[parts.Packed], m.shape(parts.Packed)
	if len(p) == 0 {
		return Values{}, false
	}
	const name = "compressed-tensors"
	rows, words := clamp.Product(p[:len(p)-1]), p[len(p)-1]
	s := m.shape(parts.Scale)
	groups := int64(1)
	if len(s) == len(p) && len(s) > 1 {
		if outs := clamp.Product(s[:len(s)-1]); outs != rows && outs != 1 {
			return broken(t, name, "the shape %s and the scales %s differ in rows", shapeOf(t),
				shapeOf(m.Parts[parts.Scale])), true
		}
		groups = s[len(s)-1]
	}
	shape, read := m.readShape()
	if !read {
		if index := m.shape(parts.GroupIndex); len(index) == 1 {
			shape = []int64{rows, index[0]}
		}
	}
	if shape == nil {
		return m.unreadRows(c, rows, words, groups), true
	}
	bits := m.rowWidths(c, shape, rows, words)
	if len(bits) == 0 {
		v := m.unreadRows(c, rows, words, groups)
		v.Fault = found("weight_shape is %v, which does not fit the packed rows of %d words", shape, words)
		if !read {
			v.Fault = found("g_idx has %d inputs, which do not fit the packed rows of %d words", shape[1], words)
		}
		v.Why = v.Fault.Text
		return v, true
	}
	v := Values{N: exactly(clamp.Product(shape)), Name: name}
	v.Bits, _ = c.choose(bits) // several widths may fit a few values
	why, conflict := c.groups(shape[len(shape)-1], groups)
	if groups == 1 {
		why, conflict = "", Finding{} // one scale for each output
	}
	v.Conflict = conflict
	return v.unless(t, why), true
}

// rowWidths returns the widths at which the values of a weight with the given shape fill so many words in each row.
// Old versions put a whole number of values in each word.
func (m *Module) rowWidths(c *Context, shape []int64, rows, words int64) (fit []int64) {
	width := m.Parts[parts.Packed].width()
	if len(shape) < 2 || clamp.Product(shape[:len(shape)-1]) != rows {
		return nil
	}
	n, zeros := shape[len(shape)-1], m.shape(parts.Zeros)
	for bits := c.LeastBits(1); bits <= c.MostBits(8); bits++ {
		if len(c.Bits) > 0 && !slices.Contains(c.Bits, bits) {
			continue
		}
		if clamp.CeilDiv(clamp.Mul(n, bits), width) != words && clamp.CeilDiv(n, width/bits) != words {
			continue
		}
		if len(zeros) == 2 && m.is(parts.Zeros, parts.Int32) && clamp.CeilDiv(clamp.Mul(rows, bits), width) != zeros[0] &&
			clamp.CeilDiv(rows, width/bits) != zeros[0] {
			continue
		}
		fit = append(fit, bits)
	}
	return fit
}

// unreadRows counts rows if weight_shape was not read.
func (m *Module) unreadRows(c *Context, rows, words, groups int64) Values {
	width, bits := m.Parts[parts.Packed].width(), c.Width()
	v := Values{Bits: bits, Name: "compressed-tensors",
		Why: "weight_shape was not read, so the last word of each row may be partly empty"}
	low, high := bits, bits
	if bits == 0 || bits > 8 {
		low, high, v.Bits = c.LeastBits(1), c.MostBits(8), 0
		v.Why = "weight_shape was not read, and the configuration does not say how many bits a value has"
	} else if c.Group > 0 && groups > 1 && width%bits == 0 { // versions differ in how they pack other widths
		_, v.Conflict = c.groups(clamp.Mul(words, width/bits), groups)
	}
	v.N = Range{ // at least one value in the last word, at the greatest width
		clamp.Mul(rows, clamp.Add(clamp.MulDiv(max(words-1, 0), width, high), min(words, 1))),
		clamp.Mul(rows, clamp.MulDiv(words, width, low)),
	}
	return v
}

// countMarlin24 counts words with half of the values, as used by Marlin's kernel for 2:4 sparsity. Two bits for
// each stored value are its position: an I16 describes 16 values.
//
//	weight_packed I32 [in/32, out·16·bits/32]   meta I16 [in/32, out·2]   scale_packed [groups, out]
func countMarlin24(m *Module, c *Context) (Values, bool) {
	t, w, d, s := m.Parts[parts.Packed], m.shape(parts.Packed), m.shape(parts.Sparsity), m.shape(parts.Scale)
	if !m.is(parts.Sparsity, parts.Int16) {
		return Values{}, false
	}
	if len(w) != 2 || len(d) != 2 || len(s) != 2 || w[0] != d[0] || d[1] != clamp.Mul(s[1], 2) ||
		exactWidth(w[1], 32, clamp.Mul(s[1], 16)) == 0 {
		return unproven(t, "", "the shapes of meta and of the scales do not fit each other"), true
	}
	in := clamp.Mul(w[0], 32)
	v := Values{N: exactly(clamp.Mul(in, s[1])), Bits: exactWidth(w[1], 32, clamp.Mul(s[1], 16)), In: in}
	why, conflict := c.groups(in, s[0])
	if said := c.Width(); said > 0 && said != v.Bits {
		conflict = found("the configuration says %d bits, but the shapes prove %d", said, v.Bits)
		why = conflict.Text
	}
	v.Conflict = conflict
	return v.unless(t, why), true
}
