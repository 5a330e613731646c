// Whole tensors: many blocks, many goroutines, and sources that fail.

package stats

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
)

// mixture returns elements of some blocks and a bit, of which one in so many is a
// NaN, an infinity, a zero, or whatever else random patterns give.
func mixture(dtype safetensors.Dtype) *safetensors.Tensor {
	b := weights(dtype, 2*blockSize+3*1000*8)
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		size := 8 * (1 + r.IntN(20))
		at := 8 * r.IntN((len(b)-size)/8)
		for i := range b[at : at+size] {
			b[at+i] = byte(r.Uint32())
		}
	}
	return tensorOf(dtype, b)
}

// TestSameOnAnyMachine compares all that is printed of a summary, in which NaNs
// are equal, and other floats only if they are the same.
func TestSameOnAnyMachine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for dtype := range safetensors.Dtypes() {
		tensor := mixture(dtype)
		var want string
		for _, run := range []struct{ procs, workers int }{{1, 0}, {2, 0}, {2, 5}} {
			runtime.GOMAXPROCS(run.procs)
			c := Counter{Bins: 7, Quantiles: []float64{0.5}, SHA256: true, Workers: run.workers}
			s, err := c.Of(tensor)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%+v", *s)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s, %+v: %s, want %s", dtype, run, got, want)
			}
		}
	}
}

// Integers as F32, so that the sums can be made in integers too.
func TestManyBlocks(t *testing.T) {
	n := 2*blockSize/4 + 12345
	b := make([]byte, 4*n)
	r := rand.New(rand.NewPCG(9, 10))
	var sum, squares, zero, nan int64
	for i := range n {
		x := int64(r.IntN(2001) - 1000)
		bits := math.Float32bits(float32(x))
		if i%5000 == 77 {
			bits, x = 0xffc00000, 0
			nan++
		} else if x == 0 {
			bits = uint32(i%2) << 31 // of either sign
			zero++
		}
		sum += x
		squares += x * x
		binary.LittleEndian.PutUint32(b[4*i:], bits)
	}
	s, err := Of(tensorOf(safetensors.F32, b))
	if err != nil {
		t.Fatal(err)
	}
	finite := int64(n) - nan
	mean, _ := big.NewRat(sum, finite).Float64()
	variance := new(big.Rat).Sub(big.NewRat(squares, finite), new(big.Rat).Mul(big.NewRat(sum, finite), big.NewRat(sum, finite)))
	stdDev, _ := new(big.Float).Sqrt(new(big.Float).SetPrec(200).SetRat(variance)).Float64()
	if s.Mean != mean || s.StdDev != stdDev || s.NaN != nan || s.Zero != zero || s.Count != int64(n) {
		t.Errorf("%+v, want mean %v, deviation %v, %d NaNs, %d zeros", s, mean, stdDev, nan, zero)
	}
	if s.Min.String() != "-1000" || s.Max.String() != "1000" || s.Subnormal+s.PosInf+s.NegInf+s.AtMax != 0 {
		t.Errorf("%+v, want integers from -1000 to 1000", s)
	}
}

// A chunk is counted fast or with care, whatever stands in it, and the result is
// that of taking note of each number.
func TestOddChunks(t *testing.T) {
	odd := []float64{
		0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 0x1p-140, -0x1p-140,
		math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, -math.MaxFloat64, 0x1p-1040, 1, -1,
	}
	for _, dtype := range []safetensors.Dtype{safetensors.F32, safetensors.F64} {
		for _, fill := range []float64{0, 1, -1, math.NaN()} {
			for _, x := range odd {
				for _, n := range []int{1, 5, chunkSize/4 + 3} {
					xs := repeat(n, func(int) float64 { return fill })
					xs[n/2] = x
					checkNotes(t, tensorOf(dtype, encodeFloats(dtype, xs)), xs)
				}
			}
		}
	}
}

func checkNotes(t *testing.T, tensor *safetensors.Tensor, xs []float64) {
	t.Helper()
	d := newDoubles(nil)
	if tensor.Dtype == safetensors.F32 {
		d.smallest, d.largest = 0x1p-126, math.MaxFloat32
	}
	for _, x := range xs {
		if tensor.Dtype == safetensors.F32 {
			x = float64(float32(x))
		}
		d.note(x)
	}
	s, err := Of(tensor)
	if err != nil {
		t.Fatal(err)
	}
	got := []int64{s.NaN, s.PosInf, s.NegInf, s.Zero, s.Subnormal, s.AtMax}
	want := []int64{d.nan, d.posInf, d.negInf, d.zero, d.subnormal, d.atMax}
	lo, hi := Value{}, Value{}
	if d.lo <= d.hi {
		lo, hi = float(d.lo), float(d.hi)
	}
	if !slices.Equal(got, want) || s.Min != lo || s.Max != hi {
		t.Errorf("%s, %d numbers %v and %v: %v from %v to %v, want %v from %v to %v",
			tensor.Dtype, len(xs), xs[0], xs[len(xs)/2], got, s.Min, s.Max, want, lo, hi)
	}
}

// However the numbers lie, the summary is the same, to the last bit.
func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for dtype := range safetensors.Dtypes() {
		size := max(1, dtype.Bits()/8) // in bytes; of what is smaller, pairs are shuffled
		if dtype.Bits() == 6 {
			size = 3
		}
		b := make([]byte, size*3000)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		s, err := Of(tensorOf(dtype, b))
		if err != nil {
			t.Fatal(err)
		}
		shuffled := bytes.Clone(b)
		for i, k := range r.Perm(3000) {
			copy(shuffled[i*size:], b[k*size:(k+1)*size])
		}
		other, err := Of(tensorOf(dtype, shuffled))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintf("%+v", *other), fmt.Sprintf("%+v", *s); got != want {
			t.Errorf("%s: shuffled %s, want %s", dtype, got, want)
		}
	}
}

func TestEmptyAndScalar(t *testing.T) {
	for dtype := range safetensors.Dtypes() {
		s, err := (&Counter{Bins: 3, Quantiles: []float64{0.5}, SHA256: true}).Of(tensorOf(dtype, nil))
		if err != nil {
			t.Fatal(err)
		}
		if s.Count != 0 || s.Min != (Value{}) || s.Max != (Value{}) || s.Mean == s.Mean || s.StdDev == s.StdDev {
			t.Errorf("%s: an empty tensor has %+v", dtype, s)
		}
		if s.SHA256 != sha256.Sum256(nil) || len(s.Histogram.Counts)+len(s.Quantiles)+len(s.Exponents.Counts) != 0 {
			t.Errorf("%s: an empty tensor has %+v", dtype, s)
		}
	}
	scalar := tensorOf(safetensors.I64, []byte{3, 0, 0, 0, 0, 0, 0, 0})
	scalar.Shape = nil
	if s, err := Of(scalar); err != nil || s.Count != 1 || s.Mean != 3 || s.StdDev != 0 {
		t.Errorf("a scalar 3 has %+v, %v", s, err)
	}
}

func TestDigest(t *testing.T) {
	for _, dtype := range []safetensors.Dtype{safetensors.F8_E4M3, safetensors.F32} {
		tensor := mixture(dtype)
		b, err := tensor.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for workers := range 4 {
			s, err := (&Counter{SHA256: true, Workers: workers}).Of(tensor)
			if err != nil || s.SHA256 != sha256.Sum256(b) {
				t.Errorf("%s, %d workers: %x, %v", dtype, workers, s.SHA256, err)
			}
		}
		if s, err := Of(tensor); err != nil || s.SHA256 != [32]byte{} {
			t.Errorf("%s: %x, %v, and nobody asked", dtype, s.SHA256, err)
		}
	}
}

// A badSource fails from the byte at on. The first read of it that fails may come
// after others that do.
type badSource struct {
	good io.ReaderAt
	at   int64
	err  error
}

func (s badSource) ReadAt(b []byte, off int64) (int, error) {
	if left := s.at - off; left < int64(len(b)) {
		n, _ := s.good.ReadAt(b[:max(left, 0)], off)
		return n, s.err
	}
	return s.good.ReadAt(b, off)
}

func TestSourceFails(t *testing.T) {
	gone := errors.New("the disk is gone")
	tensor := mixture(safetensors.BF16)
	good := tensor.ReaderAt
	for _, test := range []struct{ err, want error }{
		{gone, gone}, {io.EOF, io.ErrUnexpectedEOF}, {nil, io.ErrUnexpectedEOF},
	} {
		for _, at := range []int64{0, 1, blockSize - 1, blockSize, blockSize + 5, tensor.Size() - 1} {
			tensor.ReaderAt = badSource{good, at, test.err}
			for workers := range 5 {
				s, err := (&Counter{SHA256: true, Workers: workers}).Of(tensor)
				where := fmt.Sprintf("read %d of the %d bytes of tensor \"t\"", at, tensor.Size())
				if s != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), where) {
					t.Errorf("%v at %d: %v, %v", test.err, at, s, err)
				}
			}
		}
	}
}

// A source may say with its last bytes that it ends.
type endingSource struct{ *bytes.Reader }

func (s endingSource) ReadAt(b []byte, off int64) (int, error) {
	n, err := s.Reader.ReadAt(b, off)
	if off+int64(n) == s.Size() {
		err = io.EOF
	}
	return n, err
}

func TestSourceEnds(t *testing.T) {
	tensor := tensorOf(safetensors.U8, []byte{1, 2, 3})
	tensor.ReaderAt = endingSource{bytes.NewReader([]byte{1, 2, 3})}
	if s, err := Of(tensor); err != nil || s.Mean != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A changingSource has other bytes from the second pass on.
type changingSource struct {
	one, other *bytes.Reader
	reads      *atomic.Int64
}

func (s changingSource) ReadAt(b []byte, off int64) (int, error) {
	if s.reads.Add(1) > 1 {
		return s.other.ReadAt(b, off)
	}
	return s.one.ReadAt(b, off)
}

func TestSourceChanges(t *testing.T) {
	one, other := []float64{1, 2, 3}, []float64{1, 2, 4}
	tensor := tensorOf(safetensors.F32, encodeFloats(safetensors.F32, one))
	tensor.ReaderAt = changingSource{
		bytes.NewReader(encodeFloats(safetensors.F32, one)), bytes.NewReader(encodeFloats(safetensors.F32, other)), new(atomic.Int64),
	}
	if s, err := (&Counter{Bins: 2}).Of(tensor); err == nil || s != nil {
		t.Errorf("%+v, %v, want an error", s, err)
	}
}

func TestNonsense(t *testing.T) {
	unknown := tensorOf(safetensors.U8, []byte{1})
	unknown.Dtype = "F7"
	short := tensorOf(safetensors.F32, make([]byte, 8))
	short.Shape = []int64{3}
	huge := tensorOf(safetensors.F32, make([]byte, 8))
	huge.Shape = []int64{1 << 40, 1 << 40}
	backwards := tensorOf(safetensors.F32, nil)
	backwards.Offsets = safetensors.Span{Begin: 8, End: 0}
	part := tensorOf(safetensors.F4, []byte{1})
	part.Shape = []int64{3}
	for _, tensor := range []*safetensors.Tensor{unknown, short, huge, backwards, part} {
		if s, err := Of(tensor); err == nil || s != nil || !strings.HasPrefix(err.Error(), `stats: tensor "t" has `) {
			t.Errorf("%s %s of %d bytes: %v, %v", tensor.Dtype, tensor.ShapeString(), tensor.Size(), s, err)
		}
	}
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		if s, err := (&Counter{Quantiles: []float64{q}}).Of(tensorOf(safetensors.U8, []byte{1})); err == nil || s != nil {
			t.Errorf("quantile %v: %v, %v", q, s, err)
		}
	}
}
