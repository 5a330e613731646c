// Blocks: values of four and eight bits that share a scale.

package scheme

import (
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
// distinguishes an odd n from the next even number.
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

// countBlocks counts the blocks of gpt-oss: 16 bytes in the last dimension, and a scale for each block.
//
//	experts.gate_up_proj_blocks U8 [experts, out, in/32, 16]   ..._scales U8 [experts, out, in/32]
func countBlocks(m *Module, _ *Context) (Values, bool) {
	b, s := m.shape(parts.Blocks), m.shape(parts.Scales)
	if len(b) < 2 || b[len(b)-1] != 16 || clamp.Product(s) != clamp.Product(b[:len(b)-1]) {
		return Values{}, false
	}
	return twice(m.Parts[parts.Blocks], "mxfp4"), true
}

// countFP4 counts floats of 4 or 6 bits in "weight_packed". NVIDIA's scales are floats, and the scales of the OCP
// formats are powers of two.
func countFP4(m *Module, c *Context) (Values, bool) {
	w, s := m.shape(parts.Packed), m.shape(parts.Scale)
	switch {
	case m.is(parts.Scale, parts.Scale8|parts.U8) && len(w) == 2 && len(s) == 2 && s[1] > 0 &&
		clamp.Mul(w[1], 8) == clamp.Mul(s[1], 6*32):
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

// countFPQuant counts floats of 4 bits in qweight. GPTQ uses the same name for integers.
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

// countScaled counts bytes with scales. Each byte may hold two values. The last dimensions show which it is,
// because each format has a fixed number of values per scale.
//
//	nvfp4   weight U8 [out, in/2]         scale F8_E4M3 [out, in/16]
//	mxfp4   weight U8 or I8 [out, in/2]   scale F8_E8M0 or U8 [out, in/32]
//	mxfp8   weight U8 [out, in]           scale U8 [out, in/32]
//
// These shapes are distinct unless in is zero.
func countScaled(m *Module, c *Context) (Values, bool) {
	e := m.Parts[parts.Weight]
	w, s := m.shape(parts.Weight), m.shape(parts.Scale)
	if m.is(parts.Scale, parts.Float) {
		return m.countFloatScaled(c)
	}
	if len(w) >= 2 && len(s) >= 2 {
		row, perRow := w[len(w)-1], s[len(s)-1]
		switch {
		case clamp.Mul(perRow, 16) == clamp.Mul(row, 2),
			m.is(parts.Scale, parts.Float8) && m.stored(parts.Scale) == swizzled(w):
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
		Why: "the shape of the scales does not show whether a byte has one value or two",
	}, true
}

// swizzled returns the number of scales of an nvfp4 weight in the layout for matrix units: padded tiles of 128
// rows and 4 columns. ComfyUI stores scales in this layout.
func swizzled(w []int64) int64 {
	rows, columns := clamp.Product(w[:len(w)-1]), clamp.CeilDiv(clamp.Mul(w[len(w)-1], 2), 16)
	return clamp.Mul(clamp.Mul(clamp.CeilDiv(rows, 128), 128), clamp.Mul(clamp.CeilDiv(columns, 4), 4))
}

// countFloatScaled counts bytes whose scales are floats of 16 bits or more. Usually a byte holds one value, and
// more in formats that the configuration or the shapes identify.
func (m *Module) countFloatScaled(c *Context) (Values, bool) {
	e := m.Parts[parts.Weight]
	w, s := m.shape(parts.Weight), m.shape(parts.Scale)
	switch {
	case c.Method == "bitnet" && e.Kinds == parts.U8:
		// transformers, integrations/bitnet.py: ternary values, four to a byte.
		return Values{N: exactly(clamp.Mul(e.NumElems(), 4)), Bits: 2, Name: "bitnet"}, true
	case e.Kinds == parts.U8 && len(w) == 2 && len(s) == 2 && s[0] == clamp.Mul(w[0], 2):
		// ModelOpt, INT4 AWQ: packed along rows, with a scale for each original row.
		return twice(e, "int4"), true
	case e.Kinds == parts.I8 && c.LeastBits(8) >= 8: // no narrower width is configured
		v := one(e)
		v.Name = "int8"
		return v, true
	}
	if v, ok := countExperts(m, c); ok {
		return v, true
	}
	v := Values{N: Range{e.NumElems(), clamp.Mul(e.NumElems(), 2)},
		Why: "it is unknown whether a byte has one value or two"}
	if e.Kinds == parts.U8 && m.stored(parts.Scale) <= 1 { // like BitNet's
		v.N.High, v.Why = clamp.Mul(e.NumElems(), 4), "it is unknown whether a byte has one value, two or four"
	}
	return v, true
}

// countExperts counts routed experts with fewer bits than the rest of a model.
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

// countComfy counts weights whose format ComfyUI names, in a tensor of the module or in the metadata of the file.
// nvfp4 pads rows and columns to a multiple of 16. Padding is counted, because nothing shows it.
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
		return Values{}, false // not ComfyUI's, or the scales show the format
	}
	return Values{
		N:   Range{e.NumElems(), clamp.Mul(e.NumElems(), 2)},
		Why: "comfy_quant was not read or names an unknown format",
	}, true
}
