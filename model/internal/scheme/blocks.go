// Blocks: values of four and six bits that share a scale.

package scheme

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// countBnB4 counts weights packed by bitsandbytes: all values in a row, two to a byte. The bytes may be stored
// in any dtype, which some trainers need.
//
//	weight U8 [ceil(n/2), 1]   weight.absmax [ceil(n/64)]   weight.quant_map F32 [16]
//	weight.quant_state.bitsandbytes__nf4 U8 [bytes of JSON]
//
// absmax may itself be packed. Then it is U8, and has nested_absmax and nested_quant_map. None of these shapes
// distinguishes an odd n from the next even number. A block has 32 values or more, a power of two.
func countBnB4(m *Module, _ *Context) (Values, bool) {
	t := m.Parts[parts.Weight]
	v := Values{
		N: Range{max(clamp.Mul(t.bytes(), 2)-1, 0), clamp.Mul(t.bytes(), 2)}, Bits: 4,
		Why: "quant_state was not read, so the last byte may have one value or two",
	}
	if m.has(parts.QuantState) { // its name is "x.weight.quant_state.bitsandbytes__nf4"
		_, kind, _ := strings.Cut(m.Parts[parts.QuantState].Info.Name, "bitsandbytes__")
		if kind == "nf4" || kind == "fp4" {
			v.Name = "bitsandbytes " + kind
		}
	}
	state, _ := jsonscan.Parse(m.text(parts.QuantState))
	block, said := state.Get("blocksize").Int()
	blocks, fits := m.stored(parts.Absmax), false
	for size := int64(32); size <= 4096; size *= 2 {
		fits = fits || (!said || size == block) && clamp.CeilDiv(v.N.High, size) == blocks
	}
	if !fits && t.NumElems() > 0 {
		return broken(t, v.Name, "the %d numbers make no blocks of 32 to 4096 for %d scales", v.N.High, blocks), true
	}
	if nested := m.shape(parts.NestedAbsmax); len(nested) == 1 && !isNested(blocks, nested[0]) {
		return unproven(t, v.Name, "the number of nested scales fits no usual block size"), true
	}
	shape, ok := dimsOf(state.Get("shape"))
	switch n := clamp.Product(shape); {
	case ok && n >= v.N.Low && n <= v.N.High:
		v.N, v.Why = exactly(n), ""
	case ok:
		v.Fault = found("quant_state has the shape %v, which does not fit %d bytes", shape, t.bytes())
		v.Why = v.Fault.Text
	}
	return v, true
}

// isNested reports whether so many scales make so many blocks, of 32 to 4096 each.
func isNested(scales, blocks int64) bool {
	for size := int64(32); size <= 4096; size *= 2 {
		if clamp.CeilDiv(scales, size) == blocks {
			return true
		}
	}
	return false
}

// countBnB8 counts weights of bitsandbytes with a scale for each row.
func countBnB8(m *Module, _ *Context) (Values, bool) {
	return m.bytesByLine(parts.ColumnMax, 0, "there is no scale for each row"), true
}

// bytesByLine counts a matrix of bytes that has a scale for each line along a dimension: 0 for rows, 1 for columns.
func (m *Module) bytesByLine(scales parts.Role, along int, otherwise string) Values {
	t, w := m.Parts[parts.Weight], m.shape(parts.Weight)
	v := one(t, "")
	if len(w) != 2 || m.stored(scales) != w[along] {
		return v.unless(t, otherwise)
	}
	v.In = w[1-along]
	return v
}

// countBlocks counts the blocks of gpt-oss: 16 bytes in the last dimension, and a scale for each block.
//
//	experts.gate_up_proj_blocks U8 [experts, out, in/32, 16]   ..._scales U8 [experts, out, in/32]
func countBlocks(m *Module, _ *Context) (Values, bool) {
	t, b, s := m.Parts[parts.Blocks], m.shape(parts.Blocks), m.shape(parts.Scales)
	switch {
	case len(b) < 2:
		return Values{}, false
	case !slices.Equal(s, b[:len(b)-1]):
		return broken(t, "", "the blocks %s need one scale each, but the scales are %s", shapeOf(t),
			shapeOf(m.Parts[parts.Scales])), true
	case b[len(b)-1] != 16:
		return unproven(t, "", "a block has not 16 bytes"), true
	}
	return twice(t, "mxfp4"), true
}

// blockFormats are the formats whose values share a scale, by the dtypes of the scales.
//
//	nvfp4   [out, in/2]     scales F8_E4M3 [out, in/16]
//	mxfp4   [out, in/2]     scales U8 or F8_E8M0 [out, in/32]
//	mxfp6   [out, in·3/4]   scales U8 or F8_E8M0 [out, in/32]
//	mxfp8   [out, in]       scales U8 or F8_E8M0 [out, in/32]
var blockFormats = []struct {
	name           string
	scales         parts.Kinds
	bytes, bits, n int64 // bytes for each scale, bits of a value, values for each scale
}{
	{"nvfp4", parts.Float8, 8, 4, 16},
	{"mxfp4", parts.U8 | parts.Scale8, 16, 4, 32},
	{"mxfp6", parts.U8 | parts.Scale8, 24, 6, 32},
	{"mxfp8", parts.U8 | parts.Scale8, 32, 8, 32},
}

// blocked counts bytes by the number of them that share a scale. Formats are also known by the dtype of their scales,
// unless anyDtype is set.
func (m *Module) blocked(t *Tensor, scales parts.Role, anyDtype bool) (Values, bool) {
	n, ok := perScale(t.Info.Shape, m.shape(scales))
	if !ok || !m.isOne(parts.Scale2, t.Info.Shape) || !m.isOne(parts.GlobalScale, t.Info.Shape) {
		return Values{}, false
	}
	for _, f := range blockFormats {
		if n == f.bytes && (anyDtype || m.is(scales, f.scales)) {
			return Values{N: exactly(clamp.MulDiv(t.bytes(), 8, f.bits)), Bits: f.bits, Name: f.name}, true
		}
	}
	return Values{}, false
}

// agreeing returns v, or a range if the configuration has another width.
func (v Values) agreeing(t *Tensor, said int64) Values {
	if said == 0 || said == v.Bits {
		return v
	}
	v.Conflict = found("the configuration says %d bits, but the shapes prove %d", said, v.Bits)
	return v.unless(t, v.Conflict.Text)
}

// isOne reports whether there is at most one scale of scales, or one for each expert.
func (m *Module) isOne(scale parts.Role, w []int64) bool {
	n := m.stored(scale)
	return n <= 1 || len(w) > 2 && n == clamp.Product(w[:len(w)-2])
}

// countFP4 counts floats of 4 or 6 bits in "weight_packed".
func countFP4(m *Module, c *Context) (Values, bool) {
	t, w, s := m.Parts[parts.Packed], m.shape(parts.Packed), m.shape(parts.Scale)
	if v, ok := m.blocked(t, parts.Scale, false); ok && v.Bits < 8 {
		return v.agreeing(t, config.WidthIn(c.Format)), true
	}
	narrow := config.WidthIn(c.Format) == 4
	if n, ok := perScale(w, s); ok && narrow && clamp.Mul(n, 2) == c.Group && m.isOne(parts.GlobalScale, w) {
		return twice(t, "fp4"), true
	}
	usual := m.is(parts.Scale, parts.Float8|parts.U8|parts.Scale8) && len(w) == 2 && len(s) == 2
	if usual && s[1] > 1 && !isSwizzled(w, s, 16) && !isSwizzled(w, s, 32) {
		if w[0] != s[0] {
			return broken(t, "", "the shape %s and the scales %s differ in rows", shapeOf(t),
				shapeOf(m.Parts[parts.Scale])), true
		}
		return broken(t, "", "the %d inputs make no groups of 16 or 32 for the scales %s", clamp.Mul(w[1], 2),
			shapeOf(m.Parts[parts.Scale])), true
	}
	return unproven(t, "", "the number of bytes for each scale fits no known format"), true
}

// countFPQuant counts floats of 4 bits in qweight. GPTQ uses the same name for integers.
//
//	nvfp4   qweight U8 [out, in/2]   scales U8 [out, in/16]
//	mxfp4   qweight U8 [out, in/2]   scales U8 [out, in/32]
func countFPQuant(m *Module, _ *Context) (Values, bool) {
	if !m.is(parts.Scales, parts.Int8|parts.Float8|parts.Scale8) {
		return Values{}, false
	}
	t := m.Parts[parts.QWeight]
	if v, ok := m.blocked(t, parts.Scales, true); ok && v.Bits == 4 {
		return v, true
	}
	return unproven(t, "", "the number of bytes for each scale fits no known format"), true
}

// countSVDQuant counts 4-bit integers and floats of Nunchaku. The low-rank matrices correct the weight, so they are not
// counted in addition.
//
//	W4A4, int4    qweight I8 [out, in/2]       wscales [in/64, out]            proj_down [in, rank]   proj_up [out, rank]
//	W4A4, nvfp4   qweight I8 [out, in/2]       wscales F8_E4M3 [in/16, out]    the same, and wtscale, wcscales
//	W4A16         qweight I32 [out/4, in/2]    wscales, wzeros [in/64, out]
func countSVDQuant(m *Module, _ *Context) (Values, bool) {
	t, q, s := m.Parts[parts.QWeight], m.shape(parts.QWeight), m.shape(parts.WScales)
	if len(q) == 2 && len(s) == 2 {
		out, in, group := q[0], clamp.Mul(q[1], 2), int64(64)
		if t.Kinds == parts.Int32 {
			out = clamp.Mul(out, 4)
		}
		v := Values{N: exactly(clamp.Mul(out, in)), Bits: 4}
		if m.is(parts.WScales, parts.Float8) {
			group, v.Name = 16, "svdquant nvfp4"
		}
		if s[1] == out && clamp.Mul(s[0], group) == in {
			return v, true
		}
	}
	return unproven(t, "", "the shape of the scales does not prove that a value has 4 bits"), true
}
