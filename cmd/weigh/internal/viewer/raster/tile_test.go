package raster

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors"
)

// matrix returns a plane of random numbers and the numbers.
func matrix(t testing.TB, rows, columns int, turns bool) (*Plane, func(y, x int) float32) {
	t.Helper()
	values := make([]float32, rows*columns)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	values[len(values)/3] = float32(math.NaN())
	values[len(values)/5] = float32(math.Inf(-1))
	one, err := safetensors.NewTensor("x", values, int64(rows), int64(columns))
	if err != nil {
		t.Fatal(err)
	}
	axes := [2]int{0, 1}
	if turns {
		axes = [2]int{1, 0}
	}
	p, err := NewPlane(one, axes, []int64{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	return p, func(y, x int) float32 {
		if turns {
			y, x = x, y
		}
		return values[y*columns+x]
	}
}

// reduce returns what a pixel has to be.
func reduce(b Box, mode Mode, at func(y, x int) float32) float32 {
	var most float32
	var sum float64
	for y := b.Top; y < b.Bottom; y++ {
		for x := b.Left; x < b.Right; x++ {
			v := at(int(y), int(x))
			sum += float64(v)
			if most != most {
				continue
			}
			if v != v || math.Abs(float64(v)) > math.Abs(float64(most)) {
				most = v
			}
		}
	}
	switch mode {
	case Mean:
		return float32(sum / float64(b.Height()*b.Width()))
	case Sample:
		return at(int(b.Top+(b.Height()-1)/2), int(b.Left+(b.Width()-1)/2))
	}
	return most
}

func TestTile(t *testing.T) {
	for _, turns := range []bool{false, true} {
		p, at := matrix(t, 1030, 270, turns)
		o, err := p.Overview(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for level := range p.Levels() {
			for _, mode := range []Mode{AbsMax, Mean, Sample} {
				for y := int64(0); y*Side<<level < p.Rows; y++ {
					for x := int64(0); x*Side<<level < p.Columns; x++ {
						tile, err := p.Tile(context.Background(), level, x, y, mode, 0)
						if err != nil {
							t.Fatal(err)
						}
						b := p.BoxOf(level, x, y)
						verify(t, tile, b, level, mode, at)
						if level >= o.Level && mode != Sample {
							verify(t, o.Tile(b, level, mode), b, level, mode, at)
						}
					}
				}
			}
		}
	}
}

// verify compares a tile with all of its elements.
func verify(t *testing.T, tile *Tile, b Box, level int, mode Mode, at func(y, x int) float32) {
	t.Helper()
	for y := range tile.Height {
		for x := range tile.Width {
			pixel := Box{b.Top + int64(y)<<level, b.Left + int64(x)<<level, min(b.Top+int64(y+1)<<level, b.Bottom),
				min(b.Left+int64(x+1)<<level, b.Right)}
			got, want := tile.Pixels[y*tile.Width+x], reduce(pixel, mode, at)
			near := math.Abs(float64(got-want)) <= 1e-6
			if got != want && !near && !(got != got && want != want) {
				t.Fatalf("level %d, %s, box %v, pixel %d, %d: %v, want %v", level, mode, b, y, x, got, want)
			}
		}
	}
}

func TestBudget(t *testing.T) {
	p, at := matrix(t, 1100, 700, false)
	for _, mode := range []Mode{AbsMax, Mean, Sample} {
		for _, budget := range []int64{1 << 20, 300_000, 10_000, 1500, 300} {
			tile, err := p.Tile(context.Background(), p.Levels()-1, 0, 0, mode, budget)
			if err != nil {
				t.Fatal(err)
			}
			if tile.Bytes > budget && tile.Read > 1 || tile.Bytes > 2*budget && tile.Bytes > 4*int64(tile.Width) {
				t.Errorf("%s within %d bytes: read %d bytes, %d rows", mode, budget, tile.Bytes, tile.Read)
			}
			for i, v := range tile.Pixels {
				if v == 0 {
					t.Fatalf("%s within %d bytes: pixel %d is empty", mode, budget, i)
				}
			}
		}
	}
	_ = at
}

func TestVector(t *testing.T) {
	one, _ := safetensors.NewTensor("x", []float32{1, -3, 2}, 3)
	p, err := NewPlane(one, [2]int{0, 1}, nil)
	if err != nil || p.Rows != 1 || p.Columns != 3 || p.Levels() != 1 {
		t.Fatal(p, err)
	}
	tile, err := p.Tile(context.Background(), 0, 0, 0, AbsMax, 1)
	if err != nil || tile.Width != 3 || tile.Pixels[1] != -3 {
		t.Error(tile, err)
	}
	scalar, _ := safetensors.NewTensor("x", []float32{7})
	if p, err = NewPlane(scalar, [2]int{0, 1}, nil); err != nil || p.Rows != 1 || p.Columns != 1 {
		t.Error(p, err)
	}
}

func TestMinus(t *testing.T) {
	a, _ := safetensors.NewTensor("x", []float32{1, 2, 3, 4}, 2, 2)
	b, _ := safetensors.NewTensor("x", []int32{1, 1, 1, 1}, 2, 2)
	p, _ := NewPlane(a, [2]int{0, 1}, []int64{0, 0})
	q, _ := NewPlane(b, [2]int{0, 1}, []int64{0, 0})
	d, err := p.Minus(q)
	if err != nil {
		t.Fatal(err)
	}
	tile, err := d.Tile(context.Background(), 0, 0, 0, Mean, 0)
	if err != nil || tile.Pixels[3] != 3 || tile.Pixels[0] != 0 {
		t.Error(tile, err)
	}
}

func BenchmarkOverview(b *testing.B) {
	values := make([]uint16, 8192*8192)
	for i := range values {
		values[i] = uint16(0x3c00 + i*7919%0x300)
	}
	one, _ := safetensors.NewTensor("x", values, 8192, 8192)
	one.Dtype = safetensors.BF16
	p, _ := NewPlane(one, [2]int{0, 1}, []int64{0, 0})
	for b.Loop() {
		if _, err := p.Overview(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTile(b *testing.B) {
	p, _ := matrix(b, 2048, 2048, false)
	for level := range p.Levels() {
		b.Run(string(rune('0'+level)), func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Tile(context.Background(), level, 0, 0, AbsMax, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
