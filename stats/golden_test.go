// Summaries that NumPy and exact fractions made: see testdata/make.py.

package stats

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/weightools/safetensors"
)

type goldenFile struct {
	Bins      int
	Quantiles []float64
	Cases     []goldenCase
}

// A goldenCase is a tensor's bytes, and what is said of them. Numbers are
// strings: integers in full, Mean and StdDev as hexadecimal floats.
type goldenCase struct {
	Name, Data                 string
	Dtype                      safetensors.Dtype
	Count, NaN, PosInf, NegInf int64
	Zero, Subnormal, AtMax     int64
	Min, Max, Mean, StdDev     string // empty if no number is finite
	Exponents                  Exponents
	Histogram                  *Histogram
	Quantiles                  []string
}

func TestGolden(t *testing.T) {
	b, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden goldenFile
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	c := &Counter{Bins: golden.Bins, Quantiles: golden.Quantiles}
	seen := map[safetensors.Dtype]bool{}
	for _, want := range golden.Cases {
		seen[want.Dtype] = true
		t.Run(string(want.Dtype)+"/"+want.Name, func(t *testing.T) {
			data, err := hex.DecodeString(want.Data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Of(tensorOf(want.Dtype, data))
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, got, &want)
		})
	}
	for dtype := range safetensors.Dtypes() {
		if !seen[dtype] {
			t.Errorf("testdata has no %s", dtype)
		}
	}
}

func compareGolden(t *testing.T, got *Summary, want *goldenCase) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"Count", got.Count, want.Count},
		{"NaN", got.NaN, want.NaN},
		{"PosInf", got.PosInf, want.PosInf},
		{"NegInf", got.NegInf, want.NegInf},
		{"Zero", got.Zero, want.Zero},
		{"Subnormal", got.Subnormal, want.Subnormal},
		{"AtMax", got.AtMax, want.AtMax},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.name, c.got, c.want)
		}
	}
	compareValue(t, "Min", got.Min, want.Min)
	compareValue(t, "Max", got.Max, want.Max)
	compareFloat(t, "Mean", got.Mean, want.Mean)
	compareFloat(t, "StdDev", got.StdDev, want.StdDev)
	if e := got.Exponents; !slices.Equal(e.Counts, want.Exponents.Counts) || e.First != want.Exponents.First {
		t.Errorf("Exponents are %v, want %v", e, want.Exponents)
	}
	if len(got.Quantiles) != len(want.Quantiles) {
		t.Fatalf("Quantiles are %v, want %v", got.Quantiles, want.Quantiles)
	}
	for i, q := range got.Quantiles {
		compareValue(t, "quantile", q, want.Quantiles[i])
	}
	if want.Histogram != nil {
		compareHistogram(t, got.Histogram, *want.Histogram)
	}
}

// compareValue compares floats as numbers, since Python prints the same digits
// in another form, and integers digit by digit.
func compareValue(t *testing.T, name string, got Value, want string) {
	t.Helper()
	if got.kind == floating {
		if x, err := strconv.ParseFloat(want, 64); err != nil || got.Float64() != x {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
		return
	}
	if want == "" {
		want = "NaN"
	}
	if got.String() != want {
		t.Errorf("%s is %v, want %s", name, got, want)
	}
}

func compareFloat(t *testing.T, name string, got float64, want string) {
	t.Helper()
	if want == "" {
		want = "NaN"
	}
	x, err := strconv.ParseFloat(want, 64)
	if err != nil {
		t.Fatal(err)
	}
	if math.Float64bits(got) != math.Float64bits(x) && !(got != got && x != x) {
		t.Errorf("%s is %x, want %x", name, got, x)
	}
}

// compareHistogram allows the edges to differ from NumPy's by rounding. No number
// of the data lies between one's edge and the other's.
func compareHistogram(t *testing.T, got, want Histogram) {
	t.Helper()
	if !slices.Equal(got.Counts, want.Counts) || len(got.Edges) != len(want.Edges) {
		t.Errorf("Histogram is %v, want %v", got, want)
		return
	}
	slack := 1e-14 * max(math.Abs(want.Edges[0]), math.Abs(want.Edges[len(want.Edges)-1]))
	for i, edge := range got.Edges {
		if math.Abs(edge-want.Edges[i]) > slack {
			t.Errorf("edge %d is %v, want %v", i, edge, want.Edges[i])
		}
	}
}
