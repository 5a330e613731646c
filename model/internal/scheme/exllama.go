// ExLlama: EXL2 and EXL3.

package scheme

import (
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// countEXL2 counts columns of values of several widths. The permutation has an element for each row.
//
//	q_weight I32 [words, out]   q_invperm I32 [in]   q_scale I32 [groups, out/8]   q_scale_max [groups]   q_groups
func countEXL2(m *Module, c *Context) (Values, bool) {
	t, w, p := m.Parts[parts.EXL2Weight], m.shape(parts.EXL2Weight), m.shape(parts.Inverse)
	if len(w) != 2 || len(p) != 1 || p[0] <= 0 {
		return Values{}, false
	}
	s, most := m.shape(parts.GroupScales), m.shape(parts.GroupMax)
	if bits := clamp.Mul(w[0], 32); len(s) != 2 || len(most) != 1 || s[0] != most[0] || clamp.Mul(s[1], 8) != w[1] ||
		bits < clamp.Mul(p[0], 2) || bits > clamp.Mul(p[0], 8) {
		return unproven(t, "", "the shapes of the scales and of the permutation do not fit the words"), true
	}
	v := m.padded(c, p[0], w[1], false, 32)
	v.In = p[0]
	return v, true
}

// countEXL3 counts tiles of 16 × 16 values, each of 16 × bits words of 16 bits.
//
//	trellis I16 [in/16, out/16, 16·bits]   suh F16 [in]   svh F16 [out]
func countEXL3(m *Module, c *Context) (Values, bool) {
	tile := m.shape(parts.Trellis)
	if len(tile) != 3 || tile[2] <= 0 || tile[2]%16 != 0 || tile[2] > 16*8 {
		return unproven(m.Parts[parts.Trellis], "", "a tile has not 16 × 16 values of 1 to 8 bits"), true
	}
	in, out := clamp.Mul(tile[0], 16), clamp.Mul(tile[1], 16)
	for role, n := range map[parts.Role]int64{parts.InSigns: in, parts.OutSigns: out} {
		if s := m.shape(role); m.has(role) && (len(s) != 1 || s[0] != n) {
			return unproven(m.Parts[parts.Trellis], "", "the signs are not one for each input and output"), true
		}
	}
	v := m.padded(c, in, out, true, 128)
	v.Bits = tile[2] / 16
	return v, true
}

// padded returns the values of a matrix whose outputs, and possibly inputs, may be padded to a multiple.
// They are not if all sizes in the configuration are multiples. Only the size of the vocabulary often is not.
func (m *Module) padded(c *Context, in, out int64, both bool, multiple int64) Values {
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
	return Values{N: Range{clamp.Mul(ins.Low, outs.Low), clamp.Mul(ins.High, outs.High)},
		Why: "rows and columns may be padded, and the configuration does not have their number"}
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
