// Any tensors at all are refused, or make a file; and how fast.

package safetensors_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// TestPlanIsTheHeader compares plans of random tensors with the headers that
// are read from the files.
func TestPlanIsTheHeader(t *testing.T) {
	m := headerMaker{rand.New(rand.NewPCG(5, 6))}
	for range 200 {
		h := m.header()
		var tensors []*safetensors.Tensor
		for _, ti := range h.Tensors {
			tensors = append(tensors, &safetensors.Tensor{TensorInfo: ti, ReaderAt: zeros{}})
		}
		e := safetensors.Encoder{Metadata: h.Metadata, KeepOrder: m.IntN(2) == 0, Align: 1 << m.IntN(8)}
		plan, err := e.Plan(tensors...)
		if err != nil {
			t.Fatal(err)
		}
		// The data may be of any size, so a writer that fails when it begins.
		w := &fullWriter{room: int(plan.DataStart()), err: io.ErrClosedPipe}
		if err := e.Encode(w, tensors...); err != nil && err != io.ErrClosedPipe {
			t.Fatal(err)
		}
		got, err := safetensors.ReadHeader(&w.got)
		if err != nil {
			t.Fatal(err)
		}
		compareHeaders(t, plan, got)
		for i := range plan.Tensors {
			if plan.Lookup(plan.Tensors[i].Name) != &plan.Tensors[i] {
				t.Fatalf("Lookup does not find %q", plan.Tensors[i].Name)
			}
		}
	}
}

// FuzzEncode has tensors out of arbitrary bytes: they are refused, or make a
// file that breaks no rule and gives them back.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("abc"), "BF16", int64(2), int64(3), uint16(0))
	f.Add([]byte("__metadata__"), "F4", int64(3), int64(1), uint16(1))
	f.Add([]byte("\xff\"\\\n"), "U64", int64(-1), int64(0), uint16(4096))
	f.Fuzz(func(t *testing.T, names []byte, dtype string, rows, cols int64, align uint16) {
		var tensors []*safetensors.Tensor
		for i, name := range strings.Split(string(names), "b") {
			size, ok := safetensors.Dtype(dtype).Size(max(rows, 0) % 100 * (max(cols, 0) % 100))
			if !ok {
				size = 8
			}
			if i == 5 {
				size++ // of few names it is known that all is well
			}
			tensors = append(tensors, handMade(name, safetensors.Dtype(dtype), pattern(int(size)), rows, cols))
		}
		e := safetensors.Encoder{KeepOrder: align%2 == 1, Align: int(align), Metadata: map[string]string{dtype: string(names)}}
		var b bytes.Buffer
		if err := e.Encode(&b, tensors...); err != nil {
			if b.Len() > 0 {
				t.Fatalf("refused (%v) after %d bytes", err, b.Len())
			}
			return
		}
		if err := report(t, b.Bytes()).Err(); err != nil {
			t.Fatal(err)
		}
		got, _ := tensorsOf(t, b.Bytes())
		if len(got) != len(tensors) {
			t.Fatalf("%d tensors, want %d", len(got), len(tensors))
		}
		for _, tensor := range tensors {
			want, _ := tensor.Bytes()
			if b, err := tensorOf(t, bytes.NewReader(b.Bytes()), b.Len(), tensor.Name).Bytes(); err != nil || !bytes.Equal(b, want) {
				t.Fatalf("tensor %q is %x, %v; want %x", tensor.Name, b, err, want)
			}
		}
	})
}

// BenchmarkEncode writes 64 MiB from memory to a file, and from a file to one,
// without waiting for the disk.
func BenchmarkEncode(b *testing.B) {
	const size = 64 << 20
	source := make([]byte, size)
	for i := range source {
		source[i] = byte(rand.Uint32())
	}
	tensor, err := safetensors.NewTensor("w", source, size)
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), "source")
	if err := safetensors.WriteFile(name, tensor); err != nil {
		b.Fatal(err)
	}
	f, err := safetensors.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	onFile, err := f.Tensor("w")
	if err != nil {
		b.Fatal(err)
	}
	for what, tensor := range map[string]*safetensors.Tensor{"memory": tensor, "file": onFile} {
		b.Run(what, func(b *testing.B) {
			disk, err := os.Create(filepath.Join(b.TempDir(), "copy"))
			if err != nil {
				b.Fatal(err)
			}
			defer disk.Close()
			b.SetBytes(size)
			for b.Loop() {
				disk.Seek(0, io.SeekStart)
				if err := safetensors.Encode(disk, tensor); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPlan makes the header of a model, without its data.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{300, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := modelHeader(b, n)
			h, err := safetensors.ReadHeader(file)
			if err != nil {
				b.Fatal(err)
			}
			var tensors []*safetensors.Tensor
			for _, ti := range h.Tensors {
				tensors = append(tensors, &safetensors.Tensor{TensorInfo: ti, ReaderAt: zeros{}})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := new(safetensors.Encoder).Plan(tensors...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/tensor")
		})
	}
}
