// Blocks: values of four and eight bits that share a scale.

package scheme

import (
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// countBnB4 counts what bitsandbytes packs: all values of a weight in a row, two to
// a byte. The bytes may be kept in any dtype, for the sake of training.
//
//	weight U8 [ceil(n/2), 1]   weight.absmax [ceil(n/64)]   weight.quant_map F32 [16]
//	weight.quant_state.bitsandbytes__nf4 U8 [bytes of JSON]
//
// absmax may be packed once more; then it is U8, and comes with nested_absmax and
// nested_quant_map. None of them tells an odd n from the even one above it.
func countBnB4(m *Module, _ *Context) (Values, bool) {
	e := m.Parts[parts.Weight]
	bytes := clamp.MulDiv(e.NumElems(), e.width(), 8)
	v := Values{
		N: Range{max(clamp.Mul(bytes, 2)-1, 0), clamp.Mul(bytes, 2)}, Bits: 4,
		Why: "quant_state was not read, so the last byte may have one value or two",
	}
	if m.has(parts.QuantState) { // its name is "x.weight.quant_state.bitsandbytes__nf4"
		_, kind, _ := strings.Cut(m.Parts[parts.QuantState].Info.Name, "bitsandbytes__")
		if kind == "nf4" || kind == "fp4" {
			v.Name = "bitsandbytes " + kind
		}
	}
	state, _ := jsonscan.Parse(m.text(parts.QuantState))
	shape, ok := dimsOf(state.Get("shape"))
	if n := clamp.Product(shape); ok && n >= v.N.Low && n <= v.N.High {
		v.N, v.Why = exactly(n), ""
	}
	return v, true
}

// countBlocks counts what gpt-oss has: blocks of 16 bytes in the last dimension, and
// scales of a shape without it.
//
//	experts.gate_up_proj_blocks U8 [experts, out, in/32, 16]   ..._scales U8 [experts, out, in/32]
func countBlocks(m *Module, _ *Context) (Values, bool) {
	b, s := m.shape(parts.Blocks), m.shape(parts.Scales)
	if len(b) < 2 || b[len(b)-1] != 16 || clamp.Product(s) != clamp.Product(b[:len(b)-1]) {
		return Values{}, false
	}
	return twice(m.Parts[parts.Blocks], "mxfp4"), true
}

// countFP4 counts floats of 4 bits in "weight_packed". Their scales tell which: those
// of NVIDIA are floats themselves, those of the OCP powers of two.
func countFP4(m *Module, c *Context) (Values, bool) {
	w, s := m.shape(parts.Packed), m.shape(parts.Scale)
	switch {
	case m.is(parts.Scale, parts.Scale8|parts.U8) && len(w) == 2 && len(s) == 2 && s[1] > 0 && clamp.Mul(w[1], 8) == clamp.Mul(s[1], 6*32):
		return Values{N: exactly(clamp.MulDiv(m.stored(parts.Packed), 8, 6)), Bits: 6, Name: "mxfp6"}, true
	case m.is(parts.Scale, parts.Float8):
		return twice(m.Parts[parts.Packed], "nvfp4"), true
	case m.is(parts.Scale, parts.Scale8|parts.U8):
		return twice(m.Parts[parts.Packed], "mxfp4"), true
	case config.WidthIn(c.Format) == 4:
		return twice(m.Parts[parts.Packed], "fp4"), true
	}
	return Values{}, false
}

// countFPQuant counts floats of 4 bits in qweight, which is what GPTQ calls its words.
//
//	nvfp4   qweight U8 [out, in/2]   scales U8 [out, in/16]
//	mxfp4   qweight U8 [out, in/2]   scales U8 [out, in/32]
func countFPQuant(m *Module, _ *Context) (Values, bool) {
	w, s := m.shape(parts.QWeight), m.shape(parts.Scales)
	if len(w) != 2 || len(s) != 2 || !m.is(parts.Scales, parts.Int8|parts.Float8|parts.Scale8) || w[0] != s[0] {
		return Values{}, false
	}
	switch clamp.Mul(w[1], 2) {
	case clamp.Mul(s[1], 16):
		return twice(m.Parts[parts.QWeight], "nvfp4"), true
	case clamp.Mul(s[1], 32):
		return twice(m.Parts[parts.QWeight], "mxfp4"), true
	}
	return Values{}, false
}

// countScaled counts bytes with scales, where the bytes may hold two values each. The
// last dimensions tell: a scale is for as many values as the format says.
//
//	nvfp4   weight U8 [out, in/2]         scale F8_E4M3 [out, in/16]
//	mxfp4   weight U8 or I8 [out, in/2]   scale F8_E8M0 or U8 [out, in/32]
//	mxfp8   weight U8 [out, in]           scale U8 [out, in/32]
//
// The three never look alike, as in is not zero.
func countScaled(m *Module, c *Context) (Values, bool) {
	e := m.Parts[parts.Weight]
	w, s := m.shape(parts.Weight), m.shape(parts.Scale)
	if m.is(parts.Scale, parts.Float) {
		return m.countFloatScaled(c)
	}
	if len(w) >= 2 && len(s) >= 2 {
		row, perRow := w[len(w)-1], s[len(s)-1]
		switch {
		case clamp.Mul(perRow, 16) == clamp.Mul(row, 2), m.is(parts.Scale, parts.Float8) && m.stored(parts.Scale) == swizzled(w):
			return twice(e, "nvfp4"), true
		case clamp.Mul(perRow, 32) == clamp.Mul(row, 2):
			return twice(e, "mxfp4"), true
		case clamp.Mul(perRow, 32) == row:
			v := one(e)
			v.Name = "mxfp8"
			return v, true
		}
	}
	if v, ok := countExperts(m, c); ok {
		return v, true
	}
	return Values{
		N:   Range{e.NumElems(), clamp.Mul(e.NumElems(), 2)},
		Why: "the shape of the scales does not tell whether a byte has one value or two",
	}, true
}

// swizzled returns how many scales a weight of nvfp4 has whose scales are laid out
// for matrix units: tiles of 128 rows and 4 columns, padded. ComfyUI keeps them so.
func swizzled(w []int64) int64 {
	rows, columns := clamp.Product(w[:len(w)-1]), clamp.CeilDiv(clamp.Mul(w[len(w)-1], 2), 16)
	return clamp.Mul(clamp.Mul(clamp.CeilDiv(rows, 128), 128), clamp.Mul(clamp.CeilDiv(columns, 4), 4))
}

// countFloatScaled counts bytes whose scales are floats of 16 bits or more: one
// value to a byte as a rule, and more in formats that the configuration names or
// the shape gives away.
func (m *Module) countFloatScaled(c *Context) (Values, bool) {
	e := m.Parts[parts.Weight]
	w, s := m.shape(parts.Weight), m.shape(parts.Scale)
	switch {
	case c.Method == "bitnet" && e.Kinds == parts.U8:
		// transformers, integrations/bitnet.py: ternary values, four to a byte.
		return Values{N: exactly(clamp.Mul(e.NumElems(), 4)), Bits: 2, Name: "bitnet"}, true
	case e.Kinds == parts.U8 && len(w) == 2 && len(s) == 2 && s[0] == clamp.Mul(w[0], 2):
		// ModelOpt, INT4 AWQ: packed along rows, with a scale for each row of old.
		return twice(e, "int4"), true
	case e.Kinds == parts.I8 && c.LeastBits(8) >= 8: // nothing says that it is narrower
		v := one(e)
		v.Name = "int8"
		return v, true
	}
	if v, ok := countExperts(m, c); ok {
		return v, true
	}
	v := Values{N: Range{e.NumElems(), clamp.Mul(e.NumElems(), 2)}, Why: "nothing tells whether a byte has one value or two"}
	if e.Kinds == parts.U8 && m.stored(parts.Scale) <= 1 { // as BitNet's is
		v.N.High, v.Why = clamp.Mul(e.NumElems(), 4), "nothing tells whether a byte has one value, two or four"
	}
	return v, true
}

// countExperts counts routed experts that are narrower than the rest of a model.
func countExperts(m *Module, c *Context) (Values, bool) {
	if c.ExpertBits == 0 || !m.routed() {
		return Values{}, false
	}
	if c.ExpertBits == 4 {
		return twice(m.Parts[parts.Weight], "fp4"), true
	}
	return one(m.Parts[parts.Weight]), c.ExpertBits == 8
}

// comfyBits are the widths of ComfyUI's formats.
var comfyBits = map[string]int64{
	"nvfp4": 4, "convrot_w4a4": 4, "awq_w4a16": 4, "svdquant_w4a4": 4, "asym_w4a8_int8": 4,
	"float8_e4m3fn": 8, "float8_e5m2": 8, "mxfp8": 8, "int8_tensorwise": 8, "int8_blockwise": 8,
}

// countComfy counts what ComfyUI names the format of: in a tensor beside the weight,
// or in the metadata of the file. Rows and columns that were padded to a multiple of
// 16, as nvfp4 needs, count as they are stored: nothing tells of it.
func countComfy(m *Module, c *Context) (Values, bool) {
	format, ok := c.Comfy[m.Name]
	if v, err := jsonscan.Parse(m.text(parts.Marker)); err == nil {
		format, ok = v.Get("format").Str()
	}
	e := m.Parts[parts.Weight]
	switch comfyBits[format] {
	case 4:
		return twice(e, format), true
	case 8:
		v := one(e)
		v.Name = format
		return v, true
	}
	if !ok && (!m.has(parts.Marker) || m.has(parts.Scale) && !m.is(parts.Scale, parts.Float)) {
		return Values{}, false // it is not ComfyUI's, or the scales tell
	}
	return Values{
		N:   Range{e.NumElems(), clamp.Mul(e.NumElems(), 2)},
		Why: "comfy_quant was not read, or names a format that is not known",
	}, true
}
