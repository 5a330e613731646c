// Schemes of one program each: MLX, HQQ, EXL2, EXL3, torchao, quanto.

package model

import (
	"encoding/binary"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// countMLX counts the values of rows that fill 32-bit words, with a scale for each
// group. From the shapes alone only bits × group can be had, and 4 × 64 is 8 × 32.
//
//	weight U32 [out, in·bits/32]   scales [out, in/group]   biases, of affine modes, as scales
//
// Experts have one more dimension before these.
func countMLX(m *module, c *config) (values, bool) {
	w, s := m.shape(weight), m.shape(scales)
	if len(w) < 2 || len(s) != len(w) || product(w[:len(w)-1]) != product(s[:len(s)-1]) {
		return values{}, false
	}
	rows, bits, groups := product(w[:len(w)-1]), times(w[len(w)-1], 32), s[len(s)-1]
	fits := func(x mlxWidth) bool { return times(times(x.bits, x.group), groups) == bits }
	of := func(x mlxWidth) values {
		return values{n: exactly(times(rows, times(groups, x.group))), bits: x.bits}
	}
	if said, ok := c.mlxOf(m.name); ok {
		if said.bits > 0 && fits(said) {
			return of(said), true
		}
		m.notes.addOf("the configuration says that %s has %d bits in groups of %d, which its shapes cannot have",
			wording.Quote(m.name), said.bits, said.group)
	}
	modes := []string{"mxfp4", "nvfp4", "mxfp8"}
	if m.has(biases) {
		modes = []string{"affine"}
	}
	var v values
	found := 0
	for _, mode := range modes {
		for _, b := range mlxModes[mode].bits {
			for _, g := range mlxModes[mode].groups {
				x := mlxWidth{b, g}
				if !fits(x) {
					continue
				}
				if found++; found == 1 {
					v = of(x)
					continue
				}
				n := of(x).n
				v = values{
					n:   Range{min(v.n.Low, n.Low), max(v.n.High, n.High)},
					why: "the shapes fit several widths, and the configuration does not say which it is",
				}
			}
		}
	}
	return v, found > 0
}

// countHQQ counts bytes that are packed along the first dimension, or words of ten
// values of three bits. Rows are groups by then, so the shape of the weight cannot be
// seen. 5 and 6 bits take a byte each.
//
//	W_q U8 [rows·bits/8, group]   shape I64 [2]   nbits I32 []   scale, zero
func countHQQ(m *module, c *config) (values, bool) {
	e := m.parts[hqqWeight]
	bytes := ratio(e.stored(), e.width(), 8)
	if shape, ok := m.readShape(); ok {
		if n := product(shape); n > 0 && n <= times(bytes, 8) {
			return values{n: exactly(n), bits: min(times(bytes, 8)/n, 8)}, true
		}
	}
	const why = "shape was not read"
	switch bits := c.width(); {
	case e.kind == is32: // three bits; the rows are padded to a multiple of ten
		padding := int64(0)
		if s := e.ti.Shape; len(s) > 0 {
			padding = times(product(s[1:]), 9)
		}
		n := times(e.stored(), 10)
		return values{n: Range{max(n-padding, 0), n}, bits: 3, why: why}, true
	case bits == 1, bits == 2, bits == 4:
		return values{n: exactly(times(bytes, 8/bits)), bits: bits}, true
	case bits >= 5 && bits <= 8:
		return values{n: exactly(bytes), bits: bits}, true
	}
	return values{n: Range{bytes, times(bytes, 8)}, why: why + ", and the configuration does not say how many bits a value has"}, true
}

// readShape returns the shape that the part for it has: integers, little-endian.
func (m *module) readShape() (shape []int64, ok bool) {
	b := m.text(shapeOf)
	size := 8
	if m.is(shapeOf, is32) {
		size = 4
	} else if !m.is(shapeOf, is64) {
		return nil, false
	}
	if len(b) == 0 || len(b)%size != 0 || len(b)/size > maxRank {
		return nil, false
	}
	for ; len(b) > 0; b = b[size:] {
		n := int64(int32(binary.LittleEndian.Uint32(b)))
		if size == 8 {
			n = int64(binary.LittleEndian.Uint64(b))
		}
		if n < 0 {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, true
}

// countEXL2 counts columns of values of several widths. How many rows there are, the
// permutation of them says.
//
//	q_weight I32 [words, out]   q_invperm I32 [in]   q_scale, q_scale_max, q_groups
func countEXL2(m *module, c *config) (values, bool) {
	w, p := m.shape(exl2Weight), m.shape(inverse)
	if len(w) != 2 || len(p) != 1 {
		return values{}, false
	}
	return values{n: m.padded(c, p[0], w[1], false, 32), why: whyPadded}, true
}

// countEXL3 counts tiles of 16 × 16 values, each of 16 × bits words of 16 bits.
//
//	trellis I16 [in/16, out/16, 16·bits]   suh F16 [in]   svh F16 [out]
func countEXL3(m *module, c *config) (values, bool) {
	t := m.shape(trellis)
	if len(t) != 3 || t[2] <= 0 || t[2]%16 != 0 || t[2] > 16*8 {
		return values{}, false
	}
	return values{n: m.padded(c, times(t[0], 16), times(t[1], 16), true, 128), bits: t[2] / 16, why: whyPadded}, true
}

const whyPadded = "rows and columns may be padded, and the configuration does not say how many there are of either"

// padded returns how many values a matrix has whose outputs, and perhaps inputs, may
// have been padded to a multiple. They were not if all sizes that the configuration
// says are multiples; only that of the vocabulary often is none.
func (m *module) padded(c *config, in, out int64, both bool, multiple int64) Range {
	least := func(n int64) int64 { return max(n-multiple+1, min(n, 1)) }
	outs, ins := Range{least(out), out}, exactly(in)
	if both {
		ins = Range{least(in), in}
	}
	if c.multiplesOf(multiple) {
		outs, ins = exactly(out), exactly(in)
	}
	if m.head() && c.vocab >= least(out) && c.vocab <= out {
		outs = exactly(c.vocab)
	}
	return Range{times(ins.Low, outs.Low), times(ins.High, outs.High)}
}

// multiplesOf says whether the configuration has sizes, and all are multiples.
func (c *config) multiplesOf(n int64) bool {
	for _, size := range c.sizes {
		if size%n != 0 {
			return false
		}
	}
	return len(c.sizes) > 0
}

// countTorchAO counts a tensor that was taken apart: "x.weight" is stored as
// "x._weight_qdata" and others, and the metadata says of which class it was.
func countTorchAO(m *module, _ *config) (values, bool) {
	e := m.parts[qdata]
	if e.kind == isFloat {
		return values{}, false
	}
	name := strings.TrimSuffix(e.ti.Name, "_qdata")
	dot := strings.LastIndexByte(name, '.')
	name = name[:dot+1] + strings.TrimPrefix(name[dot+1:], "_")
	v, _ := jsonscan.Parse([]byte(m.files[e.file].Header.Metadata[name]))
	class, _ := v.Get("_type").Str()
	bytes := ratio(e.stored(), e.width(), 8)
	switch {
	case class == "NVFP4Tensor":
		return values{n: exactly(times(bytes, 2)), bits: 4, name: "torchao nvfp4"}, true
	case class == "MXTensor":
		elem, ok := v.Get("_data").Get("elem_dtype").Get("_data").Str()
		if !ok { // what PyTorch has no dtype for has a name
			elem, _ = v.Get("_data").Get("elem_dtype").Str()
		}
		switch {
		case strings.HasPrefix(elem, "float4"):
			return values{n: exactly(times(bytes, 2)), bits: 4, name: "torchao mxfp4"}, true
		case strings.HasPrefix(elem, "fp6"):
			return values{n: Range{bytes, ratio(bytes, 4, 3)}, bits: 6, name: "torchao mxfp6", why: "values of 6 bits may have a byte each, or four of them three"}, true
		}
		return one(e), true
	case strings.HasPrefix(class, "Int4"):
		shape, ok := dimsOf(v.Get("_data").Get("shape"))
		if n := product(shape); ok && n <= times(bytes, 2) {
			return values{n: exactly(n), bits: 4, name: "torchao int4"}, true
		}
		return values{n: Range{bytes, times(bytes, 2)}, bits: 4, name: "torchao int4", why: "the metadata has no shape"}, true
	case e.kind&(isF8|isI8) != 0:
		return one(e), true
	}
	return values{n: Range{bytes, times(bytes, 2)}, why: "the metadata does not say how values are packed"}, true
}

// countQuanto counts bytes, which hold several values if they are data of data. They
// are packed along the first dimension, so that it is not known how many rows there
// were, unless each has a scale.
//
//	8 bits        weight._data [out, in]                    weight._scale
//	4 or 2 bits   weight._data._data U8 [ceil(rows·bits/8), …]   weight._scale [rows, 1], weight._shift
func countQuanto(m *module, c *config) (values, bool) {
	e := m.parts[data]
	if e.kind != isU8 || !strings.HasSuffix(e.ti.Name, "._data._data") {
		return one(e), true
	}
	rows, rest := e.stored(), int64(1)
	if s := e.ti.Shape; len(s) > 0 {
		rows, rest = s[0], product(s[1:])
	}
	if s := m.shape(scale); len(s) > 1 && product(s[1:]) == 1 && rows > 0 {
		for _, perByte := range []int64{2, 4} {
			if ceil(s[0], perByte) == rows {
				return values{n: exactly(times(s[0], rest)), bits: 8 / perByte}, true
			}
		}
	}
	least, most := int64(2), int64(4)
	if bits := c.width(); bits == 2 || bits == 4 {
		least, most = 8/bits, 8/bits
	}
	v := values{
		n:   Range{max(times(e.stored(), least)-times(rest, most-1), 0), times(e.stored(), most)},
		why: "rows may be padded, and nothing tells how many there were",
	}
	if least == most {
		v.bits = 8 / least
	}
	return v, true
}
