//go:build amd64 && !purego

package stats

// hasVector reports whether the processor has AVX2 and FMA, and the system saves their registers. (Intel SDM, volume 1,
// 14.3: detection of AVX; 14.5.3: of FMA; 14.7.1: of AVX2.)
var hasVector = func() bool {
	const (
		fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // leaf 1, ECX
		avx2              = 1 << 5                    // leaf 7, EBX
		registers         = 1<<1 | 1<<2               // XCR0: XMM and YMM
	)
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return false
	}
	_, _, c, _ := cpuid(1, 0)
	_, b, _, _ := cpuid(7, 0)
	const needed = fma | osxsave | avx
	return c&needed == needed && b&avx2 != 0 && xgetbv()&registers == registers
}()

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() uint32

// extremesAVX2 finds, in n F32s, the largest pattern as int32, the largest as uint32, the least magnitude minus 1, and
// the number of zeros. Each has 8 lanes. n is a multiple of 16, and not 0.
//
//go:noescape
func extremesAVX2(src *byte, n int, out *[32]uint32)

// sumsAVX2 sums n F32s, and their squares in two parts: the square rounded to the unit of split, and the rest. Each has
// 8 lanes. n is a multiple of 8, and not 0.
//
//go:noescape
func sumsAVX2(src *byte, n int, split float64, out *[24]float64)

// extremesOf is extremesAVX2 with its lanes joined.
func extremesOf(chunk []byte) (top int32, bottom, least, zeros uint32) {
	var lanes [32]uint32
	extremesAVX2(&chunk[0], len(chunk)/4, &lanes)
	top, bottom, least = int32(lanes[0]), lanes[8], lanes[16]
	for i := range 8 {
		top, bottom = max(top, int32(lanes[i])), max(bottom, lanes[8+i])
		least, zeros = min(least, lanes[16+i]), zeros+lanes[24+i]
	}
	return top, bottom, least, zeros
}

// sumsOf is sumsAVX2 with its lanes joined.
func sumsOf(chunk []byte, split float64) (sum, upper, lower float64) {
	var lanes [24]float64
	sumsAVX2(&chunk[0], len(chunk)/4, split, &lanes)
	for i := range 8 {
		sum, upper, lower = sum+lanes[i], upper+lanes[8+i], lower+lanes[16+i]
	}
	return sum, upper, lower
}
