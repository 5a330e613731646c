// MLX: rows of 32-bit words.

package scheme

import (
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// countMLX counts the values of rows that fill 32-bit words, with a scale for each group. The shapes prove only
// bits × group, and 4 × 64 equals 8 × 32. The configuration tells the two apart, or the number of inputs.
//
//	weight U32 [out, in·bits/32]   scales [out, in/group]   biases, of affine modes, as scales
//
// Experts have an additional dimension in front.
func countMLX(m *Module, c *Context) (Values, bool) {
	t, w, s := m.Parts[parts.Weight], m.shape(parts.Weight), m.shape(parts.Scales)
	if len(w) < 2 || len(s) != len(w) {
		return Values{}, false
	}
	affine := m.is(parts.Scales, parts.Float)
	switch {
	case !slices.Equal(w[:len(w)-1], s[:len(s)-1]):
		return broken(t, "", "the shape %s and the scales %s differ in rows", shapeOf(t),
			shapeOf(m.Parts[parts.Scales])), true
	case m.has(parts.Biases) && !slices.Equal(m.shape(parts.Biases), s):
		return broken(t, "", "the biases %s and the scales %s differ in shape", shapeOf(m.Parts[parts.Biases]),
			shapeOf(m.Parts[parts.Scales])), true
	}
	l := mlx{rows: clamp.Product(w[:len(w)-1]), bits: clamp.Mul(w[len(w)-1], 32), groups: s[len(s)-1]}
	modes := []string{"mxfp4", "nvfp4", "mxfp8"}
	if affine || m.has(parts.Biases) {
		modes = []string{"affine"}
	}
	var conflict Finding
	if said, ok := c.MLXWidth(m.Name); ok {
		switch {
		case !l.fits(said):
			conflict = found("the %d words of a row do not hold %d groups of %d numbers of %d bits, which the configuration "+
				"says", w[len(w)-1], l.groups, said.Group, said.Bits)
		case affine && !m.has(parts.Biases):
			return lacking(t, parts.Biases), true
		default:
			return l.values(said), true
		}
	} else if affine && !m.has(parts.Biases) {
		return lacking(t, parts.Biases), true
	}
	v, ok := l.count(m, c, modes)
	if !ok {
		v = unproven(t, "", "the number of words and scales fits no mode of MLX")
	}
	v.Conflict = conflict
	return v, true
}

// An mlx is a weight of MLX: how many rows it has, and how many bits and groups are in each.
type mlx struct{ rows, bits, groups int64 }

// fits reports whether groups of the given width fill the rows.
func (l mlx) fits(x config.Width) bool {
	return x.Bits > 0 && x.Group > 0 && clamp.Mul(clamp.Mul(x.Bits, x.Group), l.groups) == l.bits
}

func (l mlx) values(x config.Width) Values {
	return Values{N: exactly(clamp.Mul(l.rows, clamp.Mul(l.groups, x.Group))), Bits: x.Bits}
}

// count tries the widths of some modes. If several fit, the number of inputs decides, if it is known.
func (l mlx) count(m *Module, c *Context, modes []string) (v Values, ok bool) {
	const why = "the shapes fit several widths, and neither the configuration nor the norms say which"
	var fit []config.Width
	for _, mode := range modes {
		for _, b := range config.MLXModes[mode].Bits {
			for _, g := range config.MLXModes[mode].Groups {
				if x := (config.Width{Bits: b, Group: g}); l.fits(x) {
					fit = append(fit, x)
				}
			}
		}
	}
	inputs := func(x config.Width) int64 { return clamp.Mul(l.groups, x.Group) }
	if hidden := c.hidden(m.Name); hidden > 0 && parts.ReadsHidden(m.Name) {
		fit = slices.DeleteFunc(fit, func(x config.Width) bool { return inputs(x) != hidden })
	}
	if len(fit) > 1 && c.mlxGroup > 0 {
		same := func(x config.Width) bool { return x.Group == c.mlxGroup && c.sizes[inputs(x)] }
		if i := slices.IndexFunc(fit, same); i >= 0 {
			fit = fit[i : i+1]
		}
	}
	for i, x := range fit {
		n := l.values(x).N
		if i == 0 {
			v = l.values(x)
			continue
		}
		v = Values{N: Range{min(v.N.Low, n.Low), max(v.N.High, n.High)}, Why: why}
	}
	return v, len(fit) > 0
}

// Learn looks at a module before any is counted. If there is no configuration, the modules whose inputs are the hidden
// channels show the size of groups, which is the same in a whole model; and the outputs of modules are the inputs of
// others.
func (c *Context) Learn(m *Module) {
	w, s := m.shape(parts.Weight), m.shape(parts.Scales)
	if c.MLX.Bits > 0 || !m.is(parts.Weight, parts.Int32) || len(w) < 2 || len(s) != len(w) {
		return
	}
	hidden := c.hidden(m.Name)
	if c.sizes == nil {
		c.sizes = make(map[int64]bool)
	}
	c.sizes[hidden], c.sizes[w[len(w)-2]] = true, true
	if hidden == 0 || !parts.ReadsHidden(m.Name) || s[len(s)-1] <= 0 || hidden%s[len(s)-1] != 0 {
		return
	}
	switch group := hidden / s[len(s)-1]; {
	case clamp.Mul(w[len(w)-1], 32)%hidden != 0:
	case c.mlxGroup == 0:
		c.mlxGroup = group
	case c.mlxGroup != group:
		c.mlxGroup = -1 // groups differ
	}
}
