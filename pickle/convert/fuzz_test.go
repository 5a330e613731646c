// Arbitrary files are refused and leave nothing, or become the tensors that package torch reads.

package convert

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch"
)

func FuzzConvert(f *testing.F) {
	names, _ := filepath.Glob(filepath.Join(samples, "*.pt"))
	composed, _ := filepath.Glob(filepath.Join(samples, "composed", "*"))
	for _, name := range append(names, composed...) {
		if b, err := os.ReadFile(name); err == nil && len(b) < 1<<16 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		source, target := filepath.Join(dir, "in.pt"), filepath.Join(dir, "out", "model.safetensors")
		if err := os.WriteFile(source, b, 0o666); err != nil {
			t.Fatal(err)
		}
		limits := torch.Options{Pickle: &pickle.Options{MaxOpcodes: 1e4, MaxMemory: 4 << 20}, MaxBytes: 1 << 20}
		c := &Conversion{Torch: limits, DropUnsupported: true}
		p, err := c.Plan(t.Context(), source, target)
		if err == nil {
			defer p.Close()
			err = p.Write(t.Context())
		}
		if err != nil {
			if left := files(t, dir); len(left) != 1 {
				t.Errorf("refused (%v), and there is %q", err, left)
			}
			return
		}
		cp, err := torch.Open(bytes.NewReader(b), int64(len(b)), &limits)
		if err != nil {
			t.Fatalf("it is converted, and cannot be opened: %v", err)
		}
		want := make(map[string]*safetensors.Tensor)
		for _, tensor := range cp.Tensors {
			want[tensor.Name] = tensor
		}
		out, err := safetensors.Open(target)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		for tensor := range out.Tensors() {
			original := want[tensor.Name]
			if original == nil {
				t.Errorf("%q is not in the source", tensor.Name)
				continue
			}
			got, err := tensor.Bytes()
			was, wasErr := original.Bytes()
			if err != nil || wasErr != nil || !bytes.Equal(got, was) || tensor.Dtype != original.Dtype {
				t.Errorf("%q: %v, %v, or its bytes differ", tensor.Name, err, wasErr)
			}
		}
	})
}
