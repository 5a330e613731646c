// Codes: indices of codebook entries or lattice points, each for several values.

package scheme

import (
	"math/bits"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// countAQLM counts codes of [out groups, in groups, codebooks], where codebooks are
// [codebooks, entries, out in a group, in in a group]. The codebooks replace weights, so they are not counted in
// addition.
//
//	codes I16 [out/length, in/length, codebooks]   codebooks [codebooks, entries, …]   scales [out/length, 1, 1, 1]
func countAQLM(m *Module, c *Context) (Values, bool) {
	n, b, s := m.shape(parts.Codes), m.shape(parts.Codebooks), m.shape(parts.Scales)
	said := func(name string, n int64) bool {
		v, ok := c.Quant.First(name).Int()
		return !ok || v == n
	}
	switch {
	case len(n) != 3 || len(b) != 4:
		return Values{}, false
	case n[2] != b[0] || bits.OnesCount64(uint64(b[1])) != 1,
		m.has(parts.Scales) && (len(s) == 0 || s[0] != n[0] || clamp.Product(s) != n[0]),
		!said("in_group_size", b[3]) || !said("out_group_size", b[2]) || !said("num_codebooks", b[0]),
		!said("nbits_per_codebook", int64(bits.Len64(uint64(b[1]))-1)):
		return unproven(m.Parts[parts.Codes], "", "the codebooks or the scales do not fit the codes"), true
	}
	return Values{N: exactly(clamp.Mul(clamp.Mul(n[0], n[1]), clamp.Mul(b[2], b[3]))), In: clamp.Mul(n[1], b[3])}, true
}

// countVPTQ counts indices of vectors. Outputs are padded to a multiple of the vectors' length, and indices fill
// words. So the shapes do not show the length, and the configuration is needed.
//
//	indices I32 [groups, ceil(out/length), ceil(group·bits/32)], or I16 [groups, ceil(out/length), group]
//	centroids.weight [groups, entries·length]   res_centroids, outlier_centroids, perm, weight_scale, weight_bias
func countVPTQ(m *Module, c *Context) (Values, bool) {
	e, s := m.Parts[parts.Indices], m.shape(parts.Indices)
	if len(s) != 3 {
		return Values{}, false
	}
	if d, ok := c.Dense[m.Name]; ok && clamp.CeilDiv(d.Out, d.Vector) == s[1] && isDense(d, e, s) {
		return Values{N: exactly(clamp.Mul(d.Out, d.In))}, true
	}
	return Values{
		N:   Range{e.NumElems(), clamp.Mul(e.NumElems(), e.width())},
		Why: "the configuration has no inputs and outputs for the module, or they do not fit its indices",
	}, true
}

// isDense reports whether the indices have the groups of the configuration, one for each input or packed in words.
func isDense(d config.Dense, e *Tensor, s []int64) bool {
	length := d.GroupSize
	if e.Kinds != parts.Int16 {
		length = clamp.CeilDiv(clamp.Mul(d.GroupSize, d.IndexBits), e.width())
	}
	return d.Groups == 0 || d.GroupSize == 0 || s[0] == d.Groups && s[2] == length
}

// countQuIP counts lattice codes of 2 to 4 bits per value. Their order depends on the codebook. There is one sign
// for each input and for each output.
//
//	Qidxs I64 [out, in·bits/64]   SU [in]   SV [out]   Wscale, codebook_id
func countQuIP(m *Module, _ *Context) (Values, bool) {
	e, in, out := m.Parts[parts.LatticeCodes], m.shape(parts.InSigns), m.shape(parts.OutSigns)
	if len(in) != 1 || len(out) != 1 {
		return Values{}, false
	}
	n, all := clamp.Mul(in[0], out[0]), clamp.Mul(e.NumElems(), e.width())
	if q := e.Info.Shape; n <= 0 || all%n != 0 || all/n < 2 || all/n > 4 || len(q) != 2 || q[0] != out[0] {
		return unproven(e, "", "the signs do not show how many bits a value has"), true
	}
	return Values{N: exactly(n), Bits: all / n, In: in[0]}, true
}

// countHIGGS counts values of 2 to 4 bits, packed along the outputs.
//
//	weight I16 [out·bits/16, in]   scales [out, in/group]   tables [2^bits]   tables2 [2^bits, 2^bits, 2]
func countHIGGS(m *Module, c *Context) (Values, bool) {
	w, s := m.shape(parts.Weight), m.shape(parts.Scales)
	if len(w) != 2 || len(s) != 2 || s[0] <= 0 || clamp.Mul(w[0], 16)%s[0] != 0 {
		return Values{}, false
	}
	bits := clamp.Mul(w[0], 16) / s[0]
	if bits < 2 || bits > 4 || m.stored(parts.Tables) != 1<<bits {
		return Values{}, false
	}
	v := Values{N: exactly(clamp.Mul(s[0], w[1])), Bits: bits, In: w[1]}
	why, conflict := c.groups(w[1], s[1])
	v.Conflict = conflict
	return v.unless(m.Parts[parts.Weight], why), true
}

// countSpQR counts tiles of beta1 × beta2 values. Each row of a tile is a word with 16 values of 3 bits and their
// scales. Outliers are stored again in col_vals.
//
//	dense_weights I64 [ceil(out/16)·ceil(in/16)·16]   row_offsets I32 [out+1]   in_perm I32 [in/2] or [0]   col_vals
func countSpQR(m *Module, c *Context) (Values, bool) {
	words := m.stored(parts.Tiles)
	height, width := c.tile()
	out, in := m.stored(parts.Offsets)-1, clamp.Mul(m.stored(parts.Pairs), 2)
	v := Values{N: exactly(clamp.Mul(words, width)), Bits: 3}
	switch {
	case out > 0 && in > 0 && clamp.Mul(clamp.Mul(clamp.CeilDiv(out, height), clamp.CeilDiv(in, width)), height) == words:
		v.N = exactly(clamp.Mul(out, in))
	case out > 0 && in == 0 && out%height == 0 && words%out == 0 && c.multiplesOf(height) && c.multiplesOf(width):
		v.In = clamp.Mul(words/out, width)
	default:
		v.N.Low = words / height
		v.Why = "row_offsets and in_perm do not show the number of inputs and outputs, and tiles may be padded"
	}
	return v, true
}

// tile returns the height and width of SpQR's tiles. Its programs use 16 × 16.
func (c *Context) tile() (height, width int64) {
	height, width = 16, 16
	if c.Beta1 > 0 && c.Beta2 > 0 {
		height, width = c.Beta1, c.Beta2
	}
	return height, width
}
