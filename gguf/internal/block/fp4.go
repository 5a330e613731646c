// Types of floats with 4 bits.

package block

import (
	"math"
	"sync"
)

// doubled are the 16 values of E2M1, times 2. Code 8 is 0, not -0: the tables of ggml consist of integers.
var doubled = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

func mxfp4(dst []float32, b []byte) {
	// Half of the power of two, because the values are doubled. 255 is a power like the others, and not NaN as in the
	// standard of OCP.
	d := math.Float32frombits(uint32(b[0]-1) << 23)
	switch b[0] {
	case 0:
		d = 0x1p-128
	case 1:
		d = 0x1p-127
	}
	low, high := dst[:16], dst[16:32]
	for i, q := range b[1:17] {
		low[i], high[i] = d*doubled[q&15], d*doubled[q>>4]
	}
}

func nvfp4(dst []float32, b []byte) {
	scales := halvedScales()
	for g := range 4 {
		d := scales[b[g]]
		low, high := dst[16*g:][:8], dst[16*g+8:][:8]
		for i, q := range b[4+8*g:][:8] {
			low[i], high[i] = d*doubled[q&15], d*doubled[q>>4]
		}
	}
}

// halvedScales returns half of the values of E4M3. The sign is ignored. Code 127, which is NaN in E4M3, is 0, and 255
// is not.
var halvedScales = sync.OnceValue(func() *[256]float32 {
	t := new([256]float32)
	for x := range t {
		e, m := x>>3&15, x&7
		v := math.Ldexp(float64(m), -9)
		if e > 0 {
			v = math.Ldexp(1+float64(m)/8, e-7)
		}
		t[x] = float32(v / 2)
	}
	t[127] = 0
	return t
})
