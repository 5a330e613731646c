package clamp

import (
	"math"
	"math/big"
	"testing"
)

// The operands are at the edges of int64, where each result is compared with math/big.
func TestArithmetic(t *testing.T) {
	edges := []int64{0, 1, 2, 3, 7, 1 << 31, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	for _, a := range edges {
		for _, b := range edges {
			x, y := big.NewInt(a), big.NewInt(b)
			check(t, "Add", Add(a, b), new(big.Int).Add(x, y), a, b)
			product := new(big.Int).Mul(x, y)
			check(t, "Mul", Mul(a, b), product, a, b)
			check(t, "Product", Product([]int64{a, b}), product, a, b)
			if b == 0 {
				continue
			}
			up := new(big.Int).Sub(new(big.Int).Add(x, y), big.NewInt(1))
			check(t, "CeilDiv", CeilDiv(a, b), up.Div(up, y), a, b)
			for _, num := range edges {
				n := new(big.Int).Mul(x, big.NewInt(num))
				check(t, "MulDiv", MulDiv(a, num, b), n.Div(n, y), a, num, b)
			}
		}
	}
}

func check(t *testing.T, name string, got int64, want *big.Int, args ...int64) {
	t.Helper()
	if !want.IsInt64() {
		want = big.NewInt(math.MaxInt64)
	}
	if got != want.Int64() {
		t.Errorf("%s of %d is %d, want %d", name, args, got, want)
	}
}

// Dimensions are unsigned, so a negative one is larger than any int64.
func TestProduct(t *testing.T) {
	for _, test := range []struct {
		dims []int64
		want int64
	}{
		{nil, 1},
		{[]int64{-1}, math.MaxInt64},
		{[]int64{-1, 0}, 0},
		{[]int64{-1, -1, 0}, 0},
		{[]int64{0, -1, -1}, 0},
		{[]int64{math.MinInt64, 2, 1}, math.MaxInt64},
	} {
		if got := Product(test.dims); got != test.want {
			t.Errorf("the product of %d is %d, want %d", test.dims, got, test.want)
		}
	}
}

func TestUint(t *testing.T) {
	for _, test := range []struct {
		v    uint64
		want int64
	}{
		{0, 0},
		{1<<63 - 1, math.MaxInt64},
		{1 << 63, math.MaxInt64},
		{1<<64 - 1, math.MaxInt64},
	} {
		if got := Uint(test.v); got != test.want {
			t.Errorf("%d becomes %d, want %d", test.v, got, test.want)
		}
	}
}
