//go:build arm64 && !purego

package stats

// hasVector reports whether extremesOf and sumsOf are fast. All processors of this architecture have NEON.
const hasVector = true

// extremesNEON finds, in n F32s, the largest pattern as int32, the largest as uint32, the least magnitude minus 1, and
// the number of zeros. Each has 4 lanes. n is a multiple of 8, and not 0.
//
//go:noescape
func extremesNEON(src *byte, n int, out *[16]uint32)

// sumsNEON sums n F32s, and their squares in two parts: the square rounded to the unit of split, and the rest. Each has
// 4 lanes. n is a multiple of 4, and not 0.
//
//go:noescape
func sumsNEON(src *byte, n int, split float64, out *[12]float64)

// extremesOf is extremesNEON with its lanes joined.
func extremesOf(chunk []byte) (top int32, bottom, least, zeros uint32) {
	var lanes [16]uint32
	extremesNEON(&chunk[0], len(chunk)/4, &lanes)
	top, bottom, least = int32(lanes[0]), lanes[4], lanes[8]
	for i := range 4 {
		top, bottom = max(top, int32(lanes[i])), max(bottom, lanes[4+i])
		least, zeros = min(least, lanes[8+i]), zeros+lanes[12+i]
	}
	return top, bottom, least, zeros
}

// sumsOf is sumsNEON with its lanes joined.
func sumsOf(chunk []byte, split float64) (sum, upper, lower float64) {
	var lanes [12]float64
	sumsNEON(&chunk[0], len(chunk)/4, split, &lanes)
	for i := range 4 {
		sum, upper, lower = sum+lanes[i], upper+lanes[4+i], lower+lanes[8+i]
	}
	return sum, upper, lower
}
