// Integers: held exactly or not at all, and rounded once on the way to a float.

package num

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// edges returns integers about which something may go wrong: around powers of
// two, around ties of every narrower float, and at random.
func edges() []uint64 {
	r := rand.New(rand.NewPCG(3, 4))
	v := []uint64{0, math.MaxUint64}
	for k := range 64 {
		p := uint64(1) << k
		v = append(v, p-1, p, p+1, p+p>>1, p+p>>8, p+p>>9, p+p>>8+1, p+p>>24, p+p>>24+1, p+p>>24-1, p+p>>53, p+p>>8+p>>63)
		v = append(v, r.Uint64()>>k)
	}
	for _, x := range v {
		v = append(v, -x)
	}
	return v
}

// big.Float rounds to any precision, to the nearest and ties to even; it does
// not know of narrow exponents, which integers of 64 bits do not leave.
func TestEncodeRoundsIntegersOnce(t *testing.T) {
	precision := map[string]uint{"BF16": 8, "F32": 24, "F64": 53}
	for name, prec := range precision {
		c := For(name)
		for _, v := range edges() {
			for _, signed := range []bool{false, true} {
				exact := new(big.Int).SetUint64(v)
				got, _ := encodeOne(c, v, false)
				if signed {
					exact.SetInt64(int64(v))
					got, _ = encodeOne(c, int64(v), false)
				}
				want, _ := new(big.Float).SetPrec(prec).SetInt(exact).Float64()
				var word [8]byte
				binary.LittleEndian.PutUint64(word[:], got)
				x := make([]float64, 1)
				if Decode(c, x, word[:], 0); x[0] != want {
					t.Errorf("%v as %s is %v, want %v", exact, name, x[0], want)
				}
			}
		}
	}
}

func TestDecodeRoundsIntegersOnce(t *testing.T) {
	for _, v := range edges() {
		src := binary.LittleEndian.AppendUint64(nil, v)
		for name, exact := range map[string]*big.Int{
			"U64": new(big.Int).SetUint64(v),
			"I64": big.NewInt(int64(v)),
			"U32": big.NewInt(int64(uint32(v))),
			"I32": big.NewInt(int64(int32(v))),
		} {
			x32, x64 := make([]float32, 1), make([]float64, 1)
			Decode(For(name), x32, src, 0)
			Decode(For(name), x64, src, 0)
			f := new(big.Float).SetInt(exact) // of as many bits as it takes
			want32, _ := f.Float32()
			want64, _ := f.Float64()
			if x32[0] != want32 || x64[0] != want64 {
				t.Errorf("%s %v is %v and %v, want %v and %v", name, exact, x32[0], x64[0], want32, want64)
			}
		}
	}
}

// ranges of the integer dtypes, as two's complement has them.
var ranges = []struct {
	dtype  string
	lo, hi *big.Int
}{
	{"U8", big.NewInt(0), big.NewInt(255)},
	{"I8", big.NewInt(-128), big.NewInt(127)},
	{"U16", big.NewInt(0), big.NewInt(65535)},
	{"I16", big.NewInt(-32768), big.NewInt(32767)},
	{"U32", big.NewInt(0), big.NewInt(math.MaxUint32)},
	{"I32", big.NewInt(math.MinInt32), big.NewInt(math.MaxInt32)},
	{"U64", big.NewInt(0), new(big.Int).SetUint64(math.MaxUint64)},
	{"I64", big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)},
}

func TestIntegersAreHeldExactlyOrNotAtAll(t *testing.T) {
	for _, l := range ranges {
		c := For(l.dtype)
		check := func(exact *big.Int, got uint64, ok bool, saturate bool) {
			t.Helper()
			want, fits := exact, exact.Cmp(l.lo) >= 0 && exact.Cmp(l.hi) <= 0
			if !fits && saturate {
				want, fits = l.hi, true
				if exact.Sign() < 0 {
					want = l.lo
				}
			}
			if ok != fits {
				t.Errorf("%v as %s, saturate %t: held is %t", exact, l.dtype, saturate, ok)
			}
			// The low bits, which is what two's complement is.
			bits := new(big.Int).And(want, new(big.Int).SetUint64(math.MaxUint64>>(64-c.bits)))
			if ok && got != bits.Uint64() {
				t.Errorf("%v as %s, saturate %t: %#x, want %#x", exact, l.dtype, saturate, got, bits)
			}
		}
		for _, v := range edges() {
			for _, saturate := range []bool{false, true} {
				got, ok := encodeOne(c, v, saturate)
				check(new(big.Int).SetUint64(v), got, ok, saturate)
				got, ok = encodeOne(c, int64(v), saturate)
				check(big.NewInt(int64(v)), got, ok, saturate)
				x := float64(int64(v))
				exact, _ := big.NewFloat(x).Int(nil)
				got, ok = encodeOne(c, x, saturate)
				check(exact, got, ok, saturate)
			}
		}
	}
}

func TestFloatsBecomeTheNearestInteger(t *testing.T) {
	tests := []struct {
		x    float64
		want uint64 // as I8
	}{
		{0.5, 0}, {1.5, 2}, {2.5, 2}, {2.500001, 3}, {-0.5, 0}, {-1.5, 0xfe}, {-2.5, 0xfe},
		{127.49, 127}, {-128.5, 0x80}, {math.Copysign(0, -1), 0},
	}
	for _, test := range tests {
		if got, ok := encodeOne(For("I8"), test.x, false); !ok || got != test.want {
			t.Errorf("%v as I8 is %#x %t, want %#x", test.x, got, ok, test.want)
		}
	}
}

func TestIntsReadsIntegersExactly(t *testing.T) {
	tests := []struct {
		dtype    string
		src      []byte
		signed   []int64
		unsigned []uint64
	}{
		{"BOOL", []byte{0, 1, 2}, []int64{0, 1, 1}, []uint64{0, 1, 1}},
		{"I8", []byte{1, 0xff, 2}, []int64{1, -1, 2}, []uint64{1}},
		{"U8", []byte{1, 0xff}, []int64{1, 255}, []uint64{1, 255}},
		{"I16", []byte{0xff, 0x7f, 0, 0x80}, []int64{32767, -32768}, []uint64{32767}},
		{"U32", []byte{0xff, 0xff, 0xff, 0xff}, []int64{1<<32 - 1}, []uint64{1<<32 - 1}},
		{"I64", []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, []int64{math.MinInt64 + 1}, nil},
		{"U64", []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, nil, []uint64{1<<63 + 1}},
		{"F32", []byte{0, 0, 0x80, 0x3f}, nil, nil}, // no integers
	}
	for _, test := range tests {
		c := For(test.dtype)
		n := len(test.src) * 8 / c.bits
		signed, unsigned := make([]int64, n), make([]uint64, n)
		if got := Ints(c, signed, test.src, 0); got != len(test.signed) {
			t.Errorf("%s % x: %d were read as int64, want %d", test.dtype, test.src, got, len(test.signed))
		}
		if got := Ints(c, unsigned, test.src, 0); got != len(test.unsigned) {
			t.Errorf("%s % x: %d were read as uint64, want %d", test.dtype, test.src, got, len(test.unsigned))
		}
		for i, want := range test.signed {
			if signed[i] != want {
				t.Errorf("%s % x: element %d is %d, want %d", test.dtype, test.src, i, signed[i], want)
			}
		}
		for i, want := range test.unsigned {
			if unsigned[i] != want {
				t.Errorf("%s % x: element %d is %d, want %d", test.dtype, test.src, i, unsigned[i], want)
			}
		}
	}
}
