// Checkpoints through package checkpoint: files, folders, and what is wrong with them.

package torch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/torch"
)

// linked are the options of a program that links the formats in.
var linked = &checkpoint.Options{Formats: []checkpoint.Format{torch.PyTorch(nil), torch.NPZ(nil)}}

func TestFormats(t *testing.T) {
	const data = "../../testdata/torch/"
	for name, want := range map[string]string{
		"checkpoint.pt": "pytorch-zip", "arrays.npz": "npz", "sharded": "pytorch-zip", "../scan/old.bin": "pytorch-legacy",
		"sharded/pytorch_model.bin.index.json": "pytorch-zip",
	} {
		cp, err := checkpoint.Open(t.Context(), data+name, linked)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for one, err := range cp.Tensors(t.Context()) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if _, err := one.ReadAt(make([]byte, one.Size()), 0); err != nil {
				t.Errorf("%s: %s: %v", name, one.Name, err)
			}
			n++
		}
		if n == 0 {
			t.Errorf("%s: no tensors", name)
		}
		for r, err := range cp.Validate(t.Context()) {
			if err != nil || r.First(safetensors.Nonconforming) != nil || r.File != "" && r.Format != want {
				t.Errorf("%s: %q is %q, %v, %v", name, r.File, r.Format, r.Report, err)
			}
		}
		opened, err := cp.Opened(t.Context(), cp.Shards()[0])
		if _, ok := opened.(*torch.Checkpoint); !ok || err != nil {
			t.Errorf("%s: opened %T, %v", name, opened, err)
		}
		if err := cp.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFormatFaults(t *testing.T) {
	whole, err := os.ReadFile("../../testdata/torch/checkpoint.pt")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "cut.pt")
	if err := os.WriteFile(name, whole[:1000], 0o666); err != nil {
		t.Fatal(err)
	}
	cp, err := checkpoint.Open(t.Context(), name, linked)
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	_, err = cp.Header(t.Context(), cp.Shards()[0])
	var v *safetensors.Violation
	var fault *torch.FormatError
	if !errors.As(err, &v) || !errors.As(err, &fault) {
		t.Errorf("a file that is cut off: %v", err)
	}
	noRoot := &checkpoint.Options{Formats: []checkpoint.Format{torch.PyTorch(&torch.Options{Root: "nothing"})}}
	cp, err = checkpoint.Open(t.Context(), "../../testdata/torch/checkpoint.pt", noRoot)
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	if _, err = cp.Header(t.Context(), cp.Shards()[0]); !errors.Is(err, torch.ErrNoRoot) || errors.As(err, &v) {
		t.Errorf("a root that is not there: %v", err)
	}
}
