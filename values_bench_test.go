// How fast values are read: decoded, converted, and gathered from a slice.

package safetensors_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors"
)

// benchTensor returns a tensor in memory of n elements; the bytes are not
// random, but neither are they all alike.
func benchTensor(b *testing.B, d safetensors.Dtype, shape ...int64) *safetensors.Tensor {
	b.Helper()
	size, _ := d.Size(elems(shape))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i>>8 ^ i*7)
	}
	return sources(b, data, d, shape...)[1]
}

// BenchmarkDecodeAt counts the bytes that are read and those that are written.
func BenchmarkDecodeAt(b *testing.B) {
	const n = 1 << 18
	for _, d := range []safetensors.Dtype{safetensors.BF16, safetensors.F16, safetensors.F8_E4M3, safetensors.F4, safetensors.F6_E3M2, safetensors.F32} {
		held := benchTensor(b, d, n)
		data, err := held.Bytes()
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]float32, n)
		for name, tensor := range map[string]*safetensors.Tensor{
			"memory": held,
			"reader": raw(bytes.NewReader(data), d, n),
		} {
			b.Run(string(d)+"/"+name, func(b *testing.B) {
				b.SetBytes(held.Size() + 4*n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := safetensors.DecodeAt(tensor, dst, 0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkConvert counts the bytes that are read and those that are written.
func BenchmarkConvert(b *testing.B) {
	const n = 1 << 18
	for _, c := range []struct{ from, to safetensors.Dtype }{
		{safetensors.BF16, safetensors.F32}, {safetensors.F32, safetensors.BF16}, {safetensors.F32, safetensors.F16}, {safetensors.F32, safetensors.F8_E4M3},
	} {
		b.Run(string(c.from)+"-"+string(c.to), func(b *testing.B) {
			source := benchTensor(b, c.from, n)
			made, err := source.Convert(c.to)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]byte, made.Size())
			b.SetBytes(source.Size() + made.Size())
			for b.Loop() {
				if _, err := made.ReadAt(dst, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSlice counts the bytes of the slice: 16 MiB of F32 lie behind it.
func BenchmarkSlice(b *testing.B) {
	shape := []int64{4096, 1024}
	held := benchTensor(b, safetensors.F32, shape...)
	data, err := held.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), "data")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		b.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	for _, text := range []string{":, 7", ":, ::2", ":, 100:612", "::4", "100:200"} {
		for source, r := range map[string]io.ReaderAt{"memory": nil, "reader": bytes.NewReader(data), "file": file} {
			tensor := held
			if r != nil {
				tensor = raw(r, safetensors.F32, shape...)
			}
			b.Run(text+"/"+source, func(b *testing.B) {
				part := mustSlice(b, tensor, text)
				dst := make([]byte, part.Size())
				b.SetBytes(part.Size())
				for b.Loop() {
					if _, err := part.ReadAt(dst, 0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
