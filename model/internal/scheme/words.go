// Words: narrow integers packed into wide ones.

package scheme

import (
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// A wordy is a weight whose values fill words, with its scales.
type wordy struct {
	*Module
	t           *Tensor
	rows, words int64 // the shape of the weight
	width       int64 // bits of a word
	high, wide  int64 // the shape of the scales
	zeros       []int64
	zeroWidth   int64 // bits of a word of the zero points; 0 if these are floats
}

// countWords counts weights packed by GPTQ, AWQ and AutoRound. All of them fill words without gaps, so the width and
// the number of groups have to be known. Shapes that prove them take precedence over the configuration.
//
//	GPTQ            qweight [in·bits/32, out]      qzeros [groups, out·bits/32]   scales [groups, out]   g_idx [in]
//	AWQ, gemm       qweight [in, out·bits/32]      qzeros [groups, out·bits/32]   scales [groups, out]
//	AWQ, gemv       qweight [out, in/8]            qzeros [out, n]                scales [out, 8·n]
//	AWQ, gemv fast  qweight I16 [out/4, in]        qzeros F16 [8·n, out]          scales [8·n, out]
//	Marlin, QQQ     B [in/16, out·16·bits/32]                                     s [groups, out]
func countWords(m *Module, c *Context) (Values, bool) {
	t := m.Parts[parts.QWeight]
	q, s := m.shape(parts.QWeight), m.shape(parts.Scales)
	if len(q) != 2 || len(s) != 2 || min(q[0], q[1], s[0], s[1]) <= 0 || t.width() == 0 {
		return unproven(t, c.Method, "the weight and its scales are no matrices"), true
	}
	w := wordy{
		Module: m, t: t, rows: q[0], words: q[1], width: t.width(), high: s[0], wide: s[1],
		zeros: m.shape(parts.Zeros),
	}
	if m.is(parts.Zeros, parts.Integer|parts.Int64) && len(w.zeros) == 2 {
		w.zeroWidth = m.Parts[parts.Zeros].width()
	}
	switch {
	case parts.Last(t.Info.Name) == "B":
		return w.marlin(c), true
	case w.rows == w.high && w.zeroWidth > 0:
		return w.gemv(c), true
	case t.Kinds == parts.Int16 && m.is(parts.Zeros, parts.Float):
		return w.gemvFast(c), true
	case w.wide == w.words:
		return w.gptq(c), true
	case c.Method == "gptq":
		return broken(t, "gptq", "the shape %s and the scales %s differ in columns; both need one for each output",
			shapeOf(t), shapeOf(m.Parts[parts.Scales])), true
	}
	return w.awq(c), true
}

// gptq counts values that are packed along the inputs.
func (w *wordy) gptq(c *Context) Values {
	const name = "gptq"
	if w.zeroWidth > 0 && w.zeros[0] != w.high {
		return broken(w.t, name, "the zero points %s and the scales %s have different numbers of groups",
			shapeOf(w.Parts[parts.Zeros]), shapeOf(w.Parts[parts.Scales]))
	}
	byZeros := w.widths(func(bits int64) bool {
		return w.zeroWidth == 0 || clamp.CeilDiv(clamp.Mul(w.wide, bits), w.zeroWidth) == w.zeros[1]
	})
	if len(byZeros) == 0 {
		return broken(w.t, name, "the zero points %s have no whole number of bits for %d outputs",
			shapeOf(w.Parts[parts.Zeros]), w.wide)
	}
	in := int64(0)
	if index := w.shape(parts.GroupIndex); len(index) == 1 {
		in = index[0]
	}
	fit := slices.DeleteFunc(slices.Clone(byZeros), func(bits int64) bool {
		if in > 0 {
			return clamp.CeilDiv(clamp.Mul(in, bits), w.width) != w.rows
		}
		return clamp.Mul(w.rows, w.width)%bits != 0
	})
	if len(fit) == 0 {
		return broken(w.t, name, "the %d rows hold %d inputs of %d bits, but g_idx has %d", w.rows,
			clamp.MulDiv(w.rows, w.width, byZeros[0]), byZeros[0], in)
	}
	if proved := w.zeroWidth > 0 || in > 0; !proved && c.Group > 0 {
		if by := slices.DeleteFunc(slices.Clone(fit), func(bits int64) bool {
			return clamp.CeilDiv(clamp.MulDiv(w.rows, w.width, bits), c.Group) != w.high
		}); len(by) > 0 {
			fit = by
		}
	}
	bits, why := c.choose(fit)
	if bits == 0 {
		return unproven(w.t, name, why)
	}
	v := Values{Bits: bits, Name: name}
	known := in > 0 && w.zeroWidth > 0 // then nothing depends on the groups
	if in == 0 {
		in = clamp.MulDiv(w.rows, w.width, bits)
	}
	return w.judged(c, v, in, known)
}

// widths returns the widths from 1 to 8 bits that fit.
func (w *wordy) widths(fits func(bits int64) bool) (all []int64) {
	for bits := int64(1); bits <= 8; bits++ {
		if fits(bits) {
			all = append(all, bits)
		}
	}
	return all
}

// choose returns the one width that fits the shapes, or the one of them that the configuration says.
func (c *Context) choose(fit []int64) (bits int64, why string) {
	if len(fit) > 1 {
		fit = slices.DeleteFunc(slices.Clone(fit), func(bits int64) bool { return !slices.Contains(c.Bits, bits) })
	}
	if len(fit) == 1 {
		return fit[0], ""
	}
	return 0, "neither the shapes nor the configuration show how many bits a value has"
}

// judged completes the values of a weight with so many inputs. The number is exact if the groups prove it, or if it
// is known without them.
func (w *wordy) judged(c *Context, v Values, in int64, known bool) Values {
	v.N = exactly(clamp.Mul(in, w.wide))
	why, conflict := c.groups(in, w.high)
	if said := c.Width(); said > 0 && said != v.Bits && !c.PerModule {
		conflict = found("the configuration says %d bits, but the shapes prove %d", said, v.Bits)
		why = conflict.Text
	}
	v.Conflict = conflict
	if known {
		return v
	}
	v.In = in
	return v.unless(w.t, why)
}

// awq counts values that are packed along the outputs.
func (w *wordy) awq(c *Context) Values {
	const name = "awq"
	bits := exactWidth(w.words, w.width, w.wide)
	switch {
	case w.zeroWidth > 0 && w.zeros[0] != w.high && c.Method == name:
		return broken(w.t, name, "the zero points %s and the scales %s have different numbers of groups",
			shapeOf(w.Parts[parts.Zeros]), shapeOf(w.Parts[parts.Scales]))
	case w.zeroWidth > 0 && exactWidth(w.zeros[1], w.zeroWidth, w.wide) != bits && c.Method == name:
		return broken(w.t, name, "the shape %s and the zero points %s differ in columns, but are packed alike",
			shapeOf(w.t), shapeOf(w.Parts[parts.Zeros]))
	case bits == 0, bits != 4 && bits != c.Width(), // AutoAWQ writes only 4 bits
		w.zeroWidth > 0 && (w.zeros[0] != w.high || exactWidth(w.zeros[1], w.zeroWidth, w.wide) != bits),
		w.zeroWidth == 0 && bits != c.Width():
		return unproven(w.t, c.Method, "the shapes of the scales and zero points do not show how many bits a value has")
	}
	return w.judged(c, Values{Bits: bits, Name: name}, w.rows, false)
}

// gemv counts values that are packed along the inputs of each output, with padded groups.
func (w *wordy) gemv(c *Context) Values {
	in := clamp.Mul(w.words, 8)
	if w.zeros[0] != w.rows || clamp.Mul(w.zeros[1], 8) != w.wide || !c.isPadded(in, w.zeros[1]) {
		return unproven(w.t, "awq", "the shapes of the scales and zero points do not prove that a value has 4 bits")
	}
	return Values{N: exactly(clamp.Mul(w.rows, in)), Bits: 4, Name: "awq", In: in}
}

// gemvFast counts values of which each word has those of four outputs.
func (w *wordy) gemvFast(c *Context) Values {
	if clamp.Mul(w.rows, 4) != w.wide || !slices.Equal(w.zeros, w.shape(parts.Scales)) || w.high%8 != 0 ||
		!c.isPadded(w.words, w.high/8) {
		return unproven(w.t, "awq", "the shapes of the scales and zero points do not prove that a value has 4 bits")
	}
	return Values{N: exactly(clamp.Mul(w.wide, w.words)), Bits: 4, Name: "awq", In: w.words}
}

// isPadded reports whether AutoAWQ stores so many words of zero points for the groups of so many inputs: a multiple of
// 1, 2 or 4, depending on the size of groups. (AutoAWQ: calculate_zeros_width.)
func (c *Context) isPadded(in, words int64) bool {
	for _, size := range []int64{32, 64, 128, in} {
		if c.Group > 0 && size != c.Group || c.Group == -1 && size != in || size > in || in%size != 0 {
			continue
		}
		multiple := max(128/size, 1)
		n := clamp.CeilDiv(in/size, 8)
		if words == n || words == clamp.CeilDiv(n, multiple)*multiple {
			return true
		}
	}
	return false
}

// marlin counts tiles of 16 inputs.
func (w *wordy) marlin(c *Context) Values {
	bits := exactWidth(w.words, w.width, clamp.Mul(w.wide, 16))
	if bits == 0 {
		return unproven(w.t, "gptq", "the scales do not show how many bits a value has")
	}
	return w.judged(c, Values{Bits: bits, Name: "gptq"}, clamp.Mul(w.rows, 16), false)
}

// exactWidth returns the width at which n values fill so many words, or 0 if it is not from 1 to 8 bits.
func exactWidth(words, width, n int64) int64 {
	all := clamp.Mul(words, width)
	if n <= 0 || all%n != 0 || all/n > 8 {
		return 0
	}
	return all / n
}
