// Schemes of single programs: MLX, HQQ, EXL2, EXL3, torchao, quanto.

package scheme

import (
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// countMLX counts the values of rows that fill 32-bit words, with a scale for each group. The shapes prove only
// bits × group, and 4 × 64 equals 8 × 32.
//
//	weight U32 [out, in·bits/32]   scales [out, in/group]   biases, of affine modes, as scales
//
// Experts have an additional dimension in front.
func countMLX(m *Module, c *Context) (Values, bool) {
	w, s := m.shape(parts.Weight), m.shape(parts.Scales)
	if len(w) < 2 || len(s) != len(w) || clamp.Product(w[:len(w)-1]) != clamp.Product(s[:len(s)-1]) {
		return Values{}, false
	}
	rows, bits, groups := clamp.Product(w[:len(w)-1]), clamp.Mul(w[len(w)-1], 32), s[len(s)-1]
	fits := func(x config.Width) bool { return clamp.Mul(clamp.Mul(x.Bits, x.Group), groups) == bits }
	of := func(x config.Width) Values {
		return Values{N: exactly(clamp.Mul(rows, clamp.Mul(groups, x.Group))), Bits: x.Bits}
	}
	if said, ok := c.MLXWidth(m.Name); ok {
		if said.Bits > 0 && fits(said) {
			return of(said), true
		}
		m.Notes.AddModule("the configuration says that %s has %d bits in groups of %d, which does not fit its shapes",
			wording.Quote(m.Name), said.Bits, said.Group)
	}
	modes := []string{"mxfp4", "nvfp4", "mxfp8"}
	if m.has(parts.Biases) {
		modes = []string{"affine"}
	}
	var v Values
	found := 0
	for _, mode := range modes {
		for _, b := range config.MLXModes[mode].Bits {
			for _, g := range config.MLXModes[mode].Groups {
				x := config.Width{Bits: b, Group: g}
				if !fits(x) {
					continue
				}
				if found++; found == 1 {
					v = of(x)
					continue
				}
				n := of(x).N
				v = Values{
					N:   Range{min(v.N.Low, n.Low), max(v.N.High, n.High)},
					Why: "the shapes fit several widths, and the configuration does not say which",
				}
			}
		}
	}
	return v, found > 0
}

// countHQQ counts bytes that are packed along the first dimension, or words with ten values of three bits. Rows
// are groups, so the shapes do not show the shape of the weight. Values of 5 and 6 bits take a byte each.
//
//	W_q U8 [rows·bits/8, group]   shape I64 [2]   nbits I32 []   scale, zero
func countHQQ(m *Module, c *Context) (Values, bool) {
	e := m.Parts[parts.HQQWeight]
	bytes := clamp.MulDiv(e.NumElems(), e.width(), 8)
	if shape, ok := m.readShape(); ok {
		if n := clamp.Product(shape); n > 0 && n <= clamp.Mul(bytes, 8) {
			return Values{N: exactly(n), Bits: min(clamp.Mul(bytes, 8)/n, 8)}, true
		}
	}
	const why = "shape was not read"
	switch bits := c.Width(); {
	case e.Kinds == parts.Int32: // three bits; the rows are padded to a multiple of ten
		padding := int64(0)
		if s := e.Info.Shape; len(s) > 0 {
			padding = clamp.Mul(clamp.Product(s[1:]), 9)
		}
		n := clamp.Mul(e.NumElems(), 10)
		return Values{N: Range{max(n-padding, 0), n}, Bits: 3, Why: why}, true
	case bits == 1, bits == 2, bits == 4:
		return Values{N: exactly(clamp.Mul(bytes, 8/bits)), Bits: bits}, true
	case bits >= 5 && bits <= 8:
		return Values{N: exactly(bytes), Bits: bits}, true
	}
	return Values{N: Range{bytes, clamp.Mul(bytes, 8)},
		Why: why + ", and the configuration does not say how many bits a value has"}, true
}

// countEXL2 counts columns of values of several widths. The permutation has an element for each row.
//
//	q_weight I32 [words, out]   q_invperm I32 [in]   q_scale, q_scale_max, q_groups
func countEXL2(m *Module, c *Context) (Values, bool) {
	w, p := m.shape(parts.EXL2Weight), m.shape(parts.Inverse)
	if len(w) != 2 || len(p) != 1 {
		return Values{}, false
	}
	return Values{N: m.padded(c, p[0], w[1], false, 32), Why: whyPadded}, true
}

// countEXL3 counts tiles of 16 × 16 values, each of 16 × bits words of 16 bits.
//
//	trellis I16 [in/16, out/16, 16·bits]   suh F16 [in]   svh F16 [out]
func countEXL3(m *Module, c *Context) (Values, bool) {
	t := m.shape(parts.Trellis)
	if len(t) != 3 || t[2] <= 0 || t[2]%16 != 0 || t[2] > 16*8 {
		return Values{}, false
	}
	return Values{N: m.padded(c, clamp.Mul(t[0], 16), clamp.Mul(t[1], 16), true, 128), Bits: t[2] / 16,
		Why: whyPadded}, true
}

const whyPadded = "rows and columns may be padded, and the configuration does not have their number"

// padded returns the number of values of a matrix whose outputs, and possibly inputs, may be padded to a multiple.
// They are not if all sizes in the configuration are multiples. Only the size of the vocabulary often is not.
func (m *Module) padded(c *Context, in, out int64, both bool, multiple int64) Range {
	least := func(n int64) int64 { return max(n-multiple+1, min(n, 1)) }
	outs, ins := Range{least(out), out}, exactly(in)
	if both {
		ins = Range{least(in), in}
	}
	if c.multiplesOf(multiple) {
		outs, ins = exactly(out), exactly(in)
	}
	if m.head() && c.Size(config.Vocab) >= least(out) && c.Size(config.Vocab) <= out {
		outs = exactly(c.Size(config.Vocab))
	}
	return Range{clamp.Mul(ins.Low, outs.Low), clamp.Mul(ins.High, outs.High)}
}

// multiplesOf reports whether the configuration has sizes of matrices, and all are multiples of n.
func (c *Context) multiplesOf(n int64) bool {
	sizes := 0
	for _, size := range []int64{
		c.Size(config.Hidden), c.Size(config.Intermediate), c.Size(config.ExpertIntermediate),
		c.Size(config.SharedIntermediate),
		clamp.Mul(c.Size(config.Heads), c.Size(config.HeadDim)), clamp.Mul(c.Size(config.KVHeads), c.Size(config.HeadDim)),
	} {
		if size%n != 0 {
			return false
		}
		sizes += int(min(size, 1))
	}
	return sizes > 0
}

// countTorchAO counts a tensor that is stored in parts: "x.weight" as "x._weight_qdata" and others. The metadata
// has its class.
func countTorchAO(m *Module, c *Context) (Values, bool) {
	e := m.Parts[parts.QData]
	if e.Kinds == parts.Float {
		return Values{}, false
	}
	name := strings.TrimSuffix(e.Info.Name, "_qdata")
	dot := strings.LastIndexByte(name, '.')
	name = name[:dot+1] + strings.TrimPrefix(name[dot+1:], "_")
	v, _ := jsonscan.Parse([]byte(c.Metadata(e.File)[name]))
	class, _ := v.Get("_type").Str()
	bytes := clamp.MulDiv(e.NumElems(), e.width(), 8)
	switch {
	case class == "NVFP4Tensor":
		return Values{N: exactly(clamp.Mul(bytes, 2)), Bits: 4, Name: "torchao nvfp4"}, true
	case class == "MXTensor":
		elem, ok := v.Get("_data").Get("elem_dtype").Get("_data").Str()
		if !ok { // formats that PyTorch has no dtype for
			elem, _ = v.Get("_data").Get("elem_dtype").Str()
		}
		switch {
		case strings.HasPrefix(elem, "float4"):
			return Values{N: exactly(clamp.Mul(bytes, 2)), Bits: 4, Name: "torchao mxfp4"}, true
		case strings.HasPrefix(elem, "fp6"):
			return Values{N: Range{bytes, clamp.MulDiv(bytes, 4, 3)}, Bits: 6, Name: "torchao mxfp6",
				Why: "values of 6 bits may take a byte each, or three bytes for four values"}, true
		}
		return one(e), true
	case strings.HasPrefix(class, "Int4"):
		shape, ok := dimsOf(v.Get("_data").Get("shape"))
		if n := clamp.Product(shape); ok && n <= clamp.Mul(bytes, 2) {
			return Values{N: exactly(n), Bits: 4, Name: "torchao int4"}, true
		}
		return Values{N: Range{bytes, clamp.Mul(bytes, 2)}, Bits: 4, Name: "torchao int4",
			Why: "the metadata has no shape"}, true
	case e.Kinds&(parts.Float8|parts.I8) != 0:
		return one(e), true
	}
	return Values{N: Range{bytes, clamp.Mul(bytes, 2)}, Why: "the metadata does not say how the values are packed"}, true
}

// countQuanto counts bytes, which hold several values in "._data._data". They are packed along the first
// dimension, so the number of rows is unknown unless each has a scale.
//
//	8 bits        weight._data [out, in]                    weight._scale
//	4 or 2 bits   weight._data._data U8 [ceil(rows·bits/8), …]   weight._scale [rows, 1], weight._shift
func countQuanto(m *Module, c *Context) (Values, bool) {
	e := m.Parts[parts.Data]
	if e.Kinds != parts.U8 || !strings.HasSuffix(e.Info.Name, "._data._data") {
		return one(e), true
	}
	rows, rest := e.NumElems(), int64(1)
	if s := e.Info.Shape; len(s) > 0 {
		rows, rest = s[0], clamp.Product(s[1:])
	}
	if s := m.shape(parts.Scale); len(s) > 1 && clamp.Product(s[1:]) == 1 && rows > 0 {
		for _, perByte := range []int64{2, 4} {
			if clamp.CeilDiv(s[0], perByte) == rows {
				return Values{N: exactly(clamp.Mul(s[0], rest)), Bits: 8 / perByte}, true
			}
		}
	}
	least, most := int64(2), int64(4)
	if bits := c.Width(); bits == 2 || bits == 4 {
		least, most = 8/bits, 8/bits
	}
	v := Values{
		N:   Range{max(clamp.Mul(e.NumElems(), least)-clamp.Mul(rest, most-1), 0), clamp.Mul(e.NumElems(), most)},
		Why: "rows may be padded, and their number is unknown",
	}
	if least == most {
		v.Bits = 8 / least
	}
	return v, true
}
