// ComfyUI: weights whose format is named.

package scheme

import (
	"math/bits"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// comfyBits are the widths of ComfyUI's formats.
var comfyBits = map[string]int64{
	"nvfp4": 4, "convrot_w4a4": 4, "awq_w4a16": 4, "svdquant_w4a4": 4, "asym_w4a8_int8": 4,
	"float8_e4m3fn": 8, "float8_e5m2": 8, "mxfp8": 8, "int8_tensorwise": 8, "int8_blockwise": 8,
}

// ComfyFormats adds the formats of modules that ComfyUI stores in the metadata of a file.
func ComfyFormats(formats, metadata map[string]string) {
	v, err := jsonscan.Parse([]byte(metadata["_quantization_metadata"]))
	if err != nil {
		return
	}
	for name, layer := range v.Get("layers").Members() {
		if format, ok := layer.Get("format").Str(); ok {
			formats[name] = format
		}
	}
}

// countComfy counts weights whose format ComfyUI names, in a tensor of the module or in the metadata of the file.
// nvfp4 pads rows and columns to a multiple of 16. Padding is counted, because nothing shows it.
func countComfy(m *Module, c *Context) (Values, bool) {
	format, ok := c.Comfy[m.Name]
	if v, err := jsonscan.Parse(m.text(parts.Marker)); err == nil {
		format, ok = v.Get("format").Str()
	}
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scale)
	if !ok && !m.has(parts.Marker) {
		return Values{}, false
	}
	// Scales of blocks show the format, even if its name is unknown or was not read.
	if m.is(parts.Scale, parts.Float8) && isSwizzled(w, s, 16) && (!ok || format == "nvfp4") {
		return twice(t, "nvfp4"), true
	}
	if v, ok := m.blocked(t, parts.Scale, false); ok && (format == "" || format == v.Name || format == "asym_w4a8_int8") {
		return v.renamed(format), true
	}
	switch width := comfyBits[format]; {
	case width == 4 && format != "nvfp4" && m.scaled(clamp.Mul(t.bytes(), 2)):
		return twice(t, format), true
	case format == "asym_w4a8_int8" && t.bytes()%3 == 0 && m.scaled(clamp.MulDiv(t.bytes(), 4, 3)):
		return Values{N: exactly(clamp.MulDiv(t.bytes(), 4, 3)), Bits: 6, Name: format}, true
	case width == 8 && (!m.has(parts.Scale) || isScaled(w, s) || isSwizzled(w, s, 64)):
		return one(t, format), true
	}
	v := unproven(t, "", "comfy_quant was not read, names an unknown format, or does not fit the scales")
	v.N.High = clamp.Mul(t.bytes(), 2)
	return v, true
}

// renamed returns v with a name, unless the name is "".
func (v Values) renamed(name string) Values {
	if name != "" {
		v.Name = name
	}
	return v
}

// scaled reports whether n values can have as many scales as there are: groups of 8, 16, 32 and so on, or one for each
// row or column.
func (m *Module) scaled(n int64) bool {
	scales := m.stored(parts.Scale)
	if scales <= 0 || n%scales != 0 {
		return false
	}
	group := n / scales
	return group >= 8 && bits.OnesCount64(uint64(group)) == 1 || n/group == m.shape(parts.Weight)[0]
}

// isSwizzled reports whether the scales of rows of bytes have the layout for matrix units: padded tiles of 128 rows and
// 4 columns. A row of bytes has a scale for each so many half bytes.
func isSwizzled(w, s []int64, halves int64) bool {
	if len(w) != 2 {
		return false
	}
	rows, columns := clamp.CeilDiv(w[0], 128), clamp.CeilDiv(clamp.CeilDiv(clamp.Mul(w[1], 2), halves), 4)
	return clamp.Product(s) == clamp.Mul(clamp.Mul(rows, 128), clamp.Mul(columns, 4)) &&
		(len(s) != 2 || s[0] == clamp.Mul(rows, 128) || s[0] == clamp.Mul(rows, 32)) // as torchao writes them
}
