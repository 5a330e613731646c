// Tensors converted as they are read.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors"
)

// vectorOf returns a tensor of one axis with the given elements.
func vectorOf[T safetensors.Element](t testing.TB, data ...T) *safetensors.Tensor {
	t.Helper()
	tensor, err := safetensors.NewTensor("w", data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

func mustConvert(t testing.TB, tensor *safetensors.Tensor, d safetensors.Dtype) *safetensors.Tensor {
	t.Helper()
	made, err := tensor.Convert(d)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The patterns are those of the formats, worked out by hand.
func TestConvertRounds(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const ulp = 1.0 / (1 << 7) // of a BF16 from 1 to 2
	for _, c := range []struct {
		name      string
		from      *safetensors.Tensor
		to        safetensors.Dtype
		want      []byte
		saturated []byte // nil if the same
	}{
		{"ties to even", vectorOf[float32](t, 1+ulp/2, 1+3*ulp/2, 1+ulp/2+1.0/(1<<20)), safetensors.BF16, []byte{0x80, 0x3f, 0x82, 0x3f, 0x81, 0x3f}, nil},
		{"BF16 overflows", vectorOf(t, math.MaxFloat32, -inf), safetensors.BF16, []byte{0x80, 0x7f, 0x80, 0xff}, []byte{0x7f, 0x7f, 0x7f, 0xff}},
		// 65504 is the largest, and 65520 the middle on the way to 65536.
		{"F16 overflows", vectorOf[float32](t, 65519, 65520), safetensors.F16, []byte{0xff, 0x7b, 0x00, 0x7c}, []byte{0xff, 0x7b, 0xff, 0x7b}},
		// 448 is the largest; 464 is the middle on the way to 480, and 448 is even.
		{"F8_E4M3 overflows", vectorOf(t, 448, 464, 465, -inf, nan), safetensors.F8_E4M3, []byte{0x7e, 0x7e, 0x7f, 0xff, 0x7f}, []byte{0x7e, 0x7e, 0x7e, 0xfe, 0x7f}},
		// 57344 is the largest, and 61440 the middle on the way to 65536, which is even.
		{"F8_E5M2 overflows", vectorOf[float32](t, 61439, 61440), safetensors.F8_E5M2, []byte{0x7b, 0x7c}, []byte{0x7b, 0x7b}},
		{"FNUZ has one NaN", vectorOf(t, 241, 300, -inf, nan), safetensors.F8_E4M3FNUZ, []byte{0x7f, 0x80, 0x80, 0x80}, []byte{0x7f, 0x7f, 0xff, 0x80}},
		// 0, 0.5, 1, 1.5, 2, 3, 4, 6 are the numbers of F4; the even element comes low.
		{"F4 saturates", vectorOf(t, 0.25, 0.75, -5, 7, inf, -1e9), safetensors.F4, []byte{0x20, 0x7e, 0xf7}, nil},
		{"F6 saturates", vectorOf[float32](t, 1, 2, -28, 1e9), safetensors.F6_E3M2, packBits([]byte{0x0c, 0x10, 0x3f, 0x1f}, 6), nil},
		{"E8M0 has powers of two", vectorOf[float32](t, 1, 1.4, 1.5, 0, -1), safetensors.F8_E8M0, []byte{127, 127, 128, 255, 255}, nil},
		{"floats as integers", vectorOf(t, 0.5, 1.5, 2.5, -0.5, -128.5, 127.25), safetensors.I8, []byte{0, 2, 2, 0, 0x80, 127}, nil},
		{"truth", vectorOf(t, 0, float32(math.Copysign(0, -1)), 1e-40, nan), safetensors.BOOL, []byte{0, 0, 1, 1}, nil},
		{"truth as numbers", vectorOf(t, true, false), safetensors.F16, []byte{0x00, 0x3c, 0, 0}, nil},
		// See TestDecodeKnownPatterns: by way of a float64 this would be 0x5e800000.
		{"rounded once", vectorOf[int64](t, 1<<62+1<<38+1), safetensors.F32, []byte{0x01, 0x00, 0x80, 0x5e}, nil},
		{"exact integers", vectorOf[int64](t, 1<<53+1, -1), safetensors.I64, binaryOf([]int64{1<<53 + 1, -1}), nil},
		{"wider integers", vectorOf[int8](t, -1, 127), safetensors.I64, binaryOf([]int64{-1, 127}), nil},
		{"F64 to F32", vectorOf(t, 0.1, 1e300, 1e-46), safetensors.F32, binaryOf([]float32{0.1, inf, 0}), binaryOf([]float32{0.1, math.MaxFloat32, 0})},
	} {
		checkReaderAt(t, mustConvert(t, c.from, c.to), c.want)
		if c.saturated == nil {
			c.saturated = c.want
		}
		made, err := (&safetensors.Converter{Saturate: true}).Convert(c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := made.Bytes(); err != nil || !bytes.Equal(b, c.saturated) {
			t.Errorf("%s, saturated: %x, %v, want %x", c.name, b, err, c.saturated)
		}
	}
}

// 1, 2 and 4 are numbers of every dtype but BOOL, to which they are all 1.
func TestConvertBetweenAllDtypes(t *testing.T) {
	numbers := []float32{1, 2, 4, 2, 1, 4, 4, 1}
	ones := slices.Repeat([]float64{1}, len(numbers))
	start := vectorOf(t, numbers...)
	for from := range safetensors.Dtypes() {
		for to := range safetensors.Dtypes() {
			if from == safetensors.C64 || to == safetensors.C64 || from == to {
				continue
			}
			// The source is made of bytes, not of another conversion.
			source := raw(bytes.NewReader(mustBytes(t, mustConvert(t, start, from))), from, int64(len(numbers)))
			made := mustConvert(t, source, to)
			want := decoded(t, start)
			if from == safetensors.BOOL || to == safetensors.BOOL {
				want = ones
			}
			if got := decoded(t, made); !slices.Equal(got, want) {
				t.Errorf("%s to %s: %v, want %v", from, to, got, want)
			}
			checkReaderAt(t, made, mustBytes(t, made))
		}
	}
}

func TestConvertToItsOwnDtype(t *testing.T) {
	c64 := vectorOf[complex64](t, 1i)
	if made, err := c64.Convert(safetensors.C64); err != nil || made != c64 {
		t.Errorf("%p, %v, want %p", made, err, c64)
	}
	// Nothing is converted, so nothing is saturated.
	inf := vectorOf(t, math.Inf(1))
	if made, err := (&safetensors.Converter{Saturate: true}).Convert(inf, safetensors.F64); err != nil || made != inf {
		t.Errorf("%p, %v, want %p", made, err, inf)
	}
}

func TestConvertRefuses(t *testing.T) {
	odd := numbered(t, 3)
	odd.Offsets.End--
	for _, c := range []struct {
		from *safetensors.Tensor
		to   safetensors.Dtype
		want string
	}{
		{vectorOf[complex64](t, 1), safetensors.F32, `safetensors: tensor "w": cannot convert C64 to F32: C64 elements are pairs of numbers`},
		{vectorOf[float32](t, 1), safetensors.C64, `safetensors: tensor "w": cannot convert F32 to C64: C64 elements are pairs of numbers`},
		{vectorOf[float32](t, 1), "F7", `safetensors: tensor "w": cannot convert to the unknown dtype "F7"`},
		{vectorOf[float32](t, 1, 2, 3), safetensors.F4, `safetensors: tensor "w": its 3 elements do not fill whole bytes in F4, of 4 bits`},
		{vectorOf[float32](t, 1, 2), safetensors.F6_E2M3, `safetensors: tensor "w": its 2 elements do not fill whole bytes in F6_E2M3, of 6 bits`},
		{odd, safetensors.F32, `safetensors: tensor "numbers": U32 [3] does not take the 11 bytes of its Offsets`},
	} {
		if made, err := c.from.Convert(c.to); err == nil || err.Error() != c.want {
			t.Errorf("%v, %v\nwant %s", made, err, c.want)
		}
	}
}

// An element that cannot be held is an error of the read that it belongs to,
// and what comes before it is read.
func TestConvertElementThatCannotBeHeld(t *testing.T) {
	for _, c := range []struct {
		from *safetensors.Tensor
		to   safetensors.Dtype
		good int // bytes before the element
		want string
	}{
		{vectorOf[float32](t, 1, 127.4, 127.5), safetensors.I8, 2, "element 2 is 127.5, which I8 cannot hold"},
		{vectorOf[float64](t, 1, -1), safetensors.U64, 8, "element 1 is -1, which U64 cannot hold"},
		{vectorOf(t, math.NaN()), safetensors.I16, 0, "element 0 is NaN, which I16 cannot hold"},
		{vectorOf[uint64](t, 5, 1<<63), safetensors.I64, 8, "element 1 is 9223372036854775808, which I64 cannot hold"},
		{vectorOf[int64](t, 5, -7), safetensors.U16, 2, "element 1 is -7, which U16 cannot hold"},
		{vectorOf[int32](t, 0, 0, 0, 300), safetensors.U8, 3, "element 3 is 300, which U8 cannot hold"},
		{vectorOf(t, 1, 1, 1, float32(math.NaN())), safetensors.F4, 1, "element 3 is NaN, which F4 cannot hold"},
		{vectorOf(t, 1, 1, 1, 1, 1, math.NaN(), 1, 1), safetensors.F6_E3M2, 3, "element 5 is NaN, which F6_E3M2 cannot hold"},
	} {
		made := mustConvert(t, c.from, c.to)
		b := make([]byte, made.Size())
		n, err := made.ReadAt(b, 0)
		if want := `safetensors: tensor "w": ` + c.want; n != c.good || err == nil || err.Error() != want {
			t.Errorf("%d bytes, %v\nwant %d, %s", n, err, c.good, want)
		}
		if n, err := made.ReadAt(b[:c.good], 0); n != c.good || err != nil {
			t.Errorf("before the element: %d bytes, %v", n, err)
		}
	}
	// Saturating helps with numbers, and not with what is no number.
	saturating := &safetensors.Converter{Saturate: true}
	made, err := saturating.Convert(vectorOf[float32](t, 127.5, -1000, float32(math.Inf(1))), safetensors.I8)
	if err != nil {
		t.Fatal(err)
	}
	checkReaderAt(t, made, []byte{127, 0x80, 127})
	made, err = saturating.Convert(vectorOf(t, math.NaN()), safetensors.I8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.ReadAt(make([]byte, 1), 0); err == nil || !strings.Contains(err.Error(), "element 0 is NaN") {
		t.Error(err)
	}
}

// What is converted can be sliced, and what lies beside the slice is neither
// read nor converted: element 3 cannot be held.
func TestSliceOfConverted(t *testing.T) {
	data := []float32{0, 1, 2, 300, 4, 5, 6, 7}
	source := &accountant{ReaderAt: bytes.NewReader(binaryOf(data))}
	made := mustConvert(t, raw(source, safetensors.F32, 2, 4), safetensors.I8)
	part := mustSlice(t, made, ":, 1:3")
	checkReaderAt(t, part, []byte{1, 2, 5, 6})
	source.reads = nil
	mustBytes(t, mustSlice(t, mustSlice(t, made, ":, 1:"), "1, 1:"))
	if want := []safetensors.Span{{Begin: 24, End: 32}}; !slices.Equal(source.reads, want) {
		t.Errorf("reads %v, want %v", source.reads, want)
	}
	_, err := mustSlice(t, made, ":, ::3").Bytes()
	if err == nil || !strings.Contains(err.Error(), "is 300, which I8 cannot hold") {
		t.Error(err)
	}
	renamed := mustSlice(t, made.Rename("v"), "1")
	if renamed.Name != "v" || renamed.Dtype != safetensors.I8 || renamed.ShapeString() != "[4]" {
		t.Errorf("%+v", renamed.TensorInfo)
	}
	checkReaderAt(t, renamed, []byte{4, 5, 6, 7})
}

// Three F4 fill no bytes, but converted they do: the slice is then made of what
// is converted, and again what lies between is not its concern.
func TestSliceOfConvertedNarrowElements(t *testing.T) {
	patterns := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} // 0 0.5 1 1.5 2 3 4 6 -0 -0.5 -1 -1.5
	made := mustConvert(t, raw(bytes.NewReader(packBits(patterns, 4)), safetensors.F4, 3, 4), safetensors.U8)
	// Row 2 has numbers that U8 cannot hold, but not in its first column.
	checkReaderAt(t, mustSlice(t, made, ":, 0"), []byte{0, 2, 0})
	checkReaderAt(t, mustSlice(t, made, "0, 1:"), []byte{0, 1, 2})
	_, err := mustSlice(t, made, ":, 2").Bytes()
	if err == nil || !strings.Contains(err.Error(), "element 10 is -1, which U8 cannot hold") {
		t.Error(err)
	}
}

func TestConvertConverted(t *testing.T) {
	made := mustConvert(t, mustConvert(t, vectorOf[float32](t, 1+1.0/(1<<9), 3.140625), safetensors.BF16), safetensors.F64)
	if got := mustRead[float64](t, made); !slices.Equal(got, []float64{1, 3.140625}) {
		t.Error(got)
	}
	// A tensor whose dtype was changed by hand is not what was converted.
	bits := mustConvert(t, vectorOf[float32](t, 1, 2, 3, 4), safetensors.U16)
	bits.Dtype, bits.Shape = safetensors.BF16, []int64{2, 2}
	checkReaderAt(t, mustSlice(t, bits, ":, 1"), []byte{2, 0, 4, 0})
}

// More than a buffer, in reads that cut elements and groups of elements, and
// from several goroutines.
func TestConvertAcrossBuffers(t *testing.T) {
	const n = 160_000
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(i%97) / 8
	}
	source := vectorOf(t, numbers...)
	for _, d := range []safetensors.Dtype{safetensors.F4, safetensors.F6_E2M3, safetensors.F8_E5M2, safetensors.F16, safetensors.F64} {
		made := mustConvert(t, source, d)
		whole := mustBytes(t, made)
		checkReaderAt(t, made, whole)
		// The halves of the elements make the whole.
		halves := mustConvert(t, vectorOf(t, numbers[:n/2]...), d)
		if !bytes.Equal(mustBytes(t, halves), whole[:len(whole)/2]) {
			t.Errorf("%s: half of it is not half of it", d)
		}
		back := mustConvert(t, made, safetensors.F32)
		checkReaderAt(t, back, mustBytes(t, back))
		var group sync.WaitGroup
		for k := range 4 {
			group.Go(func() {
				b := make([]byte, 1001)
				for off := int64(k); off < made.Size(); off += 40_000 {
					n, err := made.ReadAt(b, off)
					if err != nil && err != io.EOF || !bytes.Equal(b[:n], whole[off:off+int64(n)]) {
						t.Errorf("%s: %d bytes at %d: %v", d, n, off, err)
					}
				}
			})
		}
		group.Wait()
	}
}

// The source's errors come out as they are, and so does its early end.
func TestConvertFailingSource(t *testing.T) {
	short := mustConvert(t, raw(bytes.NewReader(make([]byte, 11)), safetensors.F32, 4), safetensors.F16)
	b := make([]byte, 8)
	if n, err := short.ReadAt(b, 0); n != 4 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(n, err)
	}
	if n, err := short.ReadAt(b[:3], 1); n != 3 || err != nil {
		t.Error(n, err)
	}
	failing := mustConvert(t, raw(denied{}, safetensors.F32, 4), safetensors.F16)
	if n, err := failing.ReadAt(b, 0); n != 0 || err == nil || strings.Contains(err.Error(), "EOF") {
		t.Error(n, err)
	}
}

func TestConvertEmpty(t *testing.T) {
	for d := range safetensors.Dtypes() {
		if d == safetensors.C64 || d == safetensors.U8 {
			continue
		}
		made := mustConvert(t, raw(bytes.NewReader(nil), safetensors.U8, 3, 0), d)
		checkReaderAt(t, made, nil)
		if got := fmt.Sprint(made.Shape); got != "[3 0]" {
			t.Error(got)
		}
	}
}
