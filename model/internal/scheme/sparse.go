// Sparse weights, whose zeros are not stored.

package scheme

import (
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// countSparse counts sparse weights of compressed-tensors: the values that are not zero, and a bit for every
// value. Zeros are counted, because a loader unpacks them.
//
//	2:4   compressed [out, in/2]   bitmask U8 [out, ceil(in/8)]   shape I64 [2, 1]
//	any   compressed [n]           bitmask U8 [out, ceil(in/8)]   shape I64 [2]      row_offsets I64 [out]
func countSparse(m *Module, _ *Context) (Values, bool) {
	v, b := m.shape(parts.Kept), m.shape(parts.Bitmask)
	if len(b) < 2 || !m.is(parts.Bitmask, parts.Int8) {
		return Values{}, false
	}
	rows, bytes := clamp.Product(b[:len(b)-1]), b[len(b)-1]
	least, most := clamp.Mul(rows, clamp.Add(clamp.Mul(max(bytes-1, 0), 8), min(bytes, 1))),
		clamp.Mul(rows, clamp.Mul(bytes, 8))
	if n := clamp.Mul(m.stored(parts.Kept), 2); len(v) == len(b) && clamp.Product(v[:len(v)-1]) == rows &&
		n >= least && n <= most && (!m.has(parts.Scale) || rows > 0 && isScaled([]int64{rows, n / rows}, m.shape(parts.Scale))) {
		return Values{N: exactly(n), Bits: m.Parts[parts.Kept].width(), Name: "compressed-tensors 2:4"}, true
	}
	of := Values{N: Range{least, most}, Bits: m.Parts[parts.Kept].width(), Name: "compressed-tensors sparse"}
	if shape, ok := m.readShape(); ok {
		if n := clamp.Product(shape); n >= least && n <= most {
			of.N = exactly(n)
			return of, true
		}
	}
	of.Why = "shape was not read, so the last byte of each row of the mask may be partly empty"
	return of, true
}
