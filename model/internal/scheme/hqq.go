// HQQ and SINQ: values packed along the first dimension of groups.

package scheme

import (
	"cmp"
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// countHQQ counts bytes that are packed along the first dimension, or words with ten values of three bits. Rows
// are groups, so the shapes do not show the shape of the weight; but there is a scale for each group.
//
//	W_q U8 [groups·bits/8, group] or [group·bits/8, groups]   scale, zero [groups, 1] or [1, groups]
//	shape I64 [2]   nbits I32 []
//
// SINQ has its scales in "meta.scale", [groups, 1] or [tiles, group, 1], or in "meta.scale.x", which are quantized. It
// also has words with six values of 5 bits or five values of 6 bits.
func countHQQ(m *Module, c *Context) (Values, bool) {
	t, w, s := m.Parts[parts.HQQWeight], m.shape(parts.HQQWeight), m.shape(parts.Scale)
	v, exact := m.groupsOfHQQ(c, w, s)
	if shape, ok := m.readShape(); ok {
		n := clamp.Product(shape)
		switch {
		case exact && n != v.N.Low, n <= 0 || n > clamp.Mul(t.bytes(), 8):
			return unproven(t, "", "shape does not fit the scales"), true
		case exact:
			return v, true
		case c.isPackedHQQ(t, n):
			// Words are padded, so they can have more bits than the values.
			return Values{N: exactly(n), Bits: min(cmp.Or(c.Width(), clamp.Mul(t.bytes(), 8)/n), 8)}, true
		}
		return unproven(t, "", "shape does not fit the packed values"), true
	}
	if exact {
		return v, true
	}
	return m.unreadHQQ(c), true
}

// perElement are the numbers of values that bytes and words can have.
func perElement(t *Tensor) []int64 {
	if t.Kinds == parts.Int32 {
		return []int64{10, 6, 5} // 3, 5 and 6 bits
	}
	return []int64{1, 2, 4, 8}
}

// groupsOfHQQ counts values by the scales, if groups are rows: each row that is unpacked has one.
func (m *Module) groupsOfHQQ(c *Context, w, s []int64) (v Values, ok bool) {
	t, groups := m.Parts[parts.HQQWeight], clamp.Product(s)
	if len(w) != 2 || t.Kinds&(parts.U8|parts.Int32) == 0 || len(s) < 2 || w[1]%8 != 0 || c.Group > 0 && c.Group != w[1] {
		return Values{}, false
	}
	if z := m.shape(parts.Zeros); m.is(parts.Zeros, parts.Float) && m.is(parts.Scale, parts.Float) && !slices.Equal(z, s) {
		return Values{}, false
	}
	for _, n := range perElement(t) {
		rows, said := clamp.Mul(w[0], n), c.Width()
		if bits := t.width() / n; said > 0 && bits != said && (bits != 8 || said < 5) {
			continue
		}
		// Words are filled with zeros; bytes never are.
		if rows == groups || t.Kinds == parts.Int32 && rows > groups && rows < clamp.Add(groups, n) {
			return Values{N: exactly(clamp.Mul(groups, w[1])), Bits: t.width() / n}, true
		}
	}
	return Values{}, false
}

// isPackedHQQ reports whether n values fill the bytes or words, at a width that the configuration allows.
func (c *Context) isPackedHQQ(t *Tensor, n int64) bool {
	padding := int64(0)
	if s := t.Info.Shape; t.Kinds == parts.Int32 && len(s) > 1 {
		padding = clamp.Product(s[1:])
	}
	for _, per := range perElement(t) {
		all := clamp.Mul(t.NumElems(), per)
		if n == all || n < all && n > all-clamp.Mul(per, padding) {
			return true
		}
	}
	return t.Kinds&(parts.U8|parts.Int32) == 0 && n <= clamp.Mul(t.bytes(), 8) // stored as floats
}

// unreadHQQ counts values if neither shape was read nor the scales show their number.
func (m *Module) unreadHQQ(c *Context) Values {
	t := m.Parts[parts.HQQWeight]
	const why = "shape was not read"
	switch bits := c.Width(); {
	case t.Kinds == parts.Int32 && bits == 3: // the rows are padded to a multiple of ten
		padding := int64(0)
		if s := t.Info.Shape; len(s) > 0 {
			padding = clamp.Mul(clamp.Product(s[1:]), 9)
		}
		n := clamp.Mul(t.NumElems(), 10)
		return Values{N: Range{max(n-padding, 0), n}, Bits: 3, Why: why}
	case t.Kinds == parts.Int32:
		return Values{N: Range{clamp.Mul(t.NumElems(), 4), clamp.Mul(t.NumElems(), 10)},
			Why: why + ", and the configuration does not say how many bits a value has"}
	case m.isAcross(c, bits):
		return Values{N: exactly(clamp.Mul(t.bytes(), 8/bits)), Bits: bits}
	}
	return Values{N: Range{t.bytes(), clamp.Mul(t.bytes(), 8)},
		Why: why + ", and the scales do not show how many bits a value has"}
}

// isAcross reports whether groups of values with so many bits are columns, each with a scale.
func (m *Module) isAcross(c *Context, bits int64) bool {
	w, s := m.shape(parts.HQQWeight), m.shape(parts.Scale)
	if bits != 1 && bits != 2 && bits != 4 && bits != 8 || len(w) != 2 || len(s) != 2 || s[0] != 1 || s[1] != w[1] {
		return false
	}
	group := clamp.Mul(w[0], 8/bits)
	return c.Group == 0 && isGrouped(clamp.Mul(group, 2), 2) || c.Group == group
}
