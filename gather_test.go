// How slices are read: what of the source, in which pieces, and what if it fails.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/weightools/safetensors"
)

// Of 3^38 bytes the first and the last of three along each of 38 axes: no two
// axes make one loop, and a tensor can hardly have more that do not.
func TestSliceOfManyLoops(t *testing.T) {
	const axes = 38
	tensor := raw(sparse{}, safetensors.U8, slices.Repeat([]int64{3}, axes)...)
	part, err := tensor.Slice(slices.Repeat([]safetensors.Range{{Step: 2}}, axes)...)
	if err != nil || part.Size() != 1<<axes {
		t.Fatal(part, err)
	}
	random := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		off := random.Int64N(1 << axes)
		b := make([]byte, min(20, 1<<axes-off))
		if n, err := part.ReadAt(b, off); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		for i := range b {
			// Bit k of the element's number is half the index on the k-th axis
			// from the last.
			at, power := int64(0), int64(2)
			for k := range axes {
				at += (off + int64(i)) >> k & 1 * power
				power *= 3
			}
			if b[i] != byte(at%251) {
				t.Fatalf("byte %d is %d, want that at %d, %d", off+int64(i), b[i], at, at%251)
			}
		}
	}
}

func TestSliceReads(t *testing.T) {
	const wide = 16 << 10 // bytes in a row: too far apart to be read across
	data := make([]byte, 64*wide)
	rand.NewChaCha8([32]byte{}).Read(data)
	type spans = []safetensors.Span
	for _, c := range []struct {
		shape []int64 // of U8
		text  string
		want  spans
	}{
		{[]int64{64, wide}, "3", spans{{3 * wide, 4 * wide}}},
		{[]int64{64, wide}, "3:5", spans{{3 * wide, 5 * wide}}},
		{[]int64{64, wide}, "3:5, :", spans{{3 * wide, 5 * wide}}},
		{[]int64{64, wide}, "3, 10:20", spans{{3*wide + 10, 3*wide + 20}}},
		{[]int64{64, wide}, "3:3", nil},
		// Rows that do not touch: one read each, of what is wanted.
		{[]int64{64, wide}, "3:6, 10:20", spans{{3*wide + 10, 3*wide + 20}, {4*wide + 10, 4*wide + 20}, {5*wide + 10, 5*wide + 20}}},
		{[]int64{64, wide}, "::32", spans{{0, wide}, {32 * wide, 33 * wide}}},
		// Gaps of 4 KiB are read across; of one byte more, not.
		{[]int64{4, 4100}, "1:3, :4", spans{{4100, 8204}}},
		{[]int64{4, 4101}, "1:3, :4", spans{{4101, 4105}, {8202, 8206}}},
		// A column near by: one read from its first byte to its last.
		{[]int64{64, 100}, ":, 7", spans{{7, 63*100 + 8}}},
		// The inner gaps are small, the outer ones are not: a read for each group.
		{[]int64{2, 8, wide}, ":, 0, 10:100:30", spans{{10, 71}, {8*wide + 10, 8*wide + 71}}},
		// A window is 256 KiB, and begins with what is wanted next: row 131 ends
		// at 131 x 2000 + 1000 = 263,000, past the window's end of 262,144.
		{[]int64{200, 2000}, ":, :1000", spans{{0, 262144}, {262144, 199*2000 + 1000}}},
		// It ends in the gap after row 131 of 2000 that begins at 262,000 + 100.
		{[]int64{200, 2000}, ":, :100", spans{{0, 262144}, {264000, 199*2000 + 100}}},
	} {
		source := &accountant{ReaderAt: bytes.NewReader(data)}
		part := mustSlice(t, raw(source, safetensors.U8, c.shape...), c.text)
		if source.reads != nil {
			t.Errorf("%v[%s] reads %v when it is made", c.shape, c.text, source.reads)
		}
		b := mustBytes(t, part)
		if !slices.Equal(source.reads, c.want) {
			t.Errorf("%v[%s] reads %v, want %v", c.shape, c.text, source.reads, c.want)
		}
		checkReaderAt(t, part, b)
	}
}

// Only what is asked for is read of a slice, from where it lies.
func TestSliceReadsNoMoreThanAsked(t *testing.T) {
	source := &accountant{ReaderAt: bytes.NewReader(make([]byte, 1<<20))}
	part := mustSlice(t, raw(source, safetensors.F32, 512, 512), ":, 3:5") // 8 bytes of each 2048
	// Byte 8 x 100 + 6 is byte 6 of what is wanted of row 100.
	if _, err := part.ReadAt(make([]byte, 4), 8*100+6); err != nil {
		t.Fatal(err)
	}
	want := []safetensors.Span{{Begin: 100*2048 + 12 + 6, End: 101*2048 + 12 + 2}}
	if !slices.Equal(source.reads, want) {
		t.Errorf("reads %v, want %v", source.reads, want)
	}
}

// A slice in one piece of what is in memory is the memory.
func TestSliceInOnePieceIsNotCopied(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f.safetensors")
	r, _ := fileWith(t, binaryOf([]uint16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), safetensors.U16, 3, 4)
	file, _ := io.ReadAll(r)
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := (&safetensors.Opener{Mapped: true}).Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := f.Tensor("w")
	if err != nil {
		t.Fatal(err)
	}
	first := mustBytes(t, mapped)
	if again := mustBytes(t, mapped); unsafe.SliceData(first) != unsafe.SliceData(again) {
		t.Skip("files cannot be mapped here")
	}
	held, err := safetensors.NewTensor("w", []uint16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range []*safetensors.Tensor{mapped, held} {
		whole := mustBytes(t, tensor)
		part := mustSlice(t, mustSlice(t, tensor, "1:"), "1, 1:3") // elements 9 and 10
		b := mustBytes(t, part)
		if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && unsafe.SliceData(b) != &whole[18] || cap(b) != 4 {
			t.Errorf("bytes at %p, capacity %d, want %p, 4", unsafe.SliceData(b), cap(b), &whole[18])
		}
		checkReaderAt(t, part, []byte{9, 0, 10, 0})
		checkReaderAt(t, mustSlice(t, tensor, "1:1"), nil)
		checkReaderAt(t, mustSlice(t, tensor, "::2, ::3"), []byte{0, 0, 3, 0, 8, 0, 11, 0})
	}
}

// A view of a file that has been closed is an error, as a read of it is.
func TestSliceOfClosedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f.safetensors")
	r, _ := fileWith(t, []byte{0, 1, 2, 3}, safetensors.U8, 2, 2)
	file, _ := io.ReadAll(r)
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, opener := range []safetensors.Opener{{}, {Mapped: true}} {
		f, err := opener.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tensor, err := f.Tensor("w")
		if err != nil {
			t.Fatal(err)
		}
		row, column := mustSlice(t, tensor, "1"), mustSlice(t, tensor, ":, 1")
		checkReaderAt(t, row, []byte{2, 3})
		checkReaderAt(t, column, []byte{1, 3})
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		for _, part := range []*safetensors.Tensor{row, column} {
			if b, err := part.Bytes(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%v, %v", b, err)
			}
		}
	}
}

// F4 and F6 elements that lie on bytes are read as bytes, and others are moved.
// The elements are numbered by their patterns: 0, 1, 2 and so on.
func TestSliceOfNarrowElements(t *testing.T) {
	for _, c := range []struct {
		dtype safetensors.Dtype
		shape []int64
		text  string
		want  []byte // patterns
	}{
		{safetensors.F4, []int64{2, 4}, "1", []byte{4, 5, 6, 7}},
		{safetensors.F4, []int64{2, 4}, ":, 2:", []byte{2, 3, 6, 7}},
		{safetensors.F4, []int64{2, 4}, ":, 1:3", []byte{1, 2, 5, 6}},
		{safetensors.F4, []int64{2, 4}, ":, 3", []byte{3, 7}},
		{safetensors.F4, []int64{2, 4}, ":, ::3", []byte{0, 3, 4, 7}},
		{safetensors.F4, []int64{16}, "::2", []byte{0, 2, 4, 6, 8, 10, 12, 14}},
		{safetensors.F4, []int64{16}, "1:15:7", []byte{1, 8}},
		{safetensors.F4, []int64{2, 3}, "1, 1:", []byte{4, 5}},
		{safetensors.F6_E2M3, []int64{8}, "4:", []byte{4, 5, 6, 7}},
		{safetensors.F6_E2M3, []int64{8}, "2:6", []byte{2, 3, 4, 5}},
		{safetensors.F6_E3M2, []int64{16}, "1::4", []byte{1, 5, 9, 13}},
		{safetensors.F6_E3M2, []int64{4, 4}, ":, 2", []byte{2, 6, 10, 14}},
		{safetensors.F6_E3M2, []int64{64}, "5:13", []byte{5, 6, 7, 8, 9, 10, 11, 12}},
		{safetensors.F6_E3M2, []int64{2, 32}, ":, 30:", []byte{30, 31, 62, 63}},
	} {
		n := elems(c.shape)
		patterns := make([]byte, n)
		for i := range patterns {
			patterns[i] = byte(i)
		}
		data, want := packBits(patterns, c.dtype.Bits()), packBits(c.want, c.dtype.Bits())
		for _, tensor := range sources(t, data, c.dtype, c.shape...) {
			checkReaderAt(t, mustSlice(t, tensor, c.text), want)
		}
	}
}

// More than a window, at sizes that are no powers of two: runs are cut by the
// ends of windows, and elements by those of reads.
func TestSliceAcrossWindows(t *testing.T) {
	data := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{1}).Read(data)
	for _, c := range []struct {
		dtype safetensors.Dtype
		shape []int64
		text  string
	}{
		{safetensors.U8, []int64{1021, 1027}, ":, 3:1000"},
		{safetensors.U8, []int64{1021, 1027}, "::2, 5::7"},
		{safetensors.U16, []int64{3, 170, 1023}, ":, 1:, 2::2"},
		{safetensors.F32, []int64{511, 509}, ":, 17"},
		{safetensors.F64, []int64{130, 1001}, "1::3, ::5"},
		{safetensors.C64, []int64{10, 10, 1001}, ":, 3:9:2, 100:900"},
		{safetensors.U8, []int64{5, 200_000}, "1:, 3:199000"},
		{safetensors.F4, []int64{304, 2001}, ":, 1::2"},
		{safetensors.F6_E2M3, []int64{401, 1024}, "1:, 1:1001"},
		{safetensors.F6_E3M2, []int64{4, 90_001}, ":, 3:90001"},
		{safetensors.F6_E3M2, []int64{4, 100_000}, "::2, 1:99997:2"},
	} {
		t.Run(fmt.Sprintf("%s%v[%s]", c.dtype, c.shape, c.text), func(t *testing.T) {
			size, ok := c.dtype.Size(elems(c.shape))
			if !ok {
				t.Fatal("no whole bytes")
			}
			tensors := sources(t, data[:size], c.dtype, c.shape...)
			want := naive(t, data[:size], c.dtype, c.shape, c.text)
			for _, tensor := range tensors[:3] {
				part := mustSlice(t, tensor, c.text)
				checkReaderAt(t, part, want)
				if err := iotest.TestReader(io.LimitReader(part.Open(), 100), want[:100]); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A file that was cut short since it was opened: what is left of a slice is
// read, and no zeros, though reading across gaps would touch what is gone.
func TestSliceOfFileCutShort(t *testing.T) {
	data := make([]byte, 100*100)
	for i := range data {
		data[i] = byte(i % 251)
	}
	source := raw(bytes.NewReader(data[:99*100+5]), safetensors.U8, 100, 100)
	for _, c := range []struct {
		text string
		left int // bytes of the slice that are there
	}{
		{":, 4", 100},
		{":, 5", 99},
		{":, 3:7", 99*4 + 2},
		{"::3, 5::2", 33 * 48}, // rows 0, 3 … 96 of 100, and 48 of row 99, which are gone
		{"99", 5},
		{"99, 5", 0},
	} {
		part := mustSlice(t, source, c.text)
		want := naive(t, data, safetensors.U8, source.Shape, c.text)
		b := make([]byte, part.Size())
		n, err := part.ReadAt(b, 0)
		if n != c.left || !bytes.Equal(b[:n], want[:n]) || errors.Is(err, io.ErrUnexpectedEOF) != (n < len(b)) {
			t.Errorf("[%s]: %d bytes of %d, %v, want %d", c.text, n, len(b), err, c.left)
		}
	}
}

// An error of the source comes out as it is.
func TestSliceOfFailingSource(t *testing.T) {
	part := mustSlice(t, raw(denied{}, safetensors.F32, 10, 10), ":, 3")
	if n, err := part.ReadAt(make([]byte, 40), 0); n != 0 || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%d, %v", n, err)
	}
	narrow := mustSlice(t, raw(denied{}, safetensors.F4, 10, 10), ":, 3")
	if n, err := narrow.ReadAt(make([]byte, 5), 0); n != 0 || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%d, %v", n, err)
	}
}
