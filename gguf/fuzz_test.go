package gguf_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf"
)

// A file that opens has no violation that is invalid, except unknown types, and all of its tensors can be read.
func FuzzOpen(f *testing.F) {
	f.Add(plain().bytes())
	f.Add(model().bytes())
	f.Add(model().tensor("q", 12, make([]byte, 144), 256).bytes())
	b := newBuild()
	f.Add(b.list("k", 9, 1, b.u32(8), b.u64(1), b.str("x")).bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := gguf.Validate(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		opened, err := gguf.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			for _, v := range r.Violations {
				if v.Severity == safetensors.Invalid {
					return
				}
			}
			t.Fatalf("not opened, and valid: %v", err)
		}
		for i := range opened.Tensors {
			tensor, err := opened.Tensor(&opened.Tensors[i])
			if errors.Is(err, errors.ErrUnsupported) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			head := make([]byte, min(tensor.Size(), 5000))
			if n, err := tensor.ReadAt(head, 0); n < len(head) && err != nil && err != io.EOF {
				t.Fatal(err)
			}
		}
		for _, k := range opened.Keys {
			if k.Value.Kind == gguf.Array {
				for _, err := range opened.Elements(k.Value) {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}
