// Sparse weights: those of which some values are zero, and not stored.

package model

// countSparse counts what compressed-tensors stores of a sparse weight: the values
// that are not zero, and a bit for every one. Zeros are parameters that pruning has
// set; a loader unpacks all.
//
//	2:4   compressed [out, in/2]   bitmask U8 [out, ceil(in/8)]   shape I64 [2, 1]
//	any   compressed [n]           bitmask U8 [out, ceil(in/8)]   shape I64 [2]      row_offsets I64 [out]
func countSparse(m *module, _ *config) (values, bool) {
	v, b := m.shape(kept), m.shape(bitmask)
	if len(b) < 2 || !m.is(bitmask, is8) {
		return values{}, false
	}
	rows, bytes := product(b[:len(b)-1]), b[len(b)-1]
	least, most := times(rows, sum(times(max(bytes-1, 0), 8), min(bytes, 1))), times(rows, times(bytes, 8))
	if n := times(m.stored(kept), 2); len(v) == len(b) && product(v[:len(v)-1]) == rows && n >= least && n <= most {
		return values{n: exactly(n), bits: m.parts[kept].width(), name: "compressed-tensors 2:4"}, true
	}
	of := values{n: Range{least, most}, bits: m.parts[kept].width(), name: "compressed-tensors sparse"}
	if shape, ok := m.readShape(); ok {
		if n := product(shape); n >= least && n <= most {
			of.n = exactly(n)
			return of, true
		}
	}
	of.why = "shape was not read, so the last byte of each row of the mask may not be full"
	return of, true
}

// countMarlin24 counts words with half of the values, as Marlin's kernel for 2:4
// wants them. Two bits for each that is kept say where it was: an I16 is for 16 values.
//
//	weight_packed I32 [in/32, out·16·bits/32]   meta I16 [in/32, out·2]   scale_packed
func countMarlin24(m *module, _ *config) (values, bool) {
	if !m.is(sparsity, is16) {
		return values{}, false
	}
	n, bits := times(m.stored(sparsity), 16), times(m.stored(packed), 64)
	if n == 0 || bits%n != 0 || bits/n > 8 {
		return values{}, false
	}
	return values{n: exactly(n), bits: bits / n}, true
}
