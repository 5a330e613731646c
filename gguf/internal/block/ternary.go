// Types of one or two bits, and of three values.

package block

func q1_0(dst []float32, b []byte) {
	values := [2]float32{-half16(b), half16(b)}
	for i, q := range b[2:18] {
		part := dst[8*i:][:8]
		for k := range part {
			part[k] = values[q>>k&1]
		}
	}
}

func q2_0(dst []float32, b []byte) {
	d := half16(b)
	for i, q := range b[2:18] {
		part := dst[4*i:][:4]
		for k := range part {
			part[k] = d * float32(int(q>>(2*k)&3)-1)
		}
	}
}

func tq2_0(dst []float32, b []byte) {
	d := half16(b[64:])
	for i := 0; i < 256; i += 32 {
		shift := i % 128 / 32 * 2
		src, part := b[i/128*32:][:32], dst[i:][:32]
		for k, q := range src {
			part[k] = d * float32(int(q>>shift&3)-1)
		}
	}
}

// A byte of TQ1_0 holds five digits of base 3 as a fraction of 256, so that a digit is the upper byte of three times
// the fraction that begins with it.
func tq1_0(dst []float32, b []byte) {
	d := half16(b[52:])
	digits := func(dst []float32, src []byte, count int) []float32 {
		power := byte(1)
		for range count {
			part := dst[:len(src)]
			for k, q := range src {
				part[k] = d * float32(int(uint16(q*power)*3>>8)-1)
			}
			dst, power = dst[len(src):], power*3
		}
		return dst
	}
	dst = digits(dst, b[:32], 5)
	dst = digits(dst, b[32:48], 5)
	digits(dst, b[48:52], 4)
}
