// Gathering against a naive one, and how it reads.

package torch

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle/internal/dtypes"
)

// naive returns the elements of a view one by one.
func naive(v *view, data []byte) []byte {
	w := v.width()
	var out []byte
	index := make([]int64, len(v.shape))
	for range v.elements {
		at := v.offset
		for i, n := range index {
			at += n * v.stride[i]
		}
		element := slices.Clone(data[at*w : (at+1)*w])
		if v.storage.big {
			for half := range slices.Chunk(element, dtypes.SwapOf(v.dtype)) {
				slices.Reverse(half)
			}
		}
		out = append(out, element...)
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < v.shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out
}

// random returns a view that stays in its storage: dimensions in any order, with gaps,
// repeated, and of one index.
func random(r *rand.Rand, big bool) (*view, []byte) {
	dtypes := []safetensors.Dtype{safetensors.U8, safetensors.F16, safetensors.F32, safetensors.F64, safetensors.C64}
	v := &view{dtype: dtypes[r.IntN(len(dtypes))], offset: r.Int64N(5)}
	step := int64(1)
	for range r.IntN(5) {
		n, stride := 1+r.Int64N(7), step*(1+r.Int64N(3))
		switch r.IntN(8) {
		case 0:
			n = 1
		case 1:
			stride = 0
		case 2:
			stride = r.Int64N(3)
		default:
			step = stride * n
		}
		v.shape, v.stride = append(v.shape, n), append(v.stride, stride)
	}
	r.Shuffle(len(v.shape), func(i, j int) {
		v.shape[i], v.shape[j] = v.shape[j], v.shape[i]
		v.stride[i], v.stride[j] = v.stride[j], v.stride[i]
	})
	last := v.offset
	for i, n := range v.shape {
		last += (n - 1) * v.stride[i]
	}
	data := make([]byte, (last+1)*v.width())
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	v.storage = &storage{r: bytes.NewReader(data), size: int64(len(data)), big: big}
	return v, data
}

func TestGatherAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		v, data := random(r, n%3 == 0)
		if err := v.check(); err != nil {
			t.Fatal(err)
		}
		want := naive(v, data)
		reader, err := v.reader()
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%s %v by %v", v.dtype, v.shape, v.stride)
		got := make([]byte, len(want))
		if n, err := reader.ReadAt(got, 0); n < len(want) || !bytes.Equal(got, want) {
			t.Fatalf("%s: %x, %v, want %x", what, got, err, want)
		}
		off := r.IntN(len(want))
		part := make([]byte, r.IntN(len(want)-off)+2)
		m, err := reader.ReadAt(part, int64(off))
		if rest := want[off:]; !bytes.Equal(part[:m], rest[:min(len(part), len(rest))]) || (err == io.EOF) != (len(part) > len(rest)) && len(part) != len(rest) {
			t.Fatalf("%s: %d bytes at %d: %x, %v, want %x", what, len(part), off, part[:m], err, rest)
		}
	}
}

// A counter counts reads and what they read.
type counter struct {
	io.ReaderAt
	reads, bytes int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	c.reads, c.bytes = c.reads+1, c.bytes+len(b)
	return c.ReaderAt.ReadAt(b, off)
}

// TestGatherReads: few reads, and little that is not wanted.
func TestGatherReads(t *testing.T) {
	const mib = 1 << 20
	for _, k := range []struct {
		what          string
		shape, stride []int64
		reads, bytes  int
	}{
		// The layout of images: all of a window of 256 KiB is wanted.
		{"channels last", []int64{64, 256, 8, 8}, []int64{256 * 64, 1, 256 * 8, 256}, 4 * 4, 4 * mib},
		// 512 rows of 8 KiB, transposed. 1 MiB of the result is 512 columns of them, so 2 KiB
		// of each row are read at once.
		{"transposed", []int64{2048, 512}, []int64{1, 2048}, 4 * 512, 4 * mib},
		// Every other element: what lies between is read, too, a window at a time.
		{"stepped", []int64{512 << 10}, []int64{2}, 17, 4*mib - 4},
		// The first 16 of each 8192: what lies between is skipped.
		{"few columns", []int64{128, 16}, []int64{8192, 1}, 128, 128 * 64},
		{"expanded", []int64{1024, 1024}, []int64{0, 1}, 4 * 1, 4 * 4096},
	} {
		data := &counter{ReaderAt: bytes.NewReader(make([]byte, 4*mib))}
		v := &view{storage: &storage{r: data, size: 4 * mib}, dtype: safetensors.F32, shape: k.shape, stride: k.stride}
		if err := v.check(); err != nil {
			t.Fatal(err)
		}
		r, _ := v.reader()
		if _, err := io.CopyBuffer(tellingWriter{io.Discard, nil}, io.NewSectionReader(r, 0, v.size()), make([]byte, mib)); err != nil {
			t.Fatal(err)
		}
		if data.reads > k.reads || data.bytes > k.bytes {
			t.Errorf("%s: %d reads of %d bytes, want %d of %d at most", k.what, data.reads, data.bytes, k.reads, k.bytes)
		}
	}
}

// TestContiguousIsASection: who copies files by the system has to see the file.
func TestContiguousIsASection(t *testing.T) {
	file := bytes.NewReader(make([]byte, 100))
	v := &view{storage: &storage{r: file, base: 10, size: 80}, dtype: safetensors.F32, offset: 2, shape: []int64{3, 1, 4}, stride: []int64{4, 99, 1}}
	if err := v.check(); err != nil {
		t.Fatal(err)
	}
	r, err := v.reader()
	if err != nil {
		t.Fatal(err)
	}
	outer, off, n := r.(*io.SectionReader).Outer()
	if outer != io.ReaderAt(file) || off != 18 || n != 48 {
		t.Errorf("%v at %d, %d bytes", outer, off, n)
	}
}

// TestSourceThatEnds: a file that has become shorter is an error, and no zeros.
func TestSourceThatEnds(t *testing.T) {
	v := &view{storage: &storage{r: bytes.NewReader(make([]byte, 20)), size: 80}, dtype: safetensors.F32, shape: []int64{4, 4}, stride: []int64{1, 4}}
	if err := v.check(); err != nil {
		t.Fatal(err)
	}
	r, _ := v.reader()
	if n, err := r.ReadAt(make([]byte, 64), 0); err == nil || err == io.EOF || n == 64 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
