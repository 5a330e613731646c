// Tensor subclasses of PyTorch: torchao and quanto.

package scheme

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// countTorchAO counts a tensor that is stored in parts: "x.weight" as "x._weight_qdata" and others. The metadata
// has its class.
//
//	Int4Tensor                 qdata U8 [out, in/2]        scale [in/group, out]      shape in the metadata
//	Int4PlainInt32Tensor       qdata I32 [out, in/8]       the same
//	Int4TilePackedTo4dTensor   qdata I32 [out/8, in/(16·k), 32, k/2]   scale_and_zero [in/group, out, 2]
//	NVFP4Tensor, MXTensor      qdata as in blockFormats; the scales may be laid out for matrix units
func countTorchAO(m *Module, c *Context) (Values, bool) {
	t := m.Parts[parts.QData]
	if t.Kinds == parts.Float {
		return Values{}, false
	}
	name := strings.TrimSuffix(t.Info.Name, "_qdata")
	dot := strings.LastIndexByte(name, '.')
	name = name[:dot+1] + strings.TrimPrefix(name[dot+1:], "_")
	meta, _ := jsonscan.Parse([]byte(c.Metadata(t.File)[name]))
	class, _ := meta.Get("_type").Str()
	switch {
	case class == "NVFP4Tensor", class == "MXTensor":
		elem, ok := meta.Get("_data").Get("elem_dtype").Get("_data").Str()
		if !ok { // formats that PyTorch has no dtype for
			elem, _ = meta.Get("_data").Get("elem_dtype").Str()
		}
		return m.countTorchBlocks(class, elem), true
	case strings.HasPrefix(class, "Int4"):
		return m.countTorchInt4(meta.Get("_data")), true
	case t.Kinds&(parts.Float8|parts.I8) != 0:
		v := one(t, "")
		if s := m.shape(parts.Scale); m.has(parts.Scale) && (!isScaled(t.Info.Shape, s) || !m.zeroed(s)) {
			return v.unless(t, "the shape of the scales fits no known format"), true
		}
		if t.Kinds == parts.I8 {
			v.In = m.lastOf(parts.QData)
		}
		return v, true
	}
	return Values{N: Range{t.bytes(), clamp.Mul(t.bytes(), 2)},
		Why: "the metadata does not say how the values are packed"}, true
}

// countTorchInt4 counts integers of 4 bits, whose number the metadata has.
func (m *Module) countTorchInt4(data jsonscan.Value) Values {
	const name = "torchao int4"
	t := m.Parts[parts.QData]
	shape, ok := dimsOf(data.Get("shape"))
	v := Values{N: exactly(clamp.Product(shape)), Bits: 4, Name: name}
	switch block, said := dimsOf(data.Get("block_size")); {
	case !ok:
		return Values{N: Range{t.bytes(), clamp.Mul(t.bytes(), 2)}, Bits: 4, Name: name, Why: "the metadata has no shape"}
	case v.N.High > clamp.Mul(t.bytes(), 2) || clamp.Mul(v.N.High, 2) <= clamp.Mul(t.bytes(), 2):
		return v.unless(t, "the shape in the metadata does not fit the packed values")
	case v.N.High < clamp.Mul(t.bytes(), 2) && len(t.Info.Shape) != 4: // only tiles are padded
		return v.unless(t, "the shape in the metadata does not fit the packed values")
	case m.has(parts.Scale) && !m.zeroed(m.shape(parts.Scale)):
		return v.unless(t, "the scales and zero points differ in shape")
	case said && m.has(parts.Scale) && clamp.Mul(m.stored(parts.Scale), clamp.Product(block)) != v.N.High,
		said && m.has(parts.Scales) && clamp.Mul(m.stored(parts.Scales)/2, clamp.Product(block)) != clamp.Mul(t.bytes(), 2) &&
			clamp.Mul(m.stored(parts.Scales)/2, clamp.Product(block)) != v.N.High:
		return v.unless(t, "the blocks in the metadata do not fit the scales")
	}
	return v
}

// zeroed reports whether the zero points, if there are any, have the shape of the scales.
func (m *Module) zeroed(s []int64) bool {
	return !m.has(parts.Zeros) || slices.Equal(m.shape(parts.Zeros), s)
}

// countTorchBlocks counts floats of 4, 6 and 8 bits in blocks of 16 or 32. Values of 6 bits may take a byte each.
func (m *Module) countTorchBlocks(class, elem string) Values {
	t := m.Parts[parts.QData]
	if !m.zeroed(m.shape(parts.Scale)) {
		return unproven(t, "torchao", "the scales and zero points differ in shape")
	}
	if v, ok := m.blocked(t, parts.Scale, true); ok && (v.Name == "nvfp4") == (class == "NVFP4Tensor") &&
		(v.Bits == 4) == (class == "NVFP4Tensor" || config.WidthIn(elem) == 4 || strings.HasPrefix(elem, "float4")) {
		v.Name = "torchao " + v.Name
		return v
	}
	w, s := t.Info.Shape, m.shape(parts.Scale)
	switch {
	case class == "NVFP4Tensor" && isSwizzled(w, s, 16):
		return twice(t, "torchao nvfp4")
	case class == "MXTensor" && strings.HasPrefix(elem, "float4") && isSwizzled(w, s, 32):
		return twice(t, "torchao mxfp4")
	case class == "MXTensor" && strings.HasPrefix(elem, "float8") && isSwizzled(w, s, 64):
		return one(t, "torchao mxfp8")
	}
	return unproven(t, "torchao", "the number of bytes for each scale fits no known format")
}

// countQuanto counts bytes, which hold several values in "._data._data". They are packed along the first
// dimension, so the number of rows is unknown unless each has a scale.
//
//	8 bits        weight._data [out, in]                    weight._scale
//	4 or 2 bits   weight._data._data U8 [ceil(rows·bits/8), …]   weight._scale [rows, 1], weight._shift
func countQuanto(m *Module, c *Context) (Values, bool) {
	t, s := m.Parts[parts.Data], m.shape(parts.Scale)
	if t.Kinds != parts.U8 || !strings.HasSuffix(t.Info.Name, "._data._data") {
		v := one(t, "")
		if !isScaled(t.Info.Shape, s) {
			return v.unless(t, "the shape of the scales fits no known format"), true
		}
		v.In = m.lastOf(parts.Data)
		return v, true
	}
	rows, rest := t.NumElems(), int64(1)
	if d := t.Info.Shape; len(d) > 0 {
		rows, rest = d[0], clamp.Product(d[1:])
	}
	least, most := int64(2), int64(4)
	said := c.Width()
	if len(s) > 1 && clamp.Product(s[1:]) == 1 && rows > 0 && rest%8 == 0 && m.zeroed(s) {
		for _, perByte := range []int64{2, 4} {
			if clamp.CeilDiv(s[0], perByte) == rows && (said == 0 || said == 8/perByte) {
				return Values{N: exactly(clamp.Mul(s[0], rest)), Bits: 8 / perByte}, true
			}
		}
	} else if said == 2 || said == 4 {
		least, most = 8/said, 8/said
	}
	v := Values{
		N:   Range{max(clamp.Mul(t.NumElems(), least)-clamp.Mul(rest, most-1), 0), clamp.Mul(t.NumElems(), most)},
		Why: "rows may be padded, and their number is unknown",
	}
	if least == most {
		v.Bits = 8 / least
	}
	return v, true
}
