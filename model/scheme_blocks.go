// Blocks: values of four and eight bits that share a scale.

package model

import (
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// countBnB4 counts what bitsandbytes packs: all values of a weight in a row, two to
// a byte. The bytes may be kept in any dtype, for the sake of training.
//
//	weight U8 [ceil(n/2), 1]   weight.absmax [ceil(n/64)]   weight.quant_map F32 [16]
//	weight.quant_state.bitsandbytes__nf4 U8 [bytes of JSON]
//
// absmax may be packed once more; then it is U8, and comes with nested_absmax and
// nested_quant_map. None of them tells an odd n from the even one above it.
func countBnB4(m *module, _ *config) (values, bool) {
	e := m.parts[weight]
	bytes := ratio(e.stored(), e.width(), 8)
	v := values{
		n: Range{max(times(bytes, 2)-1, 0), times(bytes, 2)}, bits: 4,
		why: "quant_state was not read, so the last byte may have one value or two",
	}
	if m.has(quantState) { // its name is "x.weight.quant_state.bitsandbytes__nf4"
		_, kind, _ := strings.Cut(m.parts[quantState].ti.Name, "bitsandbytes__")
		if kind == "nf4" || kind == "fp4" {
			v.name = "bitsandbytes " + kind
		}
	}
	state, _ := jsonscan.Parse(m.text(quantState))
	shape, ok := dimsOf(state.Get("shape"))
	if n := product(shape); ok && n >= v.n.Low && n <= v.n.High {
		v.n, v.why = exactly(n), ""
	}
	return v, true
}

// dimsOf returns a shape that a configuration has as a list of numbers.
func dimsOf(v jsonscan.Value) (shape []int64, ok bool) {
	for e := range v.Elements() {
		n, ok := e.Int()
		if !ok || len(shape) == maxRank {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, len(shape) > 0
}

// maxRank bounds the shapes that are read from data.
const maxRank = 8

// countBlocks counts what gpt-oss has: blocks of 16 bytes in the last dimension, and
// scales of a shape without it.
//
//	experts.gate_up_proj_blocks U8 [experts, out, in/32, 16]   ..._scales U8 [experts, out, in/32]
func countBlocks(m *module, _ *config) (values, bool) {
	b, s := m.shape(blocks), m.shape(scales)
	if len(b) < 2 || b[len(b)-1] != 16 || product(s) != product(b[:len(b)-1]) {
		return values{}, false
	}
	return twice(m.parts[blocks], "mxfp4"), true
}

// countFP4 counts floats of 4 bits in "weight_packed". Their scales tell which: those
// of NVIDIA are floats themselves, those of the OCP powers of two.
func countFP4(m *module, c *config) (values, bool) {
	switch {
	case m.is(scale, isF8):
		return twice(m.parts[packed], "nvfp4"), true
	case m.is(scale, isE8M0|isU8):
		return twice(m.parts[packed], "mxfp4"), true
	case widthIn(c.format) == 4:
		return twice(m.parts[packed], "fp4"), true
	}
	return values{}, false
}

// countFPQuant counts floats of 4 bits in qweight, which is what GPTQ calls its words.
//
//	nvfp4   qweight U8 [out, in/2]   scales U8 [out, in/16]
//	mxfp4   qweight U8 [out, in/2]   scales U8 [out, in/32]
func countFPQuant(m *module, _ *config) (values, bool) {
	w, s := m.shape(qweight), m.shape(scales)
	if len(w) != 2 || len(s) != 2 || !m.is(scales, is8|isF8|isE8M0) || w[0] != s[0] {
		return values{}, false
	}
	switch times(w[1], 2) {
	case times(s[1], 16):
		return twice(m.parts[qweight], "nvfp4"), true
	case times(s[1], 32):
		return twice(m.parts[qweight], "mxfp4"), true
	}
	return values{}, false
}

// countScaled counts bytes with scales, where the bytes may hold two values each. The
// last dimensions tell: a scale is for as many values as the format says.
//
//	nvfp4   weight U8 [out, in/2]         scale F8_E4M3 [out, in/16]
//	mxfp4   weight U8 or I8 [out, in/2]   scale F8_E8M0 or U8 [out, in/32]
//	mxfp8   weight U8 [out, in]           scale U8 [out, in/32]
//
// The three never look alike, as in is not zero.
func countScaled(m *module, c *config) (values, bool) {
	e := m.parts[weight]
	w, s := m.shape(weight), m.shape(scale)
	if m.is(scale, isFloat) {
		return m.countFloatScaled(c)
	}
	if len(w) >= 2 && len(s) >= 2 {
		row, perRow := w[len(w)-1], s[len(s)-1]
		switch {
		case times(perRow, 16) == times(row, 2), m.is(scale, isF8) && m.stored(scale) == swizzled(w):
			return twice(e, "nvfp4"), true
		case times(perRow, 32) == times(row, 2):
			return twice(e, "mxfp4"), true
		case times(perRow, 32) == row:
			v := one(e)
			v.name = "mxfp8"
			return v, true
		}
	}
	if v, ok := countExperts(m, c); ok {
		return v, true
	}
	return values{
		n:   Range{e.stored(), times(e.stored(), 2)},
		why: "the shape of the scales does not tell whether a byte has one value or two",
	}, true
}

// swizzled returns how many scales a weight of nvfp4 has whose scales are laid out
// for matrix units: tiles of 128 rows and 4 columns, padded. ComfyUI keeps them so.
func swizzled(w []int64) int64 {
	rows, columns := product(w[:len(w)-1]), ceil(times(w[len(w)-1], 2), 16)
	return times(times(ceil(rows, 128), 128), times(ceil(columns, 4), 4))
}

// countFloatScaled counts bytes whose scales are floats of 16 bits or more: one
// value to a byte as a rule, and more in formats that the configuration names or
// the shape gives away.
func (m *module) countFloatScaled(c *config) (values, bool) {
	e := m.parts[weight]
	w, s := m.shape(weight), m.shape(scale)
	switch {
	case c.method == "bitnet" && e.kind == isU8:
		// transformers, integrations/bitnet.py: ternary values, four to a byte.
		return values{n: exactly(times(e.stored(), 4)), bits: 2, name: "bitnet"}, true
	case e.kind == isU8 && len(w) == 2 && len(s) == 2 && s[0] == times(w[0], 2):
		// ModelOpt, INT4 AWQ: packed along rows, with a scale for each row of old.
		return twice(e, "int4"), true
	case e.kind == isI8 && c.leastBits(8) >= 8: // nothing says that it is narrower
		v := one(e)
		v.name = "int8"
		return v, true
	}
	if v, ok := countExperts(m, c); ok {
		return v, true
	}
	v := values{n: Range{e.stored(), times(e.stored(), 2)}, why: "nothing tells whether a byte has one value or two"}
	if e.kind == isU8 && m.stored(scale) <= 1 { // as BitNet's is
		v.n.High, v.why = times(e.stored(), 4), "nothing tells whether a byte has one value, two or four"
	}
	return v, true
}

// countExperts counts routed experts that are narrower than the rest of a model.
func countExperts(m *module, c *config) (values, bool) {
	if c.expertBits == 0 || !m.routed() {
		return values{}, false
	}
	if c.expertBits == 4 {
		return twice(m.parts[weight], "fp4"), true
	}
	return one(m.parts[weight]), c.expertBits == 8
}

// comfyBits are the widths of ComfyUI's formats.
var comfyBits = map[string]int64{
	"nvfp4": 4, "convrot_w4a4": 4, "awq_w4a16": 4, "svdquant_w4a4": 4, "asym_w4a8_int8": 4,
	"float8_e4m3fn": 8, "float8_e5m2": 8, "mxfp8": 8, "int8_tensorwise": 8, "int8_blockwise": 8,
}

// countComfy counts what ComfyUI names the format of: in a tensor beside the weight,
// or in the metadata of the file. Rows and columns that were padded to a multiple of
// 16, as nvfp4 needs, count as they are stored: nothing tells of it.
func countComfy(m *module, c *config) (values, bool) {
	format, ok := c.comfy[m.name]
	if v, err := jsonscan.Parse(m.text(marker)); err == nil {
		format, ok = v.Get("format").Str()
	}
	e := m.parts[weight]
	switch comfyBits[format] {
	case 4:
		return twice(e, format), true
	case 8:
		v := one(e)
		v.name = format
		return v, true
	}
	if !ok && (!m.has(marker) || m.has(scale) && !m.is(scale, isFloat)) {
		return values{}, false // it is not ComfyUI's, or the scales tell
	}
	return values{
		n:   Range{e.stored(), times(e.stored(), 2)},
		why: "comfy_quant was not read, or names a format that is not known",
	}, true
}
