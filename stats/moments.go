// Exact sums, and the mean and standard deviation, which are rounded once.

package stats

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// sums are the count of integers, their sum and the sum of their squares. Integers have up to 64 bits, and
// fractions up to 52. There are fewer than 2^60, because a tensor has fewer than 2^61 bytes. So the sums are
// below 2^124 and 2^188 and do not overflow.
type sums struct {
	n       uint64
	sum     [2]uint64 // in two's complement, the least significant word first
	squares [3]uint64
}

// add adds n integers whose sums are the given words.
func (s *sums) add(n, sum0, sum1, sq0, sq1, sq2 uint64) {
	s.n += n
	var carry uint64
	s.sum[0], carry = bits.Add64(s.sum[0], sum0, 0)
	s.sum[1] += sum1 + carry
	s.squares[0], carry = bits.Add64(s.squares[0], sq0, 0)
	s.squares[1], carry = bits.Add64(s.squares[1], sq1, carry)
	s.squares[2] += sq2 + carry
}

func (s *sums) merge(o *sums) {
	s.add(o.n, o.sum[0], o.sum[1], o.squares[0], o.squares[1], o.squares[2])
}

// moments returns s as moments.
func (s *sums) moments() *moments {
	m := &moments{n: int64(s.n)}
	m.sum.Set(join(s.sum[:]...))
	if s.sum[1]>>63 != 0 {
		m.sum.Sub(&m.sum, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	m.squares.Set(join(s.squares[:]...))
	return m
}

// moments are the count of numbers, their sum in units of 2^exp, and the sum of their squares in units of
// 2^(2*exp).
type moments struct {
	n            int64
	sum, squares big.Int
	exp          int
}

// guard is the number of bits of a result that are computed: the bits of a float64, and additional ones of
// which the last is set if the result is inexact.
const guard = 64

// meanAndStdDev returns both rounded to the nearest float64, or NaN for no numbers. They do not overflow,
// because neither exceeds the largest number.
func (m *moments) meanAndStdDev() (mean, stdDev float64) {
	if m.n == 0 {
		return math.NaN(), math.NaN()
	}
	return m.mean(), m.stdDev()
}

// mean returns sum / n. It divides the magnitude, because integer division rounds towards zero, and nearest
// rounds the result.
func (m *moments) mean() float64 {
	n := big.NewInt(m.n)
	k := max(0, guard+n.BitLen()-m.sum.BitLen())
	q := new(big.Int).Lsh(new(big.Int).Abs(&m.sum), uint(k))
	rest := new(big.Int)
	q.QuoRem(q, n, rest)
	x := nearest(q, rest.Sign() != 0, m.exp-k)
	if m.sum.Sign() < 0 {
		return -x
	}
	return x
}

// stdDev returns the root of the mean square minus the square of the mean, which is
// sqrt(n*squares - sum²) / n. Because the sums are exact, the difference is, too.
func (m *moments) stdDev() float64 {
	n := big.NewInt(m.n)
	v := new(big.Int).Mul(n, &m.squares)
	v.Sub(v, new(big.Int).Mul(&m.sum, &m.sum))
	// In integers: the root of v*4^k/n², which needs twice as many bits.
	k := max(0, guard+n.BitLen()-v.BitLen()/2)
	v.Lsh(v, uint(2*k))
	q, rest := new(big.Int).QuoRem(v, new(big.Int).Mul(n, n), new(big.Int))
	root := new(big.Int).Sqrt(q)
	exact := rest.Sign() == 0 && q.Cmp(new(big.Int).Mul(root, root)) == 0
	return nearest(root, !exact, m.exp-k)
}

// nearest returns the float64 nearest to x * 2^exp, or if more is set, nearest to a number just above it. x is
// not negative. Unless it is exact, it has at least guard bits, so an additional bit that is set for inexact
// numbers decides between the float64 below and the one above.
func nearest(x *big.Int, more bool, exp int) float64 {
	x = new(big.Int).Lsh(x, 1)
	if more {
		x.SetBit(x, 0, 1)
	}
	f := new(big.Float).SetInt(x) // with the precision of x
	nearest, _ := f.SetMantExp(f, exp-1).Float64()
	return nearest
}

// join returns the integer with the given words, least significant first. There are up to three.
func join(words ...uint64) *big.Int {
	var b [24]byte
	for i, w := range words {
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], w)
	}
	return new(big.Int).SetBytes(b[:])
}
