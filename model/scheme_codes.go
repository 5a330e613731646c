// Codes: values that are entries of a codebook or points of a lattice, some at once.

package model

// countAQLM counts codes of [out groups, in groups, codebooks], where codebooks are
// [codebooks, entries, out in a group, in in a group]. The codebooks are trained, but
// in place of the weights, so they are no parameters beside these.
func countAQLM(m *module, _ *config) (values, bool) {
	n, b := m.shape(codes), m.shape(codebooks)
	if len(n) != 3 || len(b) != 4 || n[2] != b[0] {
		return values{}, false
	}
	return values{n: exactly(times(times(n[0], n[1]), times(b[2], b[3])))}, true
}

// countVPTQ counts indices of vectors. Outputs are padded to a multiple of the
// vectors' length, and the bits of indices fill words, so that shapes leave open how
// long vectors are: the configuration has to say what the module was made from.
//
//	indices I32 [groups, ceil(out/length), ceil(group·bits/32)], or I16 [groups, ceil(out/length), group]
//	centroids.weight [groups, entries·length]   res_centroids, outlier_centroids, perm, weight_scale, weight_bias
func countVPTQ(m *module, c *config) (values, bool) {
	e, s := m.parts[indices], m.shape(indices)
	if len(s) != 3 {
		return values{}, false
	}
	if d, ok := c.dense[m.name]; ok && ceil(d.out, d.vector) == s[1] {
		return values{n: exactly(times(d.out, d.in))}, true
	}
	return values{
		n:   Range{e.stored(), times(e.stored(), e.width())},
		why: "the configuration does not say how many inputs and outputs the module has, or says what its indices cannot have",
	}, true
}

// countQuIP counts lattice codes, of 2 to 4 bits for each value. What is packed and
// in which order is the codebook's affair; the signs have one for each input and for
// each output.
//
//	Qidxs I64 [out, in·bits/64]   SU [in]   SV [out]   Wscale, codebook_id
func countQuIP(m *module, _ *config) (values, bool) {
	e, in, out := m.parts[latticeCodes], m.shape(inSigns), m.shape(outSigns)
	if len(in) != 1 || len(out) != 1 {
		return values{}, false
	}
	n, all := times(in[0], out[0]), times(e.stored(), e.width())
	if n <= 0 || all%n != 0 || all/n < 1 || all/n > 8 {
		return values{}, false
	}
	return values{n: exactly(n), bits: all / n}, true
}

// countHIGGS counts values of 2 to 4 bits, packed along the outputs.
//
//	weight I16 [out·bits/16, in]   scales [out, in/group]   tables [2^bits]   tables2 [2^bits, 2^bits, 2]
func countHIGGS(m *module, _ *config) (values, bool) {
	w, s := m.shape(weight), m.shape(scales)
	if len(w) != 2 || len(s) != 2 || s[0] <= 0 || times(w[0], 16)%s[0] != 0 {
		return values{}, false
	}
	bits := times(w[0], 16) / s[0]
	if bits < 2 || bits > 4 || m.stored(tables) != 1<<bits {
		return values{}, false
	}
	return values{n: exactly(times(s[0], w[1])), bits: bits}, true
}

// countSpQR counts tiles of beta1 × beta2 values, of which each row is a word: 16
// values of 3 bits, and their scales. Values that are kept as they were are in
// col_vals once more.
//
//	dense_weights I64 [ceil(out/16)·ceil(in/16)·16]   row_offsets I32 [out+1]   in_perm I32 [in/2] or [0]   col_vals
func countSpQR(m *module, c *config) (values, bool) {
	words := m.stored(tiles)
	height, width := c.tile()
	out, in := m.stored(offsets)-1, times(m.stored(pairs), 2)
	v := values{n: exactly(times(words, width)), bits: 3}
	switch {
	case out > 0 && in > 0 && times(times(ceil(out, height), ceil(in, width)), height) == words:
		v.n = exactly(times(out, in))
	case c.multiplesOf(height) && c.multiplesOf(width):
	default:
		v.n.Low, v.why = words/height, "row_offsets and in_perm do not say how many inputs and outputs there are, and tiles may be padded"
	}
	return v, true
}

// tile returns the height and the width of SpQR's tiles. Its programs have no others
// than 16 × 16.
func (c *config) tile() (height, width int64) {
	height, width = 16, 16
	if c.beta1 > 0 && c.beta2 > 0 {
		height, width = c.beta1, c.beta2
	}
	return height, width
}
