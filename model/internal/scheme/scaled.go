// Scaled: weights under their own name, with scales.

package scheme

import (
	"cmp"
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// countFP8 counts floats of 8 bits. Scales are for the whole weight, for rows, or for tiles.
func countFP8(m *Module, c *Context) (Values, bool) {
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scale)
	if len(w) == 2 && len(s) == 4 && s[1] == 1 && s[3] == 1 { // ModelOpt: [out/128, 1, in/128, 1]
		s = []int64{s[0], s[2]}
	}
	v := one(t, "")
	if n, ok := perScale(w, s); ok && n == 32 && m.is(parts.Scale, parts.U8|parts.Scale8) {
		v.Name = "mxfp8"
		return v, true
	}
	tiled := len(c.Tile) == 2 && len(w) >= 2 && len(s) == len(w) && clamp.Product(s) > 1
	if tiled {
		last := len(w) - 1
		if s[last] == clamp.CeilDiv(w[last], c.Tile[1]) {
			switch least := clamp.CeilDiv(w[last-1], c.Tile[0]); {
			case s[last-1] == least, isFused(m.Name) && s[last-1] > least && s[last-1] <= least+2:
				return v, true
			case s[last-1] > least && s[last-1] <= least+2 && least > 1:
				return unproven(t, "", "there are more scales than tiles of the configured size"), true
			}
		}
	}
	if !isScaled(w, s) {
		if len(w) == 2 && len(s) == 2 && !(isDivided(w[0], s[0]) && isDivided(w[1], s[1])) {
			return broken(t, "", "the shape %s cannot be divided into equal tiles for the scales %s", shapeOf(t),
				shapeOf(m.Parts[parts.Scale])), true
		}
		return unproven(t, "", "the shape of the scales fits no known format"), true
	}
	if tiled && len(w) == 2 {
		v.Conflict = found("the shape %s makes %d by %d tiles of the configured %d by %d, but the scales are %s", shapeOf(t),
			clamp.CeilDiv(w[0], c.Tile[0]), clamp.CeilDiv(w[1], c.Tile[1]), c.Tile[0], c.Tile[1],
			shapeOf(m.Parts[parts.Scale]))
		return v.unless(t, v.Conflict.Text), true
	}
	return v, true
}

// isFused reports whether a module combines the outputs of several, each of which ends with a partial tile.
func isFused(module string) bool {
	last := parts.Last(module)
	return strings.Contains(last, "qkv") || strings.Contains(last, "gate_up")
}

// isDivided reports whether n rows or columns can be divided into so many tiles of one size. The last tile may be
// smaller.
func isDivided(n, tiles int64) bool {
	return tiles > 0 && tiles <= n && clamp.CeilDiv(n, clamp.CeilDiv(n, tiles)) == tiles
}

// countScaled counts bytes with scales. Each byte may hold one value or several. The number of bytes for each scale
// shows which it is, because each format has a fixed number of values per scale.
func countScaled(m *Module, c *Context) (Values, bool) {
	t := m.Parts[parts.Weight]
	if v, ok := m.blocked(t, parts.Scale, false); ok {
		said := config.WidthIn(cmp.Or(c.Format, c.Algorithm))
		if m.routed() && c.ExpertBits > 0 {
			said = c.ExpertBits
		}
		return v.agreeing(t, said), true
	}
	if m.is(parts.Scale, parts.Float) {
		return m.countFloatScaled(c)
	}
	w, s := m.shape(parts.Weight), m.shape(parts.Scale)
	n, ok := perScale(w, s)
	switch said := ok && clamp.Mul(n, 2) == c.Group; {
	case m.is(parts.Scale, parts.Float8) && (said || isSwizzled(w, s, 16)):
		return twice(t, "nvfp4"), true // in groups of another size than usual, or laid out for matrix units
	case m.is(parts.Scale, parts.Float8) && ok && n == 16 && strings.EqualFold(c.Algorithm, "w4a8_nvfp4_fp8"):
		return twice(t, "nvfp4 w4a8"), true // ModelOpt, in groups of 32
	case said && c.Width() == 4: // Quark has scales of other kinds
		return twice(t, "fp4"), true
	}
	if m.is(parts.Scale, parts.Float8) && m.has(parts.Scale2) && len(w) == 2 && len(s) == 2 && s[1] > 1 {
		return broken(t, "nvfp4", "the %d inputs make no groups of 16 or 32 for the scales %s", clamp.Mul(w[1], 2),
			shapeOf(m.Parts[parts.Scale])), true
	}
	return unproven(t, "", "the shape of the scales does not show whether a byte has one value or two"), true
}

// countFloatScaled counts bytes whose scales are floats of 16 bits or more.
//
//	int8, compressed-tensors    weight I8 [out, in], in any width   scale: one, [out, 1] or [out, groups]
//	int4 AWQ, ModelOpt          weight U8 [out/2, in]               scale [out, groups]
//	W4A8, W4A16, msmodelslim    weight I8 [out/2, in]               scale [out, groups]   weight_offset
//	W4A16, msmodelslim          weight I8 [out, in/2]               scale [out, 1]        weight_offset
//	int2, Quark                 weight U8 [in, out/4]               scale [groups, out]
//	int3, Quark                 weight U8 [out, in·3/8]             scale [out]
//	bitnet                      weight U8 [out/4, in]               scale: one
func (m *Module) countFloatScaled(c *Context) (Values, bool) {
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scale)
	if c.Method == "quark" && t.Kinds == parts.U8 {
		return m.countQuarkBytes(c), true
	}
	if c.Method == "bitnet" && t.Kinds == parts.U8 && clamp.Product(s) == 1 {
		return Values{N: exactly(clamp.Mul(t.NumElems(), 4)), Bits: 2, Name: "bitnet", In: m.lastOf(parts.Weight)}, true
	}
	if halved(w, s) && (t.Kinds == parts.U8 || m.has(parts.WeightOffset) || c.ascendWidth(t) == 4) {
		return m.countHalved(c), true
	}
	if v, ok := countExperts(m, c); ok {
		return v, true
	}
	switch said := c.ascendWidth(t); {
	case t.Kinds != parts.I8 || !isScaled(w, s):
	case said == 4 && m.has(parts.WeightOffset) && m.packsColumns(c):
		return twice(t, "ascend int4"), true
	case said > 0, c.Method == "compressed-tensors", c.LeastBits(8) >= 8:
		v := one(t, "int8") // because no narrower width is configured, or by definition of int-quantized
		v.In = m.lastOf(parts.Weight)
		if said := c.Width(); said > 0 && said < 8 {
			v.Bits, v.Name = said, "int-quantized"
		}
		if len(w) == 2 && len(s) == 2 && s[1] > 1 {
			why, conflict := c.groups(w[1], s[1])
			v.Conflict = conflict
			return v.unless(t, why), true
		}
		return v, true
	}
	if t.Kinds == parts.U8 && clamp.Product(s) == 1 { // like BitNet's
		return unproven(t, "", "it is unknown whether a byte has one value, two or four"), true
	}
	v := unproven(t, "", "it is unknown whether a byte has one value or two")
	v.N.High = clamp.Mul(t.bytes(), 2)
	return v, true
}

// halved reports whether there are twice as many rows of scales as rows of bytes.
func halved(w, s []int64) bool {
	last := len(w) - 1
	if last < 1 || len(s) != len(w) || clamp.Mul(w[last-1], 2) != s[last-1] {
		return false
	}
	return clamp.Product(w[:last-1]) == clamp.Product(s[:last-1])
}

// countHalved counts weights packed along their rows, with scales for each of the original rows.
func (m *Module) countHalved(c *Context) Values {
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scale)
	v := twice(t, "int4")
	v.In = m.lastOf(parts.Weight)
	if t.Kinds == parts.I8 {
		v.Name = "ascend int4"
	}
	why, conflict := c.groups(w[len(w)-1], s[len(s)-1])
	if s[len(s)-1] == 1 && t.Kinds == parts.I8 {
		why, conflict = "", Finding{}
	}
	if said := c.ascendWidth(t); said > 0 && said != 4 {
		conflict = found("the description says %d bits, but the shapes prove 4", said)
		why = conflict.Text
	}
	v.Conflict = conflict
	return v.unless(t, why)
}

// packsColumns reports whether msmodelslim packed the inputs of a weight with 4 bits: in W4A16 with one scale for each
// output. Other kinds with 4 bits and as many rows as scales have one value in each byte.
func (m *Module) packsColumns(c *Context) bool {
	kind, _ := c.Description.Root[m.Parts[parts.Weight].Info.Name].Str()
	return kind == "W4A16"
}

// ascendWidth returns the width that msmodelslim's description has for a weight, or 0.
func (c *Context) ascendWidth(t *Tensor) int64 { return c.Ascend[t.Info.Name] }

// countAscend counts integers of 8 bits for which only the scale of the outputs is stored.
//
//	weight I8 [out, in]   deq_scale F32 or I64 [out]   quant_bias I32 [out]   input_scale, input_offset
func countAscend(m *Module, _ *Context) (Values, bool) {
	t, w := m.Parts[parts.Weight], m.shape(parts.Weight)
	if s := m.shape(parts.OutputScale); len(w) != 2 || len(s) != 1 || s[0] != w[0] {
		return unproven(t, "", "there is no scale for each output"), true
	}
	if m.is(parts.Scale, parts.Float) && !isScaled(w, m.shape(parts.Scale)) {
		return unproven(t, "", "the shape of the scales fits no known format"), true
	}
	v := one(t, "int8")
	v.In = w[1]
	return v, true
}

// countQuark counts integers of 4 bits that AMD Quark packs in words: along the outputs if there are groups.
//
//	per group     weight I32 [in, out/8]   scale [groups, out]   zero_point I32 [groups, out/8]
//	per channel   weight I32 [out, in/8]   scale [out]
//	per tensor    weight I32 [out, in/8]   scale []
func countQuark(m *Module, c *Context) (Values, bool) {
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scale)
	if c.Method != "quark" || len(w) != 2 {
		return Values{}, false
	}
	v := Values{N: exactly(clamp.Mul(t.NumElems(), 8)), Bits: 4}
	switch {
	case len(s) == 2 && s[1] == clamp.Mul(w[1], 8):
		v.In = w[0]
		why, conflict := c.groups(w[0], s[0])
		v.Conflict = conflict
		return v.unless(t, why), true
	case len(s) == 1 && s[0] == w[0], clamp.Product(s) == 1:
		return v, true
	}
	return unproven(t, "", "the shape of the scales does not prove that a value has 4 bits"), true
}

// countQuarkBytes counts integers of 2, 3 and 8 bits that AMD Quark packs in bytes.
func (m *Module) countQuarkBytes(c *Context) Values {
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scale)
	bits := c.Width()
	v := Values{N: exactly(clamp.MulDiv(t.bytes(), 8, max(bits, 1))), Bits: bits, Name: "quark"}
	grouped := len(w) == 2 && len(s) == 2 && clamp.MulDiv(w[1], 8, max(bits, 1)) == s[1]
	switch {
	case bits != 2 && bits != 3 && bits != 8 || len(w) != 2 || bits == 3 && w[1]%3 != 0:
	case grouped && bits != 3:
		why, conflict := c.groups(w[0], s[0])
		v.Conflict = conflict
		return v.unless(t, why)
	case len(s) == 1 && s[0] == w[0], clamp.Product(s) == 1,
		len(s) == 2 && s[0] == w[0] && isGrouped(clamp.MulDiv(w[1], 8, bits), s[1]):
		return v
	}
	return unproven(t, "quark", "the shape of the scales does not prove how many bits a value has")
}

// countEETQ counts bytes with a scale for each column.
func countEETQ(m *Module, _ *Context) (Values, bool) {
	return m.bytesByLine(parts.Scales, 1, "there is no scale for each column"), true
}

// countExperts counts routed experts with fewer bits than the rest of a model. Scales have to fit.
func countExperts(m *Module, c *Context) (Values, bool) {
	if c.ExpertBits != 4 && c.ExpertBits != 8 || !m.routed() || m.has(parts.Scale) {
		return Values{}, false
	}
	if c.ExpertBits == 4 {
		return twice(m.Parts[parts.Weight], "fp4"), true
	}
	return one(m.Parts[parts.Weight], ""), true
}
