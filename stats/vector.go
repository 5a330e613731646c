// F32: exact sums by vector instructions.

package stats

import "math"

// vectorChunk is the number of bytes of F32 whose sums are computed at once.
const vectorChunk = 8 << 10

// The widest range of the exponents in a chunk whose sums are exact, and their limits.
//
// With n = 2^11 numbers between 2^e and 2^(E+1), each is a multiple of 2^(e-23), and their sum is below 2^(E+1+11), so
// the sum has E-e+35 bits. The upper parts of squares are multiples of 2^(2E-40) and their sum is below 2^(2E+2+11): 53
// bits. The lower parts are multiples of 2^(2e-46), and their sum is at most 2^(2E-41+11): 2(E-e)+16 bits. A float64
// has 53, so nothing is rounded.
const (
	widestRange   = 18
	leastExponent = -100 // so that no part of a square is subnormal
	mostExponent  = 60
)

// The units of fastSums.
const (
	sumUnit     = leastExponent - mantissa32
	squaresUnit = 2 * sumUnit
)

// fastSums are exact sums of chunks.
type fastSums struct {
	n         uint64
	sum       [4]uint64 // 2^(60+1+61) in units of 2^-123
	squares   [7]uint64
	exponents [4][256]uint32 // of the numbers since the last flush
	counts    [256]uint64    // of all before
}

// add adds a chunk of vectorChunk bytes. It returns false and adds nothing if the sums would not be exact, or if
// numbers must be counted one by one.
func (f *fastSums) add(chunk []byte) (lo, hi float32, zeros uint64, ok bool) {
	top, bottom, least, none := extremesOf(chunk)
	least++ // 0 if all are zeros
	const sign = 1 << 31
	most := max(uint32(max(top, 0)), bottom&^sign)
	if top >= largest32 || bottom >= sign|largest32 || least != 0 && least < 1<<mantissa32 {
		return 0, 0, 0, false // a NaN, an infinity, the largest number, or a subnormal one
	}
	highest, lowest := int(most>>mantissa32)-127, int(least>>mantissa32)-127
	if least != 0 {
		if highest-lowest > widestRange || highest > mostExponent || lowest < leastExponent {
			return 0, 0, 0, false
		}
		// Adding 1.5 * 2^52 units rounds a square to a multiple of the unit, and subtracting it again is exact.
		sum, upper, lower := sumsOf(chunk, math.Ldexp(1.5, 2*highest-40+52))
		fixed(f.sum[:]).addFloat(sum, sumUnit)
		fixed(f.squares[:]).addFloat(upper, squaresUnit)
		fixed(f.squares[:]).addFloat(lower, squaresUnit)
		f.count(chunk)
	}
	f.n += uint64(len(chunk) / 4)
	lo, hi = math.Float32frombits(bottom), math.Float32frombits(uint32(top))
	nearest := math.Float32frombits(least)
	if none > 0 {
		nearest = 0
	}
	if bottom < sign { // all are positive
		lo = nearest
	} else if top < 0 {
		hi = -nearest
	}
	return lo, hi, uint64(none), true
}

// count counts exponents. Consecutive numbers have different counters, because equal ones would wait for each other.
func (f *fastSums) count(chunk []byte) {
	for ; len(chunk) >= 16; chunk = chunk[16:] {
		v, w := le.Uint64(chunk), le.Uint64(chunk[8:])
		f.exponents[0][uint8(v>>23)]++
		f.exponents[1][uint8(v>>55)]++
		f.exponents[2][uint8(w>>23)]++
		f.exponents[3][uint8(w>>55)]++
	}
}

// flush adds the counts of exponents to wider ones.
func (f *fastSums) flush() {
	if f.n == 0 {
		return
	}
	for i := range f.exponents {
		for e, n := range &f.exponents[i] {
			f.counts[e] += uint64(n)
		}
	}
	clear(f.exponents[:])
}

// merge adds the sums of other.
func (f *fastSums) merge(other *fastSums) {
	f.n += other.n
	fixed(f.sum[:]).merge(other.sum[:])
	fixed(f.squares[:]).merge(other.squares[:])
	for e, n := range &other.counts {
		f.counts[e] += n
	}
}

// slowExtremes returns the largest pattern as int32, the largest as uint32, the least magnitude minus 1, and the number
// of zeros.
func slowExtremes(chunk []byte) (top int32, bottom, least, zeros uint32) {
	top, least = math.MinInt32, math.MaxUint32
	for ; len(chunk) >= 4; chunk = chunk[4:] {
		u := le.Uint32(chunk)
		top, bottom = max(top, int32(u)), max(bottom, u)
		least = min(least, u&^(1<<31)-1)
		if u<<1 == 0 {
			zeros++
		}
	}
	return top, bottom, least, zeros
}

// slowSums returns the sum, and the sums of the two parts of the squares.
func slowSums(chunk []byte, split float64) (sum, upper, lower float64) {
	for ; len(chunk) >= 4; chunk = chunk[4:] {
		x := float64(math.Float32frombits(le.Uint32(chunk)))
		square := math.FMA(x, x, split) - split
		sum += x
		upper += square
		lower += math.FMA(x, x, -square)
	}
	return sum, upper, lower
}
